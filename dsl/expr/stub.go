package expr

import (
	"errors"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

type expression struct{}

var errNotYet = errors.New("not built yet")

// Parse splits a scalar into text and expressions and parses these. at maps byte
// offsets of text to a range of the file. Every expression is tried; the template
// of a scalar with findings may not be checked.
func Parse(text string, at func(start, end int) diag.Range) (Template, diag.Findings) {
	return Template{source: text, at: at, parts: []part{{text: text}}}, nil
}

// Reparse reads a template back from its source.
func Reparse(text string) (Template, error) {
	t, _ := Parse(text, nil)
	return t, nil
}

// Check types the template for a scope. want.Kind == 0 means "infer".
func (t Template) Check(scope Scope, want Type) (Checked, diag.Findings) {
	return Checked{Type: want}, nil
}

// Constant reports whether the value depends on no name, and gives it.
func (c Checked) Constant() (Value, bool) { return Value{}, false }

// Program is a template bound to a scope and a wanted type, ready to evaluate.
type Program struct{}

// Compile binds the source of a template to a scope and the type that is wanted.
func Compile(text string, scope Scope, want Type) (*Program, error) { return nil, errNotYet }

// Eval gives the value for vars.
func (p *Program) Eval(vars Vars) (Value, error) { return Value{}, errNotYet }

// Eval evaluates the template with types inferred from the values alone.
func (t Template) Eval(vars Vars) (Value, error) { return Value{}, errNotYet }
