package dsl

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// ruleNeeds: tickets that are waited for exist and are others, each once.
func ruleNeeds(f *facts) diag.Findings {
	var out diag.Findings
	var known []string
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		known = append(known, t.Name)
	}
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		for i, n := range t.Needs {
			_, ok := f.tickets[n.Ticket]
			first := slices.IndexFunc(t.Needs, func(o Need) bool { return o.Ticket == n.Ticket })
			switch {
			case n.Ticket == t.Name:
				out = append(out, codeNeedsItself.At(n.Range, fmt.Sprintf("ticket `%s` would wait for itself for ever.", t.Name), "Remove it."))
			case !ok:
				out = append(out, f.mixedUp(unknownWord(codeUnknownTicket, n.Ticket, n.Range, fmt.Sprintf("No ticket `%s` is declared under `tickets:`.", n.Ticket), others(known, t.Name)), n.Ticket, "ticket"))
			case first < i:
				out = append(out, related(codeTwiceNeed.At(n.Range, fmt.Sprintf("ticket `%s` is already waited for.", n.Ticket), "Remove one."), t.Needs[first].Range, "the first"))
			}
		}
		out = append(out, selfReferences(t)...)
	}
	return out
}

// others are the names without one's own.
func others(names []string, own string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == own })
}

func selfReferences(t *Ticket) diag.Findings {
	var out diag.Findings
	t.visit(func(field string, s *Scalar) {
		for _, r := range s.Checked.Refs {
			if r.Ticket == t.Name {
				out = append(out, codeNeedsItself.At(r.Range, fmt.Sprintf("`%s` of ticket `%s` uses what the ticket itself will deliver.", field, t.Name), "Use another ticket."))
			}
		}
	})
	return out
}
