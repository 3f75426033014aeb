package dsl

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// ruleStageGlobs: a stage's own globs narrow the ticket's scope; one that has no
// path in common with it lets the stage write nothing.
func ruleStageGlobs(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		stages := f.listed(t)
		if !slices.ContainsFunc(stages, func(s Stage) bool { return len(s.WriteGlobs) > 0 }) {
			continue
		}
		scope, ok := patterns(t.Scope)
		if !ok || len(scope) == 0 {
			continue
		}
		for _, s := range stages {
			for _, g := range s.WriteGlobs {
				own, ok := patterns([]Scalar{g})
				if !ok || slices.ContainsFunc(scope, func(p glob.Pattern) bool { _, both := glob.Intersects(p, own[0]); return both }) {
					continue
				}
				out = append(out, related(codeOutsideScope.At(g.Range, fmt.Sprintf("stage `%s` writes `%s`, and the scope of ticket `%s` has no such path.", s.Name, own[0], t.Name), "Widen the ticket's `scope`, or mend the glob."), t.Scope[0].Range, "the scope"))
			}
		}
	}
	return out
}

// patterns compiles globs; false where one is not known yet or cannot be read.
func patterns(globs []Scalar) ([]glob.Pattern, bool) {
	var out []glob.Pattern
	for i := range globs {
		text, ok := globs[i].Value.Str()
		p, err := glob.Compile(text)
		if !ok || !globs[i].Known || err != nil {
			return nil, false
		}
		out = append(out, p)
	}
	return out, true
}
