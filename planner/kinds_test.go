package planner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// target plans one of the files that show what authors write.
func target(t *testing.T, name string, inputs ...string) (*Plan, diag.Findings) {
	data, err := os.ReadFile(filepath.Join("..", "dsl", "testdata", "examples", name+".wf.yaml"))
	require.NoError(t, err)
	file := "workflows/" + name + ".wf.yaml"
	files := fstest.MapFS{file: {Data: data}}
	for _, role := range []string{"correctness", "security", "performance"} {
		files["roles/"+role+".md"] = &fstest.MapFile{Data: []byte("You look at " + role + ".\n")}
	}
	req := requestAt(t, file, files, inputs...)
	for _, ref := range RefsWanted(req) {
		req.Refs = append(req.Refs, Ref{Name: ref, Commit: strings.Repeat("c", 40)})
	}
	p, found := Make(req)
	require.Empty(t, texts(errorsOf(found)))
	return p, found
}

func agentOf(t *testing.T, p *Plan, name string) Agent {
	i := slices.IndexFunc(p.Agents, func(a Agent) bool { return a.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return p.Agents[i]
}

func features(p *Plan) (out []string) {
	for _, r := range p.Requirements {
		if r.Kind == "feature" {
			out = append(out, r.Name)
		}
	}
	return out
}

func TestPlannedReview(t *testing.T) { // REV-02, REV-04
	p, _ := target(t, "review-pull-request", "head=topic")
	review := ticket(t, p, "review")
	require.Equal(t, "review", review.Kind)
	require.Equal(t, &Review{Axes: []Axis{{"build", true}, {"tests", true}, {"lint", false}}, Confirm: &Confirm{By: "any_other", AtLeast: "P1"}, MaxFindings: 40}, review.Review)
	require.Equal(t, strings.Repeat("c", 40), review.Checkout.Commit)
	require.Equal(t, []string{"build", "tests", "lint"}, review.Stages[0].Gates)
	require.Equal(t, []string{"correctness", "security", "performance"}, review.Stages[0].Reviewers)
	require.Equal(t, "verdict", review.Outputs[0].Name)
	require.Equal(t, []string{"checkout", "kind: review"}, features(p))

	// each reviewer: once and one rerun, and on after an answer, 3; confirms: once and one rerun, 2; the clerk 3
	b := p.Bounds
	require.Equal(t, 15, review.MaxUnits)
	require.Equal(t, int64(18), b.Units.Value)
	require.Equal(t, []string{"review", "confirm:review"}, agentOf(t, p, "security@review").Stages)
	require.Equal(t, 5, agentOf(t, p, "security@review").Units)
	require.Equal(t, int64(3), b.AtOnce.Value, "three reviewers look at the same time")
	require.Equal(t, int64(4), b.Agents.Value)
	require.Equal(t, 3, b.UnitsLeast, "the comment may be skipped, and there may be nothing to confirm")
	require.Equal(t, 3, b.CriticalUnits)
	require.Equal(t, 4*USD, b.CostLeast)
	require.Equal(t, 8_500_000*Money(1), b.CostNoBounce)
	require.Equal(t, 21_500_000*Money(1), b.CostAllUnits)
}

func TestPlannedMigration(t *testing.T) {
	p, _ := target(t, "migrate-packages", "packages=a,b")
	move := ticket(t, p, `move["a"]`)
	// implement 2×2+1, qa 2×2+1, the doctor before the second round, with a rerun
	require.Equal(t, 12, move.MaxUnits)
	require.Equal(t, []string{"first:implement"}, agentOf(t, p, `doctor@move["a"]`).Stages)
	require.Equal(t, "a", move.Gates[0].Workdir)
	require.Equal(t, int64(12+12+5), p.Bounds.Units.Value)
	require.Equal(t, []string{"deliver: pull_request"}, features(p))
	var by []string
	for _, e := range p.Effects {
		if e.Effect == "git.push" || e.Effect == "pr.create" {
			by = append(by, e.Effect+" "+strings.Join(e.By, " "))
		}
	}
	require.Equal(t, []string{"git.push T-002/deliver", "pr.create T-002/deliver"}, by)
}

const helped = `wf: 1
name: try
limits: {budget: 100 USD, bounces: 3, retries: 1}
roles:
  w: {mode: chat, budget: 2 USD}
  a: {mode: review, budget: 1 USD}
  b: {mode: review, budget: 1 USD, inspector: d}
  d: {mode: plan, budget: 3 USD}
pipelines:
  p:
    - {stage: make, role: w, writes: scope, on_bounce: {first: a}}
    - {stage: look, reviewers: [a, b], verdict: {SHIP: done, HOLD: park, BLOCK: make}}
tickets:
  change: {pipeline: p, scope: ["src/**"], brief: Do it.%s}
`

// Every kind of session has its planned maximum.
func TestEveryKindOfSessionIsCounted(t *testing.T) {
	with := func(more string) (*Plan, *Ticket) {
		p, _ := plan(t, strings.Replace(helped, "%s", more, 1))
		return p, ticket(t, p, "change")
	}
	// make, look by two: 3 rounds × 2 tries + 1 each; first: 2 × 2; b's inspector: 3 rounds
	base := 3*7 + 4 + 3
	p, change := with("")
	require.Equal(t, base, change.MaxUnits)
	require.Equal(t, []string{"inspect:look"}, agentOf(t, p, "d@change").Stages)
	require.Equal(t, int64(2), p.Bounds.AtOnce.Value, "two reviewers")
	require.Equal(t, 3, p.Bounds.UnitsLeast)
	require.Equal(t, 4*USD, p.Bounds.CostLeast)
	for more, units := range map[string]int{
		", inspector: d":   base + 2*3, // make and the other reviewer; b has it anyway
		", escalate: d":    base + 3*2,
		", on_conflict: w": base + 2,
	} {
		q, change := with(more)
		require.Equal(t, units, change.MaxUnits, more)
		require.Greater(t, q.Bounds.CostAllUnits, p.Bounds.CostAllUnits, more)
		require.Equal(t, p.Bounds.CostLeast, q.Bounds.CostLeast, more)
		require.Equal(t, p.Bounds.CostNoBounce, q.Bounds.CostNoBounce, more)
		sum := 0
		for _, a := range q.Agents {
			sum += a.Units
		}
		require.Equal(t, change.MaxUnits, sum, more)
	}
	q, _ := with(", on_conflict: w")
	require.Contains(t, agentOf(t, q, "w@change").Stages, "conflict")
}

const proposing = `wf: 1
name: try
limits: {budget: 10 USD, bounces: 1, retries: 0, concurrency: 4}
roles:
  p: {mode: orchestrate, agent: claude, budget: 2 USD}
  w: {mode: chat, agent: claude, budget: 0.50 USD, tools: {allow: [Edit, "Bash(go test:*)"]}}
  r: {mode: review, agent: claude, budget: 0.25 USD}
pipelines:
  q:
    - {stage: write, role: w, writes: scope}
    - {stage: look, role: r, verdict: {PASS: done, FAIL: write}}
tickets:
  propose:
    kind: proposal
    role: p
    brief: Split it.
    within: {roles: [w, r], pipelines: [q], scope: ["docs/**"], budget: 4 USD, units: 6%s}
    outputs: {why: string}
`

func TestPlannedProposal(t *testing.T) {
	p, _ := plan(t, strings.Replace(proposing, "%s", "", 1))
	propose := ticket(t, p, "propose")
	require.Equal(t, "proposal", propose.Kind)
	require.Equal(t, "propose", propose.Stages[0].Name)
	require.Equal(t, "orchestrate", propose.Stages[0].Mode)
	require.Equal(t, []string{"r", "w"}, propose.Within.Roles)
	require.Equal(t, "write", propose.Within.Pipelines[0].Stages[0].Name)
	require.Contains(t, propose.Within.Effects, "process.exec", "its roles may execute")
	b := p.Bounds
	// the proposer: once, once more to mend it, on after an answer; and what it may ask for
	require.Equal(t, int64(3+6), b.Units.Value)
	require.Equal(t, int64(1+6), b.Agents.Value)
	require.Equal(t, int64(4), b.AtOnce.Value, "six, capped by concurrency")
	require.Equal(t, 1, b.UnitsLeast, "it may say that no plan is needed")
	require.Equal(t, 2*USD, b.CostLeast)
	require.Equal(t, 2*USD+3*USD, b.CostNoBounce, "six units of the dearest role are less than the bound")
	require.Equal(t, 3*2*USD+3*USD, b.CostAllUnits)

	p, _ = plan(t, strings.Replace(proposing, "%s", ", effects: [fs.write, model.call]", 1))
	require.Equal(t, []string{"fs.write", "model.call"}, ticket(t, p, "propose").Within.Effects)
	require.Equal(t, []string{"fs.write", "model.call"}, agentOf(t, p, "w@propose/*").Effects)
	for _, e := range p.Effects {
		require.NotEqual(t, "process.exec", e.Effect)
	}

	found := refuse(t, strings.Replace(strings.Replace(proposing, "%s", "", 1), "budget: 4 USD", "budget: 11 USD", 1))
	require.Equal(t, "WF423", found[0].Code)
}

func TestPlannedNotifyAndChecks(t *testing.T) {
	p, _ := plan(t, headText+`tickets:
  x:
    role: w
    scope: ["a/**"]
    brief: hi
    deliver: merge
    notify: {run: mail me, network: [mail.example.com]}
    gates:
      - {name: up, check: http, url: "https://example.com/up"}
      - {name: cover, check: coverage_not_lower, run: make cover, paths: [cover.out]}
`)
	by := map[string][]string{}
	for _, e := range p.Effects {
		by[e.Effect] = append(by[e.Effect], e.By...)
	}
	require.Contains(t, by["network.egress"], "T-001/gate/up")
	require.Contains(t, by["network.egress"], "T-001/notify")
	require.Contains(t, by["process.exec"], "T-001/gate/cover")
	require.Contains(t, by["git.commit"], "T-001/deliver")
	require.Contains(t, p.Requirements, Requirement{Kind: "program", Name: "mail"})
	x := ticket(t, p, "x")
	require.Equal(t, []string{"blocked", "parked", "held", "done"}, x.Notify.On)
	require.Equal(t, int64(30), x.Notify.TimeoutSeconds)
}

// The language and the planner name the same effects.
func TestEffectsAreThoseOfTheLanguage(t *testing.T) {
	var names []string
	for _, e := range EffectList {
		names = append(names, e.Name)
	}
	require.Equal(t, names, dsl.Effects)
}
