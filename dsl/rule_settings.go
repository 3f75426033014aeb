package dsl

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// ruleSettings: a role names only models, adapters and hosts that settings allow.
func ruleSettings(f *facts) diag.Findings {
	var out diag.Findings
	for _, r := range f.w.Roles {
		out = append(out, allowedOnly(f.s.ModelsSet, f.s.Models, "model", append([]Scalar{r.Model}, r.Fallback...))...)
		out = append(out, allowedOnly(f.s.AgentsSet, f.s.Agents, "adapter", []Scalar{r.Agent})...)
		hosts := slices.DeleteFunc(slices.Clone(r.Network), func(s Scalar) bool {
			text, _ := s.Value.Str()
			return text == "none" || text == "model"
		})
		out = append(out, allowedOnly(f.s.NetworkSet, f.s.Network, "host", hosts)...)
	}
	return out
}

func allowedOnly(set bool, allowed []string, what string, values []Scalar) diag.Findings {
	var out diag.Findings
	for _, s := range values {
		text, ok := s.Value.Str()
		if !set || !s.Set || !ok || slices.Contains(allowed, text) {
			continue
		}
		hint := "The settings allow none."
		if len(allowed) > 0 {
			hint = "The settings allow " + joined(quoted(allowed)) + "."
		}
		out = append(out, codeNarrowed.At(s.Range, fmt.Sprintf("wf.yaml does not allow the %s `%s`.", what, text), hint))
	}
	return out
}
