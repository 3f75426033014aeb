package planner

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl"
)

func TestSketchOfAPlanAndOfItsWorkflow(t *testing.T) {
	req := request(t, changeable)
	whole, found := SketchWorkflow(req.Workflow)
	require.Empty(t, found)
	require.Len(t, whole.Nodes, 6)
	require.Equal(t, SketchNode{ID: "change", Address: "change", Title: "Change ${{ each.value }}", Kind: "work", FanOut: true, Max: "3", Stages: []string{"make", "qa", "judge"},
		Gates: []string{"tests", "words", "small"}, Writes: true, Critical: true}, whole.Nodes[1])
	require.Equal(t, []SketchEdge{{From: "scout", To: "change", Until: "done", Why: "needs", Critical: true}, {From: "change", To: "tell", Until: "settled", Why: "needs", Critical: true}}, whole.Edges)

	p, _ := plan(t, changeable)
	drawn := SketchPlan(p, "sha256:x")
	require.Len(t, drawn.Nodes, len(p.Tickets))
	require.Len(t, drawn.Edges, len(p.Edges))
	require.Equal(t, "change[*]", drawn.Nodes[1].Address)
	require.True(t, drawn.Nodes[5].Held)
}

func TestACircleIsDrawn(t *testing.T) {
	const text = `wf: 1
name: try
limits: {budget: 1 USD}
roles: {a: {mode: review, agent: replay, budget: 0.1 USD}}
tickets:
  one: {role: a, brief: x, needs: [three]}
  two: {role: a, brief: x, needs: [one, free]}
  three: {role: a, brief: x, needs: [two]}
  free: {role: a, brief: x}
`
	files := fstest.MapFS{workflowPath: {Data: []byte(text)}}
	w, _ := dsl.Load(workflowPath, files, dsl.Settings{})
	s, found := SketchWorkflow(w)
	require.Equal(t, []string{"WF405"}, codes(found))
	require.True(t, s.Cyclic)
	for _, e := range s.Edges {
		require.Equal(t, e.From != "free", e.Cycle, "%+v", e)
		require.False(t, e.Critical)
	}
}
