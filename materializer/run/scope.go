package run

import (
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/glob"
	"github.com/seed9cc7a46e/wf/planner"
)

// writable lists the globs that a unit may change; nothing for a reading one.
func (n *node) writable(u UnitID) []string {
	if !n.unitWrites(u) {
		return nil
	}
	if st := n.stage(); st.Writes != writesScope && n.parent == nil {
		return st.WriteGlobs
	}
	return n.scope()
}

// scopeBreak says what a unit changed that it may not. Protected paths first:
// they are what a liar goes for. UNIT-15, EVID-08
func (n *node) scopeBreak(o Observed, plan *planner.Plan) string {
	if len(o.Outside) > 0 {
		return "links lead out of the worktree: " + quoteList(o.Outside)
	}
	if len(o.Changes) == 0 {
		return ""
	}
	if !n.unitWrites(n.Current.ID) {
		return "a unit that only reads changed " + quoteList(paths(o.Changes))
	}
	allowed := n.allowed()
	guarded, bad := glob.CompileSet(slices.Concat(plan.Protected, n.plan.Protect))
	lifted, badToo := glob.CompileSet(n.plan.MayChange)
	if bad != nil || badToo != nil {
		return "the plan's protected globs cannot be read"
	}
	var outside, touched []string
	for _, c := range o.Changes {
		if !lifted.Match(c.Path) && isProtected(c, guarded, plan.ProtectedExisting) {
			touched = append(touched, c.Path)
		} else if !allowed(c.Path) {
			outside = append(outside, c.Path)
		}
	}
	switch {
	case len(touched) > 0:
		return "protected: " + quoteList(touched)
	case len(outside) > 0:
		return "outside its scope: " + quoteList(outside)
	}
	return ""
}

// isProtected reports whether a change touches what is protected. Adding a file
// is free where only globs that protect existing files, tests, hold its path.
func isProtected(c Change, guarded glob.Set, existing []string) bool {
	for _, p := range guarded {
		if p.Match(c.Path) && (c.Kind != "added" || !slices.Contains(existing, p.String())) {
			return true
		}
	}
	return false
}

// allowed gives the test for a writable path: within the ticket's scope, its
// narrowing and the stage's own globs, each where there is one.
func (n *node) allowed() func(path string) bool {
	lists := [][]string{n.plan.Scope}
	if st := n.stage(); st.Writes != writesScope {
		lists = append(lists, st.WriteGlobs)
	}
	if n.parent != nil && len(n.plan.Narrow) > 0 {
		lists = append(lists, n.Narrow)
	}
	sets := make([]glob.Set, len(lists))
	for i, l := range lists {
		set, err := glob.CompileSet(l)
		if err != nil {
			return func(string) bool { return false }
		}
		sets[i] = set
	}
	return func(path string) bool {
		for _, set := range sets {
			if !set.Match(path) {
				return false
			}
		}
		return true
	}
}

func paths(changes []Change) []string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = c.Path
	}
	return out
}
