package policies

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Rule is one rule that wf asks, as `wf policy list` shows it.
type Rule struct {
	Layer       string `json:"layer"`
	Base        bool   `json:"base"`  // as the base commit has it, where that differs
	Name        string `json:"rule"`  // wf.width.warn
	Kind        string `json:"kind"`  // deny, warn, ask, guard, except
	Level       string `json:"level"` // of deny, warn, ask: hard, soft, or varies
	Code        string `json:"code"`  // where it is the same for every plan
	From        string `json:"from"`  // of ask: the group, where it is the same for every plan
	Title       string `json:"title"` // from its METADATA, else the package's
	Description string `json:"description"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Count       int    `json:"count"` // how often it speaks in the plan; guard: rules it gives
}

// List gives the entry rules of the layers, outermost layer first, by file and
// line. Rules of a layer with findings are left out.
func List(sources []LayerSource) ([]Rule, diag.Findings, error) {
	layers, findings, err := compileAll(sources, nil)
	if err != nil {
		return nil, nil, err
	}
	var out []Rule
	for _, l := range layers {
		if !l.findings.HasErrors() {
			out = append(out, l.list(func(int) int { return 0 })...)
		}
	}
	return out, findings.Sorted(), nil
}

// Tally is List with the count of what each rule says about a plan, before
// exceptions. What keeps a policy from deciding is a finding with ErrUnevaluated.
func Tally(ctx context.Context, planJSON []byte, sources []LayerSource) ([]Rule, diag.Findings, error) {
	ctx, stop := context.WithTimeout(ctx, timeoutFor(planJSON))
	defer stop()
	input, err := readInput(planJSON)
	if err != nil {
		return nil, nil, err
	}
	layers, findings, err := compileWithin(ctx, sources, nil)
	if err != nil || findings.HasErrors() {
		_, findings, err = unevaluated(findings, err)
		return nil, findings, err
	}
	var out []Rule
	for _, l := range layers {
		answers, found := l.evaluate(ctx, input, defaultMemory)
		if found.HasErrors() {
			return nil, found.Sorted(), ErrUnevaluated
		}
		counts := map[int]int{}
		for _, a := range answers {
			counts[a.at]++
		}
		out = append(out, l.list(func(at int) int { return counts[at] })...)
	}
	return out, findings.Sorted(), nil
}

func (l *layer) list(count func(int) int) []Rule {
	rules := []Rule{}
	for i, e := range l.entries {
		r := Rule{Layer: l.name, Base: l.base, Name: e.name(), Kind: e.kind, Level: e.level(), Code: e.words["code"], From: e.words["from"], File: e.file, Line: e.line, Count: count(i)}
		r.Title, r.Description = l.words(e)
		rules = append(rules, r)
	}
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	return rules
}

// level is what the rule's rulings have as their level.
func (e entry) level() string {
	text, stated := e.words["level"]
	switch {
	case e.kind == entryGuard || e.kind == entryExcept:
		return ""
	case !stated && e.words != nil:
		return "soft"
	case text == "":
		return "varies"
	}
	return text
}

// words finds the METADATA above the rule, and what it leaves out in the package's.
func (l *layer) words(e entry) (title, description string) {
	var rule, pkg ast.Annotations
	for _, a := range l.modules[e.file].Annotations {
		switch end := a.EndLoc(); {
		case a.Scope == "package" || a.Scope == "subpackages":
			pkg = *a
		case end != nil && end.Row == e.line-1:
			rule = *a
		}
	}
	return cmp.Or(rule.Title, pkg.Title), cmp.Or(rule.Description, pkg.Description)
}
