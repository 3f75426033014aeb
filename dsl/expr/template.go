package expr

import (
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Template is a scalar of a workflow file: text with ${{ }} in it, or only text.
// The zero Template is the empty text.
type Template struct {
	source string
	parts  []part
	at     func(start, end int) diag.Range
	broken bool // Parse had errors
}

// part is a stretch of text, or one expression with its place in the source.
type part struct {
	text       string
	expression *expression
}

// Source gives the scalar as written; Reparse reads it back.
func (t Template) Source() string { return t.source }

// IsLiteral reports whether there is no expression in it.
func (t Template) IsLiteral() bool {
	for _, p := range t.parts {
		if p.expression != nil {
			return false
		}
	}
	return true
}

// IsExpr reports whether the scalar is one expression and nothing else, so that
// it keeps the expression's type.
func (t Template) IsExpr() bool { return len(t.parts) == 1 && t.parts[0].expression != nil }

// Literal gives the text of a template without expressions.
func (t Template) Literal() string {
	if !t.IsLiteral() {
		return ""
	}
	return t.source
}

// Checked is what Check learnt of a template.
type Checked struct {
	Type       Type        // of the value; string where expressions stand inside text
	Tainted    bool        // untrusted words may be in the value
	Refs       []Reference // tickets referred to, in the order written, each use once
	UsesInputs []string    // names, sorted
	UsesEach   bool
	UsesMatrix bool
	constant   *Value
}

// Reference is one use of a ticket, and so an edge of the graph.
type Reference struct {
	Ticket   string
	Output   string // empty where the whole ticket, or its status, is meant
	Optional bool   // a skipped ticket satisfies it: the value is guarded, or only the status is read
	Range    diag.Range
}

// Constant reports whether the value depends on no name, and gives it: a `when`
// that is constant is a mistake of its author.
func (c Checked) Constant() (Value, bool) {
	if c.constant == nil {
		return Value{}, false
	}
	return *c.constant, true
}
