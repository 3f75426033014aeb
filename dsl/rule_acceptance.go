package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// vagueWords are those of criteria that nobody can check (EVID-12).
var vagueWords = []string{"should work", "works", "is good", "looks good", "as expected", "properly", "appropriate", "reasonable", "correctly", "clean code", "high quality", "robust", "nice", "etc.", "and so on"}

// ruleAcceptance: each row says what is checked, and by what.
func ruleAcceptance(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		proofs := f.proofs(t)
		for _, a := range t.Acceptance {
			text := strings.ToLower(a.What.Template.Source())
			if i := slices.IndexFunc(vagueWords, func(v string) bool { return strings.Contains(text, v) }); i >= 0 {
				out = append(out, codeVague.At(a.What.Range, fmt.Sprintf("“%s” leaves open what is checked.", vagueWords[i]), "Say what can be seen: a command that exits 0, a file that exists, a text that is there."))
			}
			switch {
			case a.By == "" && a.ByRange == a.Range:
				out = append(out, codeUnproved.At(a.Range, "The row names nothing that checks it; the ticket could never close.", "Add `by:` with a gate or a verdict stage"+among(proofs)+"."))
			case a.By != "" && len(f.stages(t)) > 0 && !slices.Contains(proofs, a.By):
				out = append(out, unknownWord(codeUnknownProof, a.By, a.ByRange, fmt.Sprintf("`%s` is no gate of ticket `%s` and no verdict stage of its pipeline.", a.By, t.Name), proofs))
			case a.By != "" && f.neverBacks(t, a.By):
				out = append(out, codeNeverBacked.At(a.ByRange, fmt.Sprintf("no verdict of stage `%s` lets work pass as it is: each leads to a stage that writes, or to `park`. A row is backed by an accepting verdict on the commit that is delivered.", a.By), "Name a gate, or a verdict stage after the last stage that writes."))
			}
		}
	}
	return out
}

// neverBacks reports whether by names a verdict stage none of whose verdicts accepts.
func (f *facts) neverBacks(t *Ticket, by string) bool {
	stages := f.listed(t)
	i := slices.IndexFunc(stages, func(s Stage) bool { return s.Name == by && s.judging() })
	p := Pipeline{Name: t.Pipeline, Stages: stages}
	if i < 0 || slices.Contains(gateNames(t), by) || p.broken() {
		return false
	}
	return !slices.ContainsFunc(stages[i].Verdict, func(r Route) bool { return p.accepts(i, r) })
}

func among(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": " + joined(quoted(names))
}

// proofs are what an acceptance row of the ticket may name.
func (f *facts) proofs(t *Ticket) []string {
	var out []string
	for _, name := range gateNames(t) {
		if name != "" {
			out = append(out, name)
		}
	}
	for _, s := range f.listed(t) {
		if s.judging() && s.Name != "" {
			out = append(out, s.Name)
		}
	}
	return out
}
