package verb

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/report"
	"github.com/seed9cc7a46e/wf/planner"
)

// Graphed is a workflow, a plan or a run to be drawn.
type Graphed struct {
	Sketch   planner.Sketch
	Findings diag.Findings // of a workflow: what is wrong with it; it is drawn all the same
	Sources  Sources
}

// Graph sketches what a person names: a workflow as it is written, or a plan file.
func Graph(ctx context.Context, e Env, name string) (Graphed, error) {
	if IsPlanFile(e, name) {
		file, err := ReadPlan(e, name)
		if err != nil && (file.Plan == nil || file.Plan.Workflow.Name == "") {
			return Graphed{}, err
		}
		return Graphed{Sketch: planner.SketchPlan(file.Plan, file.Digest)}, nil
	}
	p, err := e.project(ctx)
	if err != nil {
		return Graphed{}, err
	}
	file, err := p.find(name)
	if err != nil {
		return Graphed{}, err
	}
	l := p.load(file)
	if l.workflow == nil {
		return Graphed{}, &Refusal{Findings: l.findings, Sources: l.sources, Exit: ExitFailure}
	}
	sketch, findings := planner.SketchWorkflow(l.workflow)
	out := Graphed{Sketch: sketch, Sources: l.sources}
	for _, f := range append(l.findings, findings...) {
		if f.Severity == diag.Error {
			out.Findings = append(out.Findings, f)
		}
	}
	out.Findings = out.Findings.Sorted()
	return out, nil
}

// GraphRun sketches the plan of a run, with the status of every ticket.
func GraphRun(ctx context.Context, e Env, id string) (Graphed, error) {
	return withRun(ctx, e, id, func(_ *project, _ *statedir.Dir, o *opened) (Graphed, error) {
		r := report.Of(o.state)
		sketch := planner.SketchPlan(o.plan, r.Plan)
		sketch.Run = o.dir.ID
		at := make(map[string]int, len(sketch.Nodes))
		for i, n := range sketch.Nodes {
			at[n.ID] = i
		}
		children := map[string][]report.Ticket{}
		for _, t := range r.Tickets {
			if i, ok := at[t.ID]; ok {
				sketch.Nodes[i].Status, sketch.Nodes[i].Reason = string(t.Status), t.Reason
				continue
			}
			parent, _, _ := strings.Cut(t.ID, ".")
			children[parent] = append(children[parent], t)
		}
		for i := range sketch.Nodes {
			ofChildren(&sketch.Nodes[i], children[sketch.Nodes[i].ID])
		}
		return Graphed{Sketch: sketch}, nil
	})
}

// ofChildren gives a fan-out the status of the child that needs a person most:
// the report lists them in that order.
func ofChildren(n *planner.SketchNode, children []report.Ticket) {
	if len(children) == 0 {
		return
	}
	count := map[run.Status]int{}
	var order []run.Status
	for _, c := range children {
		if count[c.Status] == 0 {
			order = append(order, c.Status)
		}
		count[c.Status]++
	}
	var parts []string
	for _, s := range order {
		parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
	}
	n.Status, n.Reason = string(order[0]), strings.Join(parts, ", ")
}
