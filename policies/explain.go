package policies

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Explanation is one rule told for a reader, and with a plan what it found there.
type Explanation struct {
	Rule
	Text  string `json:"text"`  // the rule's lines as its author wrote them
	Said  []Said `json:"said"`  // what it says about the plan, capped; Count has the number
	Steps []Step `json:"steps"` // its conditions in order, each with how often it held
}

// Said is one element of what a rule says.
type Said struct {
	Msg   string `json:"msg"`
	Code  string `json:"code,omitempty"`
	Level string `json:"level,omitempty"`
	Node  string `json:"node,omitempty"`
	From  string `json:"from,omitempty"`
	Guard string `json:"guard,omitempty"` // of guard and except: the rule that is named
	Parts []Part `json:"parts"`           // of the plan and of data that made it say so
}

// Part is one place that a condition looked at.
type Part struct {
	Line  int    `json:"line"`  // of the condition
	Path  string `json:"path"`  // input.effects[3].effect
	Value string `json:"value"` // as JSON where it is short, what it is called where it is an object, else ""
}

// Step is one condition of the rule.
type Step struct {
	Line   int    `json:"line"`
	Text   string `json:"text"`
	Tried  int    `json:"tried"`
	Held   int    `json:"held"`
	Missed []Part `json:"missed"` // where it did not hold: some of what it looked at
}

// Most of what an Explanation holds of one kind.
const (
	mostSaid   = 20
	mostMissed = 3
)

// Explain tells the rules that name fits: a rule (wf.width.warn), a package
// (wf.width, width), the code of a ruling, or FILE:LINE. planJSON may be nil; then only
// the rules are told. What keeps a policy from deciding is a finding with
// ErrUnevaluated.
func Explain(ctx context.Context, planJSON []byte, sources []LayerSource, name string) ([]Explanation, diag.Findings, error) {
	ctx, stop := context.WithTimeout(ctx, timeoutFor(planJSON))
	defer stop()
	layers, findings, err := compileWithin(ctx, sources, nil)
	if err == nil && findings.HasErrors() {
		_, findings, err = unevaluated(findings, nil)
	}
	if err != nil {
		return nil, findings, err
	}
	var input ast.Value
	if planJSON != nil {
		if input, err = readInput(planJSON); err != nil {
			return nil, nil, err
		}
	}
	var out []Explanation
	for _, l := range layers {
		for _, r := range l.list(func(at int) int { return at }) { // the count is filled in below
			told, fits, err := l.explain(ctx, r, input, name)
			if err != nil {
				return nil, diag.Findings{l.stopped(err)}, ErrUnevaluated
			}
			if fits {
				out = append(out, told)
			}
		}
	}
	return out, findings.Sorted(), nil
}

// explain tells the rule whose Count is its place among the layer's entries.
func (l *layer) explain(ctx context.Context, r Rule, input ast.Value, name string) (Explanation, bool, error) {
	e := l.entries[r.Count]
	told := Explanation{Rule: r}
	told.Count = 0
	fits := named(e, name)
	code, stated := e.words["code"]
	byPlan := input != nil && code == "" && (stated || e.words == nil) // its code is known with its rulings
	if !fits && !byPlan {
		return told, false, nil
	}
	written := l.written(e)
	told.Text = written.text
	if input == nil {
		for _, c := range written.conditions {
			told.Steps = append(told.Steps, Step{Line: c.row, Text: c.text})
		}
		return told, fits, nil
	}
	t := newTracer(l.copyOf(e), input, l)
	if _, err := l.ask(ctx, ast.NewBody(ast.Equality.Expr(ast.VarTerm(resultVar), ast.NewTerm(e.asked))), input, defaultMemory, t); err != nil {
		return told, false, err
	}
	told.Count, told.Said = len(t.said), firstOf(t.said, mostSaid)
	told.Steps = t.steps(written.conditions)
	fits = fits || slices.ContainsFunc(t.said, func(s Said) bool { return s.Code == name })
	return told, fits, nil
}

func firstOf[T any](list []T, most int) []T { return list[:min(len(list), most)] }

func named(e entry, name string) bool {
	place := e.file + ":" + itoa(e.line)
	return slices.Contains([]string{e.name(), e.pkg, strings.TrimPrefix(e.pkg, "wf."), place}, name) || name != "" && e.words["code"] == name
}

// source is a rule as its author wrote it.
type source struct {
	text       string
	conditions []condition
}

func (l *layer) written(e entry) source {
	i := slices.IndexFunc(l.files, func(f File) bool { return f.Path == e.file })
	m, err := parseModule(l.files[i])
	if err != nil || m == nil {
		return source{} // it was parsed before
	}
	for _, r := range m.Rules {
		if r.Location.Row == e.line {
			lines := bytes.Split(l.files[i].Data, []byte("\n"))
			text := bytes.Join(lines[e.line-1:min(lastRow(r), len(lines))], []byte("\n"))
			return source{text: string(text) + closing(string(text), lines, lastRow(r)), conditions: conditions(r)}
		}
	}
	return source{}
}

// closing is the brace that ends a body and stands on a line of its own.
func closing(text string, lines [][]byte, last int) string {
	if last < len(lines) && strings.TrimSpace(string(lines[last])) == "}" && strings.Count(text, "{") > strings.Count(text, "}") {
		return "\n" + string(lines[last])
	}
	return ""
}

// copyOf finds the compiled copy by which an entry rule is asked.
func (l *layer) copyOf(e entry) *ast.Rule {
	name := nameOf(e.asked[len(e.asked)-1].Value)
	for _, file := range slices.Sorted(maps.Keys(l.modules)) {
		for _, r := range l.modules[file].Rules {
			if nameOf(r.Head.Ref()[0].Value) == name && file == e.file {
				return r
			}
		}
	}
	return nil
}
