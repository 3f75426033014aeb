package planner

import (
	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Sketch is what a picture of a workflow or a plan shows: its tickets, and what
// waits for what. It is the document that `wf graph --format json` writes.
type Sketch struct {
	Format      int          `json:"graph"`
	Workflow    string       `json:"workflow"`
	Description string       `json:"description,omitempty"`
	Plan        string       `json:"plan,omitempty"` // digest, where a plan is drawn and not a file
	Run         string       `json:"run,omitempty"`  // where the states of a run are drawn
	Nodes       []SketchNode `json:"nodes"`
	Edges       []SketchEdge `json:"edges"`
	Cyclic      bool         `json:"cyclic"`
}

// SketchNode is a ticket. Of a workflow its ID is its name; of a plan T-002.
type SketchNode struct {
	ID       string   `json:"id"`
	Address  string   `json:"address"`
	Title    string   `json:"title,omitempty"`
	Kind     string   `json:"kind" enum:"work,review,proposal,deliberation,workflow"`
	FanOut   bool     `json:"fanOut"`        // one for each entry of a list
	Max      string   `json:"max,omitempty"` // of a fan-out, as it is written
	Stages   []string `json:"stages"`
	Gates    []string `json:"gates"`
	Writes   bool     `json:"writes"`
	Held     bool     `json:"held"`
	Skipped  bool     `json:"skipped"`
	Critical bool     `json:"critical"`         // on the longest way
	Units    int      `json:"units,omitempty"`  // of a plan: sessions at most
	Status   string   `json:"status,omitempty"` // of a run
	Reason   string   `json:"reason,omitempty"` // of a run: why it waits for a person
}

// SketchEdge says that To waits for From.
type SketchEdge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Until string `json:"until" enum:"done,done or skipped,settled"`
	Why   string `json:"why" enum:"needs,reference"`
	Cycle bool   `json:"cycle"` // one of those that close a circle
	// Critical: a step of the longest way.
	Critical bool `json:"critical"`
}

// SketchPlan draws the tickets of a plan.
func SketchPlan(p *Plan, digest string) Sketch {
	out := Sketch{Format: 1, Workflow: p.Workflow.Name, Description: p.Workflow.Description, Plan: digest, Nodes: []SketchNode{}, Edges: []SketchEdge{}}
	for _, t := range p.Tickets {
		n := SketchNode{
			ID: t.ID, Address: t.Address, Title: t.Title, Kind: "work", Stages: []string{}, Gates: []string{}, Writes: t.Writes(),
			Held: t.Hold, Skipped: t.Skipped, Units: t.MaxUnits,
		}
		if t.FanOut != nil {
			n.FanOut, n.Max = true, digits(t.FanOut.Max)
		}
		n.Stages, n.Gates = append(n.Stages, stageNames(&t)...), append(n.Gates, gateNames(&t)...)
		out.Nodes = append(out.Nodes, n)
	}
	for _, e := range p.Edges {
		out.Edges = append(out.Edges, SketchEdge{From: e.From, To: e.To, Until: until(e.Settled, e.Optional), Why: e.Why})
	}
	out.mark(p.Bounds.CriticalPath)
	return out
}

// mark says of tickets and edges that they are on the longest way.
func (s *Sketch) mark(path []string) {
	at := make(map[string]int, len(path))
	for i, id := range path {
		at[id] = i + 1
	}
	for i := range s.Nodes {
		s.Nodes[i].Critical = at[s.Nodes[i].ID] > 0
	}
	for i, e := range s.Edges {
		s.Edges[i].Critical = at[e.From] > 0 && at[e.To] == at[e.From]+1
	}
}

func until(settled, optional bool) string {
	switch {
	case settled:
		return "settled"
	case optional:
		return "done or skipped"
	}
	return "done"
}

// SketchWorkflow draws a workflow as it is written, a fan-out as one node. It
// needs no inputs, and draws one whose tickets wait for each other in a circle:
// what is wrong is in the findings.
func SketchWorkflow(w *dsl.Workflow) (Sketch, diag.Findings) {
	m := &maker{wf: w, plan: &Plan{}}
	m.connect()
	out := Sketch{Format: 1, Workflow: w.Name, Description: w.Description, Nodes: []SketchNode{}, Edges: []SketchEdge{}}
	for _, t := range w.Tickets {
		n := SketchNode{ID: t.Name, Address: t.Name, Kind: orWord(t.Kind, "work"), FanOut: t.FansOut(), Held: t.Hold, Stages: []string{}, Gates: []string{}}
		if t.Title.Set {
			n.Title = t.Title.Template.Source()
		}
		if t.Max.Set {
			n.Max = t.Max.Template.Source()
		}
		for _, s := range w.Stages(&t) {
			n.Stages = append(n.Stages, s.Name)
			n.Writes = n.Writes || s.Writes != dsl.WritesNone
		}
		for _, g := range t.Gates {
			n.Gates = append(n.Gates, g.Name)
		}
		out.Nodes = append(out.Nodes, n)
	}
	circle := m.circles()
	for i, e := range m.declared.graph.Edges() {
		out.Edges = append(out.Edges, SketchEdge{
			From: w.Tickets[e.From].Name, To: w.Tickets[e.To].Name,
			Until: until(e.Data.settled, e.Data.optional), Why: e.Data.why, Cycle: circle[i],
		})
		out.Cyclic = out.Cyclic || circle[i]
	}
	if !out.Cyclic {
		m.markLongest(&out)
	}
	return out, m.found.Sorted()
}

// circles says of each edge whether it is one of a circle that is told.
func (m *maker) circles() map[int]bool {
	g := m.declared.graph
	on := map[[2]int]bool{}
	for _, c := range g.Cycles() {
		for _, e := range c.Edges {
			on[[2]int{e.From, e.To}] = true
		}
	}
	out := map[int]bool{}
	for i, e := range g.Edges() {
		out[i] = on[[2]int{e.From, e.To}]
	}
	return out
}

func (m *maker) markLongest(s *Sketch) {
	var path []string
	for _, v := range m.declared.graph.Critical(m.declared.order, func(v int) int64 { return int64(len(s.Nodes[v].Stages)) }).Path {
		path = append(path, s.Nodes[v].ID)
	}
	s.mark(path)
}
