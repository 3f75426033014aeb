package planner

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const shipFeature = `wf: 1
name: try
inputs:
  goal: {type: string, min_length: 1}
limits: {budget: 40 USD, bounces: 2, retries: 1, concurrency: 4}
types:
  area: {fields: {name: slug, path: path, why: string}}
roles:
  architect: {mode: review, agent: claude, model: opus, budget: 2 USD}
  builder: {mode: chat, agent: claude, model: sonnet, budget: 3 USD, tools: {allow: [Read, Edit, Write, "Bash(go test:*)"]}}
  tester: {mode: review, agent: codex, budget: 1 USD}
  judge: {mode: review, agent: codex, budget: 1 USD}
pipelines:
  build:
    - {stage: implement, role: builder, writes: scope, on_bounce: {first: architect}}
    - {stage: qa, role: tester, verdict: {PASS: next, FAIL: implement, CANNOT_VERIFY: park}}
    - {stage: judge, role: judge, verdict: {CONFIRMED: done, REJECTED: implement}}
tickets:
  survey:
    role: architect
    brief: Split this goal ${{ inputs.goal }}
    outputs:
      areas: {type: "list<area>", max_items: 4}
  change:
    for_each: ${{ tickets.survey.outputs.areas }}
    key: ${{ each.value.name }}
    max: 4
    pipeline: build
    scope: ["src/**", "test/**"]
    narrow: ["${{ each.value.path }}/**"]
    brief: Build ${{ each.value.name }}. ${{ each.value.why }}
    acceptance:
      - {what: All tests pass, by: tests}
      - {what: The area does what its brief says, by: judge}
    gates:
      - {name: tests, run: go test ./..., timeout: 10m, min_tests: 1}
      - {name: no-todo, check: added_lines_must_not_match, pattern: "TODO|FIXME"}
    outputs:
      summary: {type: string, max_length: 2000}
  report:
    needs: [{ticket: change, until: settled}]
    role: architect
    when: ${{ any(tickets.change, .status == "done") }}
    brief: Summarise ${{ toJSON(tickets.change) }}
    outputs: {text: string}
outputs:
  report: ${{ tickets.report.outputs.text ?? "nothing was done" }}
`

func TestShipFeature(t *testing.T) { // PLAN-01
	p, found := plan(t, shipFeature, "goal=make it so")
	t.Log(texts(found))
	change := ticket(t, p, "change[*]")
	require.Equal(t, "T-002", change.ID)
	require.Equal(t, 4, change.FanOut.Max)
	// per child: 3 stages × (2 rounds × 2 tries, and on after an answer), and the architect before round 2, twice: 17; four children
	require.Equal(t, 68, change.MaxUnits)
	require.Equal(t, []string{"tests", "no-todo"}, change.Stages[0].Gates)
	require.Empty(t, change.Stages[1].Gates)
	require.Equal(t, []string{"tests", "no-todo"}, change.Stages[2].Gates)
	require.True(t, change.Stages[0].OutputsDue)

	b := p.Bounds
	require.Equal(t, Bound{6, "enforced"}, b.Tickets)
	require.Equal(t, Bound{1 + 4*4 + 1, "enforced"}, b.Agents)
	require.Equal(t, Bound{5 + 68 + 5, "enforced"}, b.Units) // a role alone also has its rounds
	require.Equal(t, 1, b.UnitsLeast)
	require.Equal(t, Bound{4, "enforced"}, b.AtOnce)
	require.True(t, b.AtOnceExact)
	require.Equal(t, []string{"T-002"}, b.Widest)
	require.Equal(t, []string{"T-001", "T-002", "T-003"}, b.CriticalPath)
	require.Equal(t, 5, b.CriticalUnits)
	// architect 5×2, per child builder 5×3 + architect 2×2 + 5×1 + 5×1 = 29, report 10
	require.Equal(t, Money(10+116+10)*USD, b.CostAllUnits)
	require.Equal(t, Money(2+20+2)*USD, b.CostNoBounce)
	require.Equal(t, 2*USD, b.CostLeast)
	require.Equal(t, Bound{int64(40 * USD), "metered"}, b.Cost)
	require.Equal(t, 13, b.UnitsPaid) // 13 units of the builder's 3 USD
	require.Equal(t, []Edge{
		{From: "T-001", To: "T-002", Why: "reference"},
		{From: "T-002", To: "T-003", Settled: true, Why: "needs"},
	}, p.Edges)
	require.Contains(t, codes(found), "WF425")
}
