package planner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/planner/graph"
)

// link makes the graph of planned tickets: an edge between two declared ones
// becomes an edge between every child of the one and every child of the other.
func (m *maker) link() {
	edges := 0
	for _, e := range m.declared.graph.Edges() {
		edges += len(m.children[e.From]) * len(m.children[e.To])
		if edges > MaxEdges {
			m.find(codeTooLarge, e.Data.at, fmt.Sprintf("Fan-outs that wait for fan-outs make more than %d edges.", MaxEdges), "Put one ticket between the two.")
			return
		}
	}
	m.graph = graph.New[link](len(m.plan.Tickets))
	m.plan.Edges = make([]Edge, 0, edges)
	for _, e := range m.declared.graph.Edges() {
		for _, from := range m.children[e.From] {
			for _, to := range m.children[e.To] {
				m.graph.Add(from, to, e.Data)
			}
		}
	}
	m.order, _ = m.graph.Order()
	m.listEdges()
}

func (m *maker) listEdges() {
	edges := m.graph.Edges()
	slices.SortFunc(edges, func(a, b graph.Edge[link]) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	for _, e := range edges {
		m.plan.Edges = append(m.plan.Edges, Edge{
			From: m.plan.Tickets[e.From].ID, To: m.plan.Tickets[e.To].ID,
			Settled: e.Data.settled, Optional: e.Data.optional, Why: e.Data.why,
		})
	}
}

// skip carries "never runs" and "may not run" along strict edges. Out of a
// fan-out it carries only the second: other children could run.
func (m *maker) skip() {
	for _, to := range m.order {
		for _, from := range m.graph.Before(to) {
			e, _ := m.graph.Find(from, to)
			if e.settled || e.optional {
				continue
			}
			if m.wf.Tickets[m.shape[from].declared].FansOut() {
				m.shape[to].maybe = m.shape[to].maybe || m.shape[from].maybe || m.plan.Tickets[from].Skipped
				continue
			}
			m.plan.Tickets[to].Skipped = m.plan.Tickets[to].Skipped || m.plan.Tickets[from].Skipped
			m.shape[to].maybe = m.shape[to].maybe || m.shape[from].maybe
		}
	}
	never := map[int]bool{}
	for _, d := range m.declared.order {
		m.tellSkipped(d, never)
	}
}

// tellSkipped says of a declared ticket that none of it runs, and why: a
// constant condition is the author's mistake, one over inputs is an answer.
func (m *maker) tellSkipped(d int, never map[int]bool) {
	t := &m.wf.Tickets[d]
	for _, c := range m.children[d] {
		if !m.plan.Tickets[c].Skipped {
			return
		}
	}
	if len(m.children[d]) == 0 {
		return
	}
	for _, from := range m.declared.graph.Before(d) {
		if e, _ := m.declared.graph.Find(from, d); never[from] && !e.settled && !e.optional {
			never[d] = true
			m.find(codeNeverRuns, t.Range, fmt.Sprintf("%s needs %s, which can never run.", t.Name, m.wf.Tickets[from].Name), "Let it wait with until: settled, or take it out.")
			return
		}
	}
	if _, constant := t.When.Checked.Constant(); constant && t.When.Set {
		never[d] = true // the rules of the language have said so
		return
	}
	m.find(codeSkippedHere, t.Range, fmt.Sprintf("%s is skipped: its condition, or that of a ticket it needs, is false for these inputs.", t.Name), "")
}
