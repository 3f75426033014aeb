package planner

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// limit notes what an included workflow may use. Its limits tighten those of the
// run: they hold for its own tickets, and its tickets count for the run as well.
func (p *place) limit(t *dsl.Ticket, sub *place, vars expr.Vars) {
	m, l := p.m, sub.wf.Limits
	in := Include{Address: strings.TrimSuffix(sub.prefix, "."), Path: sub.wf.File, Tickets: []string{}}
	budget, _ := m.money(sub.scalar(l.Budget), m.vars)
	if own, set := m.money(t.Budget, vars); set {
		budget = min(budget, own)
	}
	in.Budget = Money(sub.lower("budget", int64(budget)))
	whole := func(name string, s dsl.Scalar, fallback int) int {
		return int(sub.lower(name, int64(m.whole(sub.scalar(s), m.vars, fallback))))
	}
	in.Units = m.whole(sub.scalar(l.Units), m.vars, 0)
	if top, ok := capOf(sub.wf.Settings, "units"); ok && (in.Units == 0 || top < int64(in.Units)) {
		in.Units = int(top)
	}
	in.Concurrency = whole("concurrency", l.Concurrency, math.MaxInt32)
	if !l.Concurrency.Set {
		in.Concurrency = int(sub.lower("concurrency", math.MaxInt32))
	}
	in.Bounces = whole("bounces", l.Bounces, defaultBounces)
	in.Retries = whole("retries", l.Retries, defaultRetries)
	in.Children = whole("children", l.Children, defaultChildren)
	for _, s := range []struct {
		name string
		set  dsl.Scalar
	}{{"depth", l.Depth}, {"timeout", l.Timeout}, {"width", l.Width}} {
		if s.set.Set {
			m.find(codeIncludeLimit, s.set.Range, fmt.Sprintf("`limits.%s` of %s: of a run there is one, that of %s.", s.name, sub.wf.File, m.req.Workflow.File), "")
		}
	}
	if in.Concurrency == math.MaxInt32 {
		in.Concurrency = 0
	}
	m.plan.Includes = append(m.plan.Includes, in)
}

// lower applies the settings that hold for an included workflow.
func (p *place) lower(name string, value int64) int64 {
	if top, ok := capOf(p.wf.Settings, name); ok {
		return min(value, top)
	}
	return value
}

// settings are the planned workflow's, tightened where they hold for the whole
// run: what is protected, and the floor of the sandbox.
func (p *place) settings() dsl.Settings {
	s := p.wf.Settings
	for _, subs := range p.below {
		for _, sub := range subs {
			by := sub.settings()
			s.Protect = sorted(slices.Compact(sorted(slices.Concat(s.Protect, by.Protect))))
			if s.Sandbox == "" || by.Sandbox == floorLandlock {
				s.Sandbox = orWord(by.Sandbox, s.Sandbox)
			}
		}
	}
	return s
}

// listIncluded says which planned tickets each include stands for.
func (m *maker) listIncluded() {
	if len(m.plan.Includes) == 0 {
		return
	}
	m.limits = make([][]int, len(m.plan.Tickets))
	at := make(map[string]int, len(m.plan.Includes))
	for i := range m.plan.Includes {
		at[m.plan.Includes[i].Address] = i
	}
	for k := range m.plan.Tickets {
		t := &m.plan.Tickets[k]
		for _, prefix := range prefixes(t.Name) {
			if i, ok := at[prefix]; ok {
				m.plan.Includes[i].Tickets = append(m.plan.Includes[i].Tickets, t.ID)
				m.limits[k] = append(m.limits[k], i)
			}
		}
	}
}

// prefixes gives the beginnings of an address before each of its dots: of
// sub["a.b"].inner.change also those inside the key, which name no include.
func prefixes(name string) []string {
	var out []string
	for i := range name {
		if name[i] == '.' {
			out = append(out, name[:i])
		}
	}
	return out
}

// limitsOf is Plan.LimitsOf while planning.
func (m *maker) limitsOf(t *Ticket) Limits {
	l := m.plan.Limits
	if m.limits == nil {
		return l
	}
	for _, i := range m.limits[m.indexOf[t.ID]] {
		l.Bounces, l.Retries = min(l.Bounces, m.plan.Includes[i].Bounces), min(l.Retries, m.plan.Includes[i].Retries)
	}
	return l
}

// otherFile is the file of an included ticket.
func (m *maker) otherFile(t *dsl.Ticket) string {
	if t.Range.File == m.wf.File {
		return ""
	}
	return t.Range.File
}

// childrenOf is the most live subagents that a role's workflow allows.
func (m *maker) childrenOf(r dsl.Role) int {
	most := m.plan.Limits.Children
	for _, in := range m.plan.Includes {
		if strings.HasPrefix(r.Name, in.Address+".") {
			most = min(most, in.Children)
		}
	}
	return most
}

// includesDiff lists workflows that are included or no longer, and their limits.
func includesDiff(old, new *Plan) (out []Delta) {
	both(old.Includes, new.Includes, func(i Include) string { return i.Address }, func(name string, a, b *Include) {
		const kind = "included workflow"
		switch {
		case a == nil:
			out = append(out, Delta{Sign: "+", Kind: kind, Name: name, New: b.Path})
		case b == nil:
			out = append(out, Delta{Sign: "-", Kind: kind, Name: name, Old: a.Path})
		default:
			out = append(out, word(kind, name, "file", a.Path, b.Path, false)...)
			out = append(out, number(kind, name, "budget", a.Budget, b.Budget, true, amount)...)
			out = append(out, number(kind, name, "units", unbounded(a.Units), unbounded(b.Units), true, orRuns)...)
			out = append(out, number(kind, name, "concurrency", unbounded(a.Concurrency), unbounded(b.Concurrency), true, orRuns)...)
			out = append(out, number(kind, name, "bounces", a.Bounces, b.Bounces, true, digits)...)
			out = append(out, number(kind, name, "retries", a.Retries, b.Retries, true, digits)...)
			out = append(out, number(kind, name, "children", a.Children, b.Children, true, digits)...)
		}
	})
	return out
}

// unbounded orders a limit of an included workflow that is not set: the run's.
func unbounded(n int) int {
	if n == 0 {
		return math.MaxInt
	}
	return n
}

func orRuns(n int) string {
	if n == math.MaxInt {
		return "the run's"
	}
	return digits(n)
}
