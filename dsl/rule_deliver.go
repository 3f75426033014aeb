package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// ruleDeliver: a branch is delivered of a ticket that writes, or of what it waits for.
func ruleDeliver(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if t.Deliver == "" || len(f.stages(t)) == 0 || f.writes(t) || len(f.w.References(t)) > 0 {
			continue
		}
		out = append(out, codeNothingToSend.At(t.Range, fmt.Sprintf("ticket `%s` has `deliver: %s`, writes nothing and waits for nothing.", t.Name, t.Deliver), "Add `needs:` with the tickets whose work it delivers."))
	}
	return out
}

// ruleTitled: a pull request has the title and the body that the ticket delivers.
func ruleTitled(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if t.Deliver != "pull_request" {
			continue
		}
		var missing []string
		for _, name := range []string{"title", "body"} {
			if !slices.ContainsFunc(t.Outputs, func(o OutputField) bool { return o.Name == name && o.Type.Kind.Textual() && !o.Type.Optional }) {
				missing = append(missing, "`"+name+"`")
			}
		}
		if len(missing) > 0 {
			out = append(out, codeNoTitle.At(t.Range, fmt.Sprintf("ticket `%s` has `deliver: pull_request` and no output %s of type string.", t.Name, strings.Join(missing, " and ")), "Add `outputs: {title: {type: string, max_length: 72}, body: string}`."))
		}
	}
	return out
}

// ruleDelivers: outputs are delivered by a stage that works; one that judges delivers a verdict.
func ruleDelivers(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		works := func(s Stage) bool { return !s.judging() }
		if stages := f.listed(t); len(t.Outputs) > 0 && len(stages) > 0 && !slices.ContainsFunc(stages, works) {
			out = append(out, codeNoOutputsWriter.At(t.Outputs[0].Range, fmt.Sprintf("every stage of ticket `%s` judges; nobody delivers `%s`.", t.Name, t.Outputs[0].Name), "Add a stage without `verdict`."))
		}
	}
	return out
}
