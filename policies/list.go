package policies

import (
	"cmp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Rule is one rule that wf asks, as `wf policy list` shows it.
type Rule struct {
	Layer       string
	Name        string // wf.width.warn
	Kind        string // deny, warn, ask, guard, except
	Title       string // from its METADATA, else the package's
	Description string
	File        string
	Line        int
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
		if l.findings.HasErrors() {
			continue
		}
		rules := []Rule{}
		for _, e := range l.entries {
			r := Rule{Layer: l.name, Name: e.name(), Kind: e.kind, File: e.file, Line: e.line}
			r.Title, r.Description = l.words(e)
			rules = append(rules, r)
		}
		slices.SortFunc(rules, func(a, b Rule) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
		out = append(out, rules...)
	}
	return out, findings.Sorted(), nil
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
