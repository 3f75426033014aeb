package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner/graph"
)

// link is what made an edge between two declared tickets.
type link struct {
	at                diag.Range
	settled, optional bool
	why               string // needs, reference
}

type ticketGraph = graph.Graph[link]

// declared is the graph of tickets as written: a fan-out is one vertex.
type declared struct {
	index map[string]int
	graph *ticketGraph
	order []int
}

// connect makes the graph of declared tickets out of needs and references, and
// shows every circle in it.
func (m *maker) connect() {
	d := declared{index: make(map[string]int, len(m.wf.Tickets)), graph: graph.New[link](len(m.wf.Tickets))}
	for i, t := range m.wf.Tickets {
		d.index[t.Name] = i
	}
	for i := range m.wf.Tickets {
		m.linkDeclared(d, i)
	}
	m.declared = d
	order, acyclic := d.graph.Order()
	if !acyclic {
		for _, c := range d.graph.Cycles() {
			m.cycle(c)
		}
		return
	}
	m.declared.order = order
}

// linkDeclared adds the edges into one ticket: its needs as they are written,
// then references to tickets it does not need anyway. A reference waits for
// done, or for skipped too where every use of it is guarded.
func (m *maker) linkDeclared(d declared, to int) {
	refs := m.wf.References(&m.wf.Tickets[to])
	strict := map[string]bool{}
	for _, r := range refs {
		strict[r.Ticket] = strict[r.Ticket] || !r.Need && !r.Optional
	}
	for _, r := range refs {
		from, ok := m.known(d, r.Ticket, r.Range)
		if !ok {
			continue
		}
		l := link{at: r.Range, optional: !strict[r.Ticket], why: "reference"}
		if r.Need {
			l = link{at: r.Range, settled: r.Settled, optional: r.Optional, why: "needs"}
		}
		d.graph.Add(from, to, l)
	}
}

func (m *maker) known(d declared, name string, at diag.Range) (int, bool) {
	i, ok := d.index[name]
	if !ok {
		names := make([]string, 0, len(d.index))
		for _, t := range m.wf.Tickets {
			names = append(names, t.Name)
		}
		m.find(codeNoTicket, at, fmt.Sprintf("There is no ticket %q.", name), whatTickets(name, sorted(names)))
	}
	return i, ok
}

func whatTickets(word string, names []string) string {
	if near := expr.Nearest(word, names); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return ""
}

// cycle shows one circle as a path, with the place of every edge.
func (m *maker) cycle(c graph.Cycle[link]) {
	names := make([]string, len(c.Vertices))
	for i, v := range c.Vertices {
		names[i] = m.wf.Tickets[v].Name
	}
	// An edge leads from what is waited for; people read it the other way round.
	slices.Reverse(names)
	var related []diag.Related
	for _, e := range slices.Backward(c.Edges) {
		waits, on := m.wf.Tickets[e.To].Name, m.wf.Tickets[e.From].Name
		how := "refers to"
		if e.Data.why == "needs" {
			how = "needs"
		}
		related = append(related, diag.Related{Range: e.Data.at, Message: fmt.Sprintf("%s %s %s", waits, how, on)})
	}
	detail := strings.Join(names, " → ") + ": each waits for the next, so none can start."
	if len(c.Edges) == 1 {
		detail = names[0] + " waits for itself, so it can never start."
	}
	m.find(codeCycle, related[0].Range, detail, "Take one of these edges out.", related[1:]...)
}

// imply notes needs that a longer path makes already. References are left
// alone: the author wrote a use, not an edge.
func (m *maker) imply() {
	for _, i := range m.declared.graph.Implied(m.declared.order) {
		e := m.declared.graph.Edge(i)
		if e.Data.why != "needs" || e.Data.settled {
			continue
		}
		m.find(codeImplied, e.Data.at, fmt.Sprintf("%s waits for %s anyway, through another ticket.", m.wf.Tickets[e.To].Name, m.wf.Tickets[e.From].Name), "Leave it out, or keep it for readers.")
	}
}
