package policies

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Check compiles the layers and looks for what the compiler lets pass:
// comparisons that can never hold, data paths that do not exist, guard rules
// that no tool has, exceptions that cannot hold. A nil schema means InputSchema.
func Check(sources []LayerSource, schema []byte) (diag.Findings, error) {
	ctx, stop := context.WithTimeout(context.Background(), defaultTimeout)
	defer stop()
	layers, findings, err := compileWithin(ctx, sources, schema)
	if err != nil {
		return nil, err
	}
	for _, l := range layers {
		findings = append(findings, l.checkWords(ctx)...)
	}
	return once(findings.Sorted()), nil
}

// once keeps the first of findings that say the same in the same place.
func once(fs diag.Findings) diag.Findings {
	var out diag.Findings
	seen := map[string]bool{}
	for _, f := range fs {
		key := fmt.Sprintln(f.Code, f.Range, f.Detail)
		if !seen[key] {
			out = append(out, f)
		}
		seen[key] = true
	}
	return out
}

// checkWords looks at what guard and except say without a plan: the constants
// of their heads, and what they contain where they read no input at all.
func (l *layer) checkWords(ctx context.Context) diag.Findings {
	var out diag.Findings
	for _, e := range l.entries {
		out = append(out, l.checkWord(e, e.words["rule"])...)
		if until := e.words["until"]; e.kind == entryExcept && until != "" {
			if _, err := time.Parse(time.DateOnly, until); err != nil {
				out = append(out, codeShape.At(lineRange(e.file, e.line), fmt.Sprintf("`until` is %q, not a day such as 2027-01-31.", until), "Give the last day on which the exception holds."))
			}
		}
	}
	if l.findings.HasErrors() {
		return out
	}
	if len(l.entries) == 0 {
		return append(out, l.speechless())
	}
	answers, found := l.evaluate(ctx, ast.NewObject(), defaultMemory)
	if found.HasErrors() {
		return out // what fails without a plan may well hold with one
	}
	for _, a := range answers {
		if element, ok := a.value.(ast.Object); ok {
			if rule := element.Get(ast.StringTerm("rule")); rule != nil {
				out = append(out, l.checkWord(a.entry, nameOf(rule.Value))...)
			}
		}
	}
	return out
}

// checkWord judges the rule that a guard or an exception names.
func (l *layer) checkWord(e entry, rule string) diag.Findings {
	at := lineRange(e.file, e.line)
	switch {
	case rule == "":
	case e.kind == entryGuard:
		if f, wrong := guardFinding(rule, at); wrong {
			return diag.Findings{f}
		}
	case e.kind == entryExcept && strings.HasPrefix(rule, "wf.") && !l.owns(rule):
		return diag.Findings{l.foreign(rule, e)}
	case e.kind == entryExcept && l.hardAlone(rule):
		return diag.Findings{codeExceptHard.At(at, fmt.Sprintf("The exception to %s lifts nothing: all its rulings are hard.", rule), "Remove the exception, or make the rule soft in a change of its own.")}
	}
	return nil
}

// hardAlone reports whether every rule of that name or code is hard whatever the plan.
func (l *layer) hardAlone(rule string) bool {
	n := 0
	for _, e := range l.entries {
		if e.kind == entryGuard || e.kind == entryExcept || e.name() != rule && e.words["code"] != rule {
			continue
		}
		if e.words["level"] != "hard" {
			return false
		}
		n++
	}
	return n > 0
}
