package dsl

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// ruleScope: what writes has a scope, and narrow has one to narrow.
func ruleScope(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if len(t.Narrow) > 0 && len(t.Scope) == 0 {
			out = append(out, codeNarrowNoScope.At(t.Narrow[0].Range, fmt.Sprintf("`narrow` of ticket `%s` shrinks a `scope` that is not there.", t.Name), "Add `scope:`, the ceiling that is approved."))
			continue
		}
		if len(t.Scope) > 0 {
			continue
		}
		stages := f.stages(t)
		if i := slices.IndexFunc(stages, Stage.writing); i >= 0 {
			s := stages[i]
			out = append(out, related(codeNoScope.At(t.Range, fmt.Sprintf("ticket `%s` has no `scope`, and stage `%s` of its pipeline writes.", t.Name, s.Name), "Add `scope:` with globs, as in `scope: [\"src/**\"]`."), s.Range, "the stage that writes"))
		}
	}
	return out
}
