package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner/graph"
)

// How a bound is kept. The runner itself enforces what it counts; what a program
// reports is metered; what only the program can keep is declared.
const (
	enforced = "enforced"
	metered  = "metered"
	declares = "declared"
)

// bound computes what the run can use at most, at least, and without a refusal.
func (m *maker) bound() {
	b := &m.plan.Bounds
	m.boundUnits(b)
	m.boundMoney(b)
	chain := m.graph.Antichain(m.order, m.atOnce)
	m.boundWidth(b, chain)
	critical := m.graph.Critical(m.order, func(v int) int64 { return longest(&m.plan.Tickets[v]) })
	b.CriticalPath, b.CriticalUnits = m.ids(critical.Path), int(critical.Weight)
	l := m.plan.Limits
	b.Depth = Bound{int64(l.Depth), declares}
	b.Children = Bound{int64(l.Children), declares}
	b.Seconds = Bound{l.TimeoutSeconds, enforced}
	b.Disk = Bound{m.disk(), declares}
	m.checkWidth(b, chain)
}

// disk is one worktree for each ticket that writes.
func (m *maker) disk() (sum int64) {
	for i, t := range m.plan.Tickets {
		if t.Writes() && !t.Skipped {
			sum = plus(sum, times(m.req.Bytes, int64(m.shape[i].most)))
		}
	}
	return sum
}

// atOnce is the number of sessions a ticket can have at the same time: one, or
// its reviewers, or what it proposes; as often as a template has children.
func (m *maker) atOnce(v int) int64 {
	if m.plan.Tickets[v].Skipped {
		return 0
	}
	return times(int64(m.shape[v].most), broadest(&m.plan.Tickets[v]))
}

func (m *maker) boundUnits(b *Bounds) {
	units, tickets, agents := int64(0), int64(0), int64(0)
	for i, t := range m.plan.Tickets {
		units = plus(units, int64(t.MaxUnits))
		tickets = plus(tickets, int64(m.shape[i].most))
		b.UnitsLeast += m.leastOf(i) * m.leastUnits(&t)
	}
	for i, a := range m.plan.Agents {
		if i > 0 && a.proposed() && m.plan.Agents[i-1].proposed() && m.plan.Agents[i-1].Ticket == a.Ticket {
			continue // they share the units of one proposal, and each hires one agent
		}
		agents = plus(agents, int64(a.Count))
	}
	l := &m.plan.Limits
	from := origin(l.Units > 0)
	if l.Units == 0 {
		l.Units, from = int(units), "computed" // as many as could ever be started
	}
	l.Units = int(m.lower("units", int64(l.Units), from))
	b.Units = Bound{min(units, int64(l.Units)), enforced}
	b.Tickets, b.Agents = Bound{tickets, enforced}, Bound{agents, enforced}
	if b.UnitsLeast > l.Units {
		m.find(codeLeastUnits, at(m.wf.Limits.Units, m.wf.Limits.Range), fmt.Sprintf("Without any refusal the tickets need %d units; the limit is %d.", b.UnitsLeast, l.Units), "Raise limits.units, or take out tickets or stages.")
	}
}

func at(s dsl.Scalar, other diag.Range) diag.Range {
	if s.Set {
		return s.Range
	}
	return other
}

// leastOf is the number of children a ticket has at least, none where a run may skip it.
func (m *maker) leastOf(i int) int {
	if m.shape[i].maybe || m.plan.Tickets[i].Skipped {
		return 0
	}
	return m.shape[i].least
}

// leastStages is the number of stages up to the first that can end the ticket.
func (m *maker) leastStages(t Ticket) int {
	for i, s := range t.Stages {
		if slices.ContainsFunc(s.Verdicts, func(r Route) bool { return r.To == dsl.ToDone }) {
			return i + 1
		}
	}
	return len(t.Stages)
}

// leastUnits is the number of sessions of one child where nothing is refused and
// the first verdict that can end it does.
func (m *maker) leastUnits(t *Ticket) (n int) {
	stages := m.leastStages(*t)
	for _, s := range m.sessions(t) {
		if s.always && s.stage < stages {
			n++
		}
	}
	return n
}

func (m *maker) boundWidth(b *Bounds, chain graph.Antichain) {
	b.AtOnce = Bound{min(chain.Weight, int64(m.plan.Limits.Concurrency)), enforced}
	b.AtOnceExact = chain.Exact || chain.Weight == 0
	b.Widest = m.ids(chain.Widest)
}

func (m *maker) ids(vertices []int) []string {
	out := make([]string, 0, len(vertices))
	for _, v := range vertices {
		out = append(out, m.plan.Tickets[v].ID)
	}
	return out
}

// checkWidth speaks up where there are more agents than the guideline: with the
// widest place, and what makes it wide.
func (m *maker) checkWidth(b *Bounds, chain graph.Antichain) {
	l := m.plan.Limits
	if l.WidthAgents == 0 || b.Agents.Value < int64(l.WidthAgents) {
		return
	}
	detail := fmt.Sprintf("The run can hire %d agents; the guideline %s stands for fewer than %d. The widest place: %s.", b.Agents.Value, l.Width, l.WidthAgents, m.widest(chain.Widest))
	m.find(codeWidth, at(m.wf.Limits.Width, m.wf.Limits.Range), detail, m.narrower(b.Agents.Value))
}

// widest names the tickets of the widest place, those with the most sessions first.
func (m *maker) widest(vertices []int) string {
	byName := map[string]int64{}
	for _, v := range vertices {
		byName[m.plan.Tickets[v].Name] += m.atOnce(v)
	}
	names := m.byCount(byName)
	parts := make([]string, 0, 4)
	for i, n := range names {
		if i == 3 && len(names) > 4 {
			parts = append(parts, fmt.Sprintf("and %d others", len(names)-3))
			break
		}
		parts = append(parts, fmt.Sprintf("%s with %d at once", n, byName[n]))
	}
	return strings.Join(parts, ", ")
}

func (m *maker) byCount(count map[string]int64) []string {
	names := make([]string, 0, len(count))
	for _, t := range m.wf.Tickets {
		if count[t.Name] > 0 {
			names = append(names, t.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return names
}

// narrower says what to do about the ticket that hires most.
func (m *maker) narrower(agents int64) string {
	count := map[string]int64{}
	for _, a := range m.plan.Agents {
		count[m.plan.Tickets[m.indexOf[a.Ticket]].Name] += int64(a.Count)
	}
	names := m.byCount(count)
	if len(names) == 0 {
		return ""
	}
	t := &m.wf.Tickets[m.declared.index[names[0]]]
	how := "give it fewer stages with roles of their own"
	switch {
	case t.FansOut() && t.Max.Set:
		how = "lower its max"
	case t.FansOut():
		how = "give it a shorter list"
	}
	return fmt.Sprintf("%s hires %d of the %d: %s; or say width: %s.", t.Name, count[t.Name], agents, how, wideEnough(agents))
}

func wideEnough(agents int64) string {
	for _, w := range []string{"small", "medium", "large"} {
		if agents < int64(dsl.WidthAgents(w)) {
			return w
		}
	}
	return "unlimited"
}
