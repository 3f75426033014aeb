package planner

import (
	"fmt"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/glob"
	"github.com/seed9cc7a46e/wf/planner/graph"
)

// shownConflicts is the most pairs a plan lists; their number is always whole.
const shownConflicts = 20

// conflict finds tickets that can run at the same time and may write the same
// path. They are not wrong: their branches are merged one after the other, and a
// conflict parks or goes to a role. But people want to know before.
func (m *maker) conflict() {
	patterns := patterns{}
	c := m.graph.Conflicts(m.order, m.scopes(patterns), shownConflicts, patterns.intersect)
	m.plan.Conflicts = Conflicts{Total: c.Total, Exact: c.Exact, Pairs: []Conflict{}}
	for _, p := range c.Pairs {
		m.plan.Conflicts.Pairs = append(m.plan.Conflicts.Pairs, Conflict{
			A: m.plan.Tickets[p.A].ID, B: m.plan.Tickets[p.B].ID, Witness: m.tracked(patterns, p),
		})
	}
	if c.Total > 0 {
		m.tellConflict(c)
	}
}

func (m *maker) tellConflict(c graph.Conflicts) {
	a, b := m.plan.Tickets[c.Pairs[0].A], m.plan.Tickets[c.Pairs[0].B]
	who := fmt.Sprintf("%s and %s", a.Address, b.Address)
	if a.ID == b.ID {
		who = "two tickets of " + a.Address
	}
	how := "1 pair"
	if c.Total > 1 {
		how = fmt.Sprintf("%d pairs", c.Total)
	}
	if !c.Exact {
		how = "at least " + how
	}
	at, other := m.scopeAt(c.Pairs[0].A), m.scopeAt(c.Pairs[0].B)
	var related []diag.Related
	if a.ID != b.ID {
		related = []diag.Related{{Range: other, Message: "the other scope"}}
	}
	m.find(codeConflict, at, fmt.Sprintf("%s may both write %s (%s in all).", who, m.plan.Conflicts.Pairs[0].Witness, how), "Part their scopes, narrow them by what each works on, or let one need the other.", related...)
}

func (m *maker) scopeAt(v int) diag.Range {
	t := m.wf.Tickets[m.shape[v].declared]
	if len(t.Scope) > 0 {
		return t.Scope[0].Range
	}
	return t.Range
}

// scopes gives what each ticket that can run may write: the approved ceiling, or
// less where narrow: is known now and lies within it. Children of a template
// that is not narrowed meet each other.
func (m *maker) scopes(patterns patterns) []graph.Scope {
	var out []graph.Scope
	for v := range m.plan.Tickets {
		t := &m.plan.Tickets[v]
		if t.Skipped || !t.Writes() {
			continue
		}
		globs := writable(t)
		if narrow := m.narrowed(v, patterns); narrow != nil {
			globs = narrow
		}
		out = append(out, graph.Scope{Vertex: v, Globs: globs, Many: m.shape[v].most > 1 && len(t.Narrow) == 0})
	}
	return out
}

func writable(t *Ticket) []string {
	var own []string
	for _, s := range t.Stages {
		if s.Writes == string(dsl.WritesScope) {
			return t.Scope
		}
		own = append(own, s.WriteGlobs...)
	}
	return own
}

func (m *maker) narrowed(v int, patterns patterns) []string {
	t := &m.plan.Tickets[v]
	if t.FanOut != nil || len(t.Narrow) == 0 {
		return nil
	}
	vars := m.vars
	vars.EachKey, vars.EachValue, vars.Matrix = keyValue(t), t.Each, t.Matrix
	var out []string
	for _, s := range m.wf.Tickets[m.shape[v].declared].Narrow {
		if len(s.Checked.Refs) > 0 {
			return nil
		}
		out = append(out, m.globs(m.words(s, vars))...)
	}
	for _, g := range out {
		if !patterns.within(g, t.Scope) {
			return nil
		}
	}
	return out
}

// tracked prefers a path that exists to one that could.
func (m *maker) tracked(patterns patterns, c graph.Conflict) string {
	a, b := patterns.set(writable(&m.plan.Tickets[c.A])), patterns.set(writable(&m.plan.Tickets[c.B]))
	for _, path := range m.req.Tracked {
		if a.Match(path) && b.Match(path) {
			return path
		}
	}
	return c.Witness
}

// patterns are the compiled globs of a plan, each compiled once. One that does
// not compile matches nothing here; the rules of the language have refused it.
type patterns map[string]glob.Pattern

func (p patterns) get(text string) glob.Pattern {
	known, ok := p[text]
	if !ok {
		known, _ = glob.Compile(text)
		p[text] = known
	}
	return known
}

func (p patterns) set(texts []string) glob.Set {
	out := make(glob.Set, len(texts))
	for i, t := range texts {
		out[i] = p.get(t)
	}
	return out
}

func (p patterns) intersect(a, b string) (string, bool) { return glob.Intersects(p.get(a), p.get(b)) }

func (p patterns) within(inner string, outer []string) bool {
	for _, o := range outer {
		if glob.Within(p.get(inner), p.get(o)) {
			return true
		}
	}
	return false
}
