package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// ruleRoles: a role says its mode, and has at most three fallback models.
func ruleRoles(f *facts) diag.Findings {
	var out diag.Findings
	for _, r := range f.w.Roles {
		if !r.ModeSet {
			out = append(out, codeModeDefault.At(r.Range, fmt.Sprintf("role `%s` gets mode `chat`, which may change files and run commands.", r.Name), "Write `mode: chat`, or `mode: review` for one that only reads."))
		}
		if len(r.Fallback) > 3 {
			out = append(out, codeOutOfRange.At(r.Fallback[3].Range, fmt.Sprintf("role `%s` has %d fallback models; at most 3 are tried.", r.Name, len(r.Fallback)), "Remove the last ones."))
		}
	}
	return out
}

// readOnly reports whether the mode changes nothing in a worktree.
func readOnly(m Mode) bool { return m == Review || m == PlanMode || m == Orchestrate }

// changing are tools of the write tier and above, as agent programs name them.
var changing = []string{"Edit", "Write", "MultiEdit", "NotebookEdit", "Bash", "ApplyPatch", "Shell"}

// ruleTools: a read-only mode refuses tools that change something, also allowed ones.
func ruleTools(f *facts) diag.Findings {
	var out diag.Findings
	for _, r := range f.w.Roles {
		for _, s := range r.Allow {
			text, _ := s.Value.Str()
			tool, _, _ := strings.Cut(text, "(")
			if readOnly(r.Mode) && slices.Contains(changing, tool) {
				out = append(out, codeToolRefused.At(s.Range, fmt.Sprintf("role `%s` has mode `%s`, which refuses `%s`; the rule changes nothing.", r.Name, r.Mode, tool), "Remove the tool, or write `mode: chat`."))
			}
		}
	}
	return out
}

// adapters are the programs a role can be hired as.
var adapters = []string{"replay", "command", "claude", "codex", "gemini", "opencode"}

// adapter checks the name of an adapter in settings.
func (d *decoder) adapter(w word) bool {
	if slices.Contains(adapters, w.text) {
		return true
	}
	d.report(unknownWord(codeAdapter, w.text, w.at, fmt.Sprintf("There is no adapter `%s`.", w.text), adapters))
	return false
}

// ruleAdapters: a role's agent is one of the adapters.
func ruleAdapters(f *facts) diag.Findings {
	var out diag.Findings
	for _, r := range f.w.Roles {
		if text, ok := r.Agent.Value.Str(); r.Agent.Set && r.Agent.Known && ok && !slices.Contains(adapters, text) {
			out = append(out, unknownWord(codeAdapter, text, r.Agent.Range, fmt.Sprintf("There is no adapter `%s`.", text), adapters))
		}
	}
	return out
}

var hostName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:[0-9]{1,5})?$`)
})

// ruleNetwork: none, model and open stand alone; the rest are host names.
func ruleNetwork(f *facts) diag.Findings {
	var out diag.Findings
	for _, r := range f.w.Roles {
		out = append(out, networkFindings(r.Network)...)
	}
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		for _, g := range t.Checks() {
			out = append(out, networkFindings(g.Network)...)
		}
		if t.Notify != nil {
			out = append(out, networkFindings(t.Notify.Network)...)
		}
	}
	return out
}

func networkFindings(list []Scalar) diag.Findings {
	var out diag.Findings
	for _, s := range list {
		text, ok := s.Value.Str()
		switch {
		case !ok || !s.Known:
		case (text == "none" || text == "open") && len(list) > 1:
			out = append(out, codeExclusive.At(s.Range, fmt.Sprintf("`%s` and host names exclude each other.", text), "Keep one of them."))
		case !hostName().MatchString(text):
			out = append(out, codeValue.At(s.Range, fmt.Sprintf("`%s` is none of `none`, `model`, `open`, and no host name.", text), "Write a host name without `https://` and path."))
		}
	}
	return out
}
