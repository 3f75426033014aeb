package dsl

import (
	"fmt"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// ruleTicketDoer: a ticket has a role or a pipeline, and they exist.
func ruleTicketDoer(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		switch {
		case t.Kind == KindReview || t.Kind != "" && t.Kind != KindProposal:
			continue
		case t.Kind == KindProposal:
			if t.Role == "" && t.RoleRange == t.Range {
				out = append(out, codeNobody.At(t.Range, fmt.Sprintf("ticket `%s` is a proposal and has no `role` that proposes.", t.Name), "Add `role:` with a role of `mode: plan` or `mode: orchestrate`."))
			}
		case t.Role != "" && t.Pipeline != "":
			out = append(out, related(codeExclusive.At(t.RoleRange, fmt.Sprintf("ticket `%s` has `role` and `pipeline`; the pipeline's stages have their own roles.", t.Name), "Remove one of them."), t.PipelineRange, "the pipeline"))
		case t.Role == "" && t.Pipeline == "" && t.RoleRange == t.Range && t.PipelineRange == t.Range:
			out = append(out, codeNobody.At(t.Range, fmt.Sprintf("ticket `%s` has neither `role` nor `pipeline`.", t.Name), "Add `role:` for one stage, or `pipeline:`."))
		}
		out = append(out, f.unknownRole(t.Role, t.RoleRange)...)
		if _, ok := f.pipelines[t.Pipeline]; !ok && t.Pipeline != "" {
			out = append(out, f.unknownPipeline(t.Pipeline, t.PipelineRange)...)
		}
	}
	return out
}
