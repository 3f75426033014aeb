package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

var codeNoUnit = diag.Define("WF182", diag.Error, "replay script names a unit that the workflow has not")

// Tickets are the names of a workflow that a script can speak of: for each
// ticket its stages, and the roles that diagnose a refusal before them.
type Tickets map[string][]string

// Unknown finds selectors that fit no unit of the workflow: at run time they
// would leave a unit without its steps, after others have worked. near gives the
// name an author probably meant, or nothing.
func (s Script) Unknown(known Tickets, near func(word string, candidates []string) string) diag.Findings {
	var names []string
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	var out diag.Findings
	for _, e := range s.entries {
		ticket := withoutKeys(e.address)
		parts, ok := known[ticket]
		if _, whole := known[ticket+"."+e.part]; whole {
			continue // a ticket of an included workflow
		}
		switch {
		case !ok:
			out = append(out, noUnit(e, fmt.Sprintf("There is no ticket `%s`.", ticket), "ticket", near(ticket, names), names))
		case e.part != "" && !slices.Contains(parts, e.part):
			out = append(out, noUnit(e, fmt.Sprintf("Ticket `%s` has no stage `%s`, and no role of that name diagnoses its refusals.", ticket, e.part), "part", near(e.part, parts), parts))
		}
	}
	return out
}

func noUnit(e entry, detail, what, near string, all []string) diag.Finding {
	hint := "there are: " + strings.Join(all, ", ")
	if near != "" {
		hint = fmt.Sprintf("did you mean the %s `%s`?", what, near)
	}
	return codeNoUnit.At(e.at, detail, hint)
}
