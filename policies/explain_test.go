package policies

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/planner"
)

const told = `package wf.own

# METADATA
# title: Few may push
deny contains {"msg": sprintf("%s could push", [agent.name]), "code": "PUSH-1", "level": "hard", "node": agent.name} if {
	some agent in input.agents
	"git.push" in agent.effects
	not agent.role in data.pushers
}

warn contains {"msg": "wide", "code": code} if {
	code := sprintf("WIDE-%d", [input.bounds.agents.value])
	input.bounds.agents.value > 5
}
`

func explained(t *testing.T, plan *planner.Plan, name string) []Explanation {
	t.Helper()
	var doc []byte
	if plan != nil {
		doc = unjudged(t, plan)
	}
	out, findings, err := Explain(context.Background(), doc, []LayerSource{BuiltIn(), project(told, File{Path: "policies/pushers.json", Data: []byte(`["releaser"]`)})}, name)
	require.NoError(t, err)
	require.Empty(t, findings)
	return out
}

// A rule is told with its text, and with the parts of the plan that made it speak.
func TestExplain(t *testing.T) {
	plan := testPlan()
	plan.Agents = append(plan.Agents,
		planner.Agent{Name: "a@report", Role: "builder", Ticket: "T-002", Effects: []string{"fs.write", "git.push"}},
		planner.Agent{Name: "b@report", Role: "releaser", Ticket: "T-002", Effects: []string{"git.push"}})
	got := explained(t, plan, "PUSH-1")
	require.Len(t, got, 1)
	e := got[0]
	require.Equal(t, Rule{Layer: "project", Name: "wf.own.deny", Kind: "deny", Level: "hard", Code: "PUSH-1", Title: "Few may push", File: "policies/own.rego", Line: 5, Count: 1}, e.Rule)
	require.True(t, strings.HasPrefix(e.Text, "deny contains") && strings.HasSuffix(e.Text, "\n}"), e.Text)
	require.Len(t, e.Said, 1)
	require.Equal(t, "a@report could push", e.Said[0].Msg)
	require.Equal(t, "a@report", e.Said[0].Node)
	require.Contains(t, e.Said[0].Parts, Part{Line: 6, Path: "input.agents[1]", Value: "a@report"})
	require.Contains(t, e.Said[0].Parts, Part{Line: 7, Path: "input.agents[1].effects", Value: `["fs.write", "git.push"]`})
	require.Contains(t, e.Said[0].Parts, Part{Line: 8, Path: "data.pushers", Value: `["releaser"]`})
	require.Equal(t, []int{1, 3, 3, 2, 2, 1}, []int{e.Steps[0].Tried, e.Steps[0].Held, e.Steps[1].Tried, e.Steps[1].Held, e.Steps[2].Tried, e.Steps[2].Held})
	require.Equal(t, `"git.push" in agent.effects`, e.Steps[1].Text)
	require.Contains(t, e.Steps[2].Missed, Part{Line: 8, Path: "input.agents[2].role", Value: `"releaser"`})
}

func TestExplainByEveryName(t *testing.T) {
	for _, name := range []string{"wf.own.deny", "PUSH-1", "policies/own.rego:5"} {
		require.Len(t, explained(t, nil, name), 1, name)
	}
	for _, name := range []string{"wf.own", "own"} {
		require.Len(t, explained(t, nil, name), 2, name)
	}
	require.Empty(t, explained(t, nil, "WIDE-6"), "a computed code is known with a plan alone")
	plan := testPlan()
	plan.Bounds.Agents.Value = 6
	require.Len(t, explained(t, plan, "WIDE-6"), 1)
	require.Empty(t, explained(t, plan, "nowhere"))
	require.Len(t, explained(t, nil, "wf.audit.ask"), 1)
}

// What stopped a rule from speaking is told with what was there instead.
func TestExplainSilence(t *testing.T) {
	e := explained(t, testPlan(), "own")[0]
	require.Zero(t, e.Count)
	require.Equal(t, Step{Line: 7, Text: `"git.push" in agent.effects`, Tried: 1, Missed: []Part{{Line: 7, Path: "input.agents[0].effects", Value: `["fs.write"]`}}}, e.Steps[1])
	require.Zero(t, e.Steps[2].Tried)
}

// The author's own variables are told by the names they gave.
func TestExplainOwnNames(t *testing.T) {
	src := project("package wf.own\n\ndeny contains {\"msg\": \"x\"} if {\n\tn := count(input.agents)\n\tn > 2\n}\n")
	got, _, err := Explain(context.Background(), unjudged(t, testPlan()), []LayerSource{src}, "own")
	require.NoError(t, err)
	require.Equal(t, []Part{{Line: 5, Path: "n", Value: "1"}}, got[0].Steps[1].Missed)
}

// Counts are those of the judgement.
func TestTally(t *testing.T) {
	plan := testPlan()
	sources := []LayerSource{BuiltIn(), project(fourKinds)}
	rules, _, err := Tally(context.Background(), unjudged(t, plan), sources)
	require.NoError(t, err)
	j, _, err := judge(t, plan, Options{}, sources...)
	require.NoError(t, err)
	counts := map[string]int{}
	for _, r := range rules {
		counts[r.Kind] += r.Count
	}
	require.Equal(t, []int{len(j.Denials), len(j.Warns), len(j.Asks), len(j.Guards)}, []int{counts["deny"], counts["warn"], counts["ask"], counts["guard"]})
	_, findings, err := Tally(context.Background(), unjudged(t, plan), []LayerSource{project("package wf.own\n\ndeny contains {\"msg\": \"x\"} if {\n\tto_number(input.repository) > 1\n}\n")})
	require.ErrorIs(t, err, ErrUnevaluated)
	require.Equal(t, []string{"WF509"}, codesOf(findings))
}
