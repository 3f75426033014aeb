package policies_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/planfile"
	"github.com/seed9cc7a46e/wf/policies"
)

const feature = `wf: 1
name: ship-feature
inputs:
  goal: {type: string, default: Build it}
limits:
  budget: 40 USD
  width: small
roles:
  architect: {mode: plan, agent: replay, budget: 1 USD}
  builder: {mode: chat, agent: replay, budget: 1 USD}
  tester: {mode: review, agent: replay, budget: 1 USD}
pipelines:
  build:
    - {stage: implement, role: builder, writes: scope}
    - {stage: qa, role: tester, verdict: {PASS: done, FAIL: implement}}
tickets:
  survey:
    role: architect
    brief: "Split ${{ inputs.goal }}"
    outputs:
      areas: {type: "list<slug>", max_items: 4}
  change:
    for_each: ${{ tickets.survey.outputs.areas }}
    key: ${{ each.value }}
    max: 4
    pipeline: build
    scope: ["src/**"]
    brief: Build ${{ each.value }}.
    acceptance:
      - {what: The tests pass, by: tests}
    gates:
      - {name: tests, run: go test ./..., min_tests: 1}
    outputs:
      summary: {type: string, max_length: 200}
`

// A plan as the planner makes it goes through the built-in layer, and a
// project's rule points at the ticket's line of the workflow.
func TestRealPlan(t *testing.T) {
	files := fstest.MapFS{"workflows/ship-feature.wf.yaml": {Data: []byte(feature)}}
	settings, _ := dsl.LoadSettings("workflows/ship-feature.wf.yaml", files)
	w, found := dsl.Load("workflows/ship-feature.wf.yaml", files, settings)
	require.False(t, found.HasErrors(), "%v", found)
	plan, found := planner.Make(planner.Request{Workflow: w, Base: planner.Base{Commit: strings.Repeat("a", 40), Date: "2027-01-01T00:00:00Z"}, Repository: "repo"})
	require.False(t, found.HasErrors(), "%v", found)
	doc, err := planfile.Unjudged(plan)
	require.NoError(t, err)

	own := policies.LayerSource{Name: policies.LayerProject, Files: []policies.File{{Path: "policies/own.rego", Data: []byte(`package wf.own

deny contains {"msg": "every writer is judged by another vendor", "node": t.address} if {
	some t in input.tickets
	some s in t.stages
	s.writes != "none"
}
`)}}}
	j, findings, err := policies.Judge(context.Background(), doc, plan, []policies.LayerSource{policies.BuiltIn(), own}, policies.Options{})
	require.NoError(t, err, "%v", findings)
	require.Len(t, j.Denials, 1, "%v", findings)
	require.Equal(t, "wf.own.deny", j.Denials[0].Rule)
	require.Empty(t, j.Asks)
	line := 1 + strings.Count(feature[:strings.Index(feature, "  change:")], "\n")
	for _, f := range findings {
		if f.Code == "WF520" {
			require.Equal(t, line, f.Range.Start.Line)
		}
	}
}
