package dsl

import (
	"regexp"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// scopes gives the fields of one place (the workflow, a ticket) their scopes;
// fields of one class share one.
type scopes struct {
	names expr.Scope
	made  map[scopeClass]*expr.Scope
}

type scopeClass struct {
	phase  expr.Phase
	taint  expr.Taint
	escape bool
}

func newScopes(names expr.Scope) *scopes {
	return &scopes{names: names, made: map[scopeClass]*expr.Scope{}}
}

// of gives the scope of a field.
func (s *scopes) of(f FieldDoc) *expr.Scope {
	class := classOf(f)
	if have, ok := s.made[class]; ok {
		return have
	}
	scope := s.names
	scope.Phase, scope.Taint, scope.EscapeGlobs = class.phase, class.taint, class.escape
	s.made[class] = &scope
	return &scope
}

func classOf(f FieldDoc) scopeClass {
	c := scopeClass{phase: expr.PlanPhase, taint: expr.Clean, escape: f.Type == "glob"}
	if f.Phase == PhaseRun {
		c.phase = expr.RunPhase
	}
	switch f.Taint {
	case TaintPath:
		c.taint = expr.CleanPath
	case TaintUntrusted:
		c.taint = expr.Untrusted
	}
	return c
}

// workflowScopes serve what stands outside of tickets.
func (d *decoder) workflowScopes() *scopes {
	return newScopes(expr.Scope{Inputs: d.inputs, Secrets: d.secrets, Tickets: d.shapes}.Indexed())
}

var (
	ticketUse = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\btickets\s*(?:\??\.\s*|\[\s*["'])([A-Za-z_][A-Za-z0-9_-]*)`)
	})
	inputUse = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\binputs\s*(?:\??\.\s*|\[\s*["'])([A-Za-z_][A-Za-z0-9_-]*)`)
	})
	eachWord   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\beach\b`) })
	ticketWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\btickets\b`) })
)

// mentioned lists the inputs and tickets that a text names, as far as reading without parsing can tell.
func mentioned(text string) []string {
	var out []string
	for _, use := range []*regexp.Regexp{ticketUse(), inputUse()} {
		for _, m := range use.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	return out
}
