package lsp

import (
	"strings"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// expression is the ${{ }} around a place, in bytes of the document. One that
// is not closed yet ends at the place.
type expression struct{ open, from, to, end int }

// farthest bounds how far an expression is looked for.
const farthest = 4 << 10

// expressionAt finds the expression that a place is in.
func expressionAt(text string, offset int) (expression, bool) {
	low := max(0, offset-farthest)
	k := strings.LastIndex(text[low:offset], "${{")
	if k < 0 {
		return expression{}, false
	}
	e := expression{open: low + k, from: low + k + 3, to: offset, end: offset}
	if inside := text[e.from:offset]; strings.Contains(inside, "}}") || strings.Contains(inside, "\n\n") {
		return expression{}, false
	}
	rest := text[offset:min(len(text), offset+farthest)]
	if next := strings.Index(rest, "${{"); next >= 0 {
		rest = rest[:next]
	}
	if line, _, _ := strings.Cut(rest, "\n"); !strings.Contains(line, "}}") {
		rest = line // an expression over several lines is closed on each of them while it is typed
	}
	if k := strings.Index(rest, "}}"); k >= 0 {
		e.to, e.end = offset+k, offset+k+2
	}
	return e, true
}

// names is what an expression may use: the scope of its field.
type names struct {
	scope expr.Scope
	phase dsl.Phase
	p     place
	root  *syntax.Node
}

// namesAt reads the document as if the expression were finished, and gives the
// names that it may use.
func (s *server) namesAt(d *document, e expression) names {
	mended := newDocument(d.uri, d.root, d.path, d.version, d.text[:e.open]+"x"+d.text[e.end:], d.units)
	p, _ := placeAt(mended, e.open)
	n := names{p: p, phase: p.field.Phase, root: mended.parsed()}
	n.scope = scopeOf(s.workflowOf(mended), p.names["tickets"])
	return n
}

// largeText is from where on a document is not read again for one question;
// the last reading for its diagnostics serves.
const largeText = 512 << 10

func (s *server) workflowOf(d *document) *dsl.Workflow {
	if len(d.text) > largeText {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r := s.readings[d.uri]; r != nil {
			return r.workflow
		}
		return nil
	}
	v := s.viewOf(d)
	v.open[d.path] = d
	return verb.Check(d.path, v).Workflow
}

// scopeOf gives the names of a workflow as the fields of one of its tickets see
// them in a run; "" is outside of tickets.
func scopeOf(w *dsl.Workflow, ticket string) expr.Scope {
	scope := expr.Scope{Phase: expr.RunPhase, Taint: expr.Untrusted}
	if w == nil {
		return scope
	}
	for _, in := range w.Inputs {
		scope.Inputs = append(scope.Inputs, expr.Field{Name: in.Name, Type: in.Type})
	}
	for _, shape := range w.Shapes {
		if shape.Name != ticket {
			scope.Tickets = append(scope.Tickets, shape)
		}
	}
	for _, t := range w.Tickets {
		if t.Name != ticket {
			continue
		}
		scope.Each = t.Each
		if t.Matrix != nil {
			for _, axis := range t.Matrix.Axes {
				scope.Matrix = append(scope.Matrix, expr.Field{Name: axis.Name, Type: elementOf(axis.Values.Checked.Type)})
			}
		}
	}
	return scope
}

func elementOf(t expr.Type) expr.Type {
	if t.Elem == nil {
		return expr.Type{Kind: expr.JSON}
	}
	return *t.Elem
}

// typeOf gives the type of a finished expression; the zero Type where it has none.
func (n names) typeOf(text string) expr.Type {
	record := func(fields []expr.Field) expr.Type { return expr.Type{Kind: expr.Record, Fields: fields} }
	switch text {
	case "inputs":
		return record(n.scope.Inputs)
	case "matrix":
		return record(n.scope.Matrix)
	case "each":
		return record(n.eachFields())
	case "tickets":
		var fields []expr.Field
		for _, t := range n.scope.Tickets {
			fields = append(fields, expr.Field{Name: t.Name, Type: n.typeOf("tickets." + t.Name)})
		}
		return record(fields)
	}
	template, found := expr.Parse("${{ "+text+" }}", func(int, int) diag.Range { return diag.Range{} })
	if found.HasErrors() {
		return expr.Type{}
	}
	checked, found := template.Check(n.scope, expr.Type{})
	if found.HasErrors() {
		return expr.Type{}
	}
	return checked.Type
}

func (n names) eachFields() []expr.Field {
	if n.scope.Each == nil {
		return nil
	}
	fields := []expr.Field{{Name: "value", Type: n.scope.Each.Value}}
	if n.scope.Each.Key.Kind != 0 {
		fields = append(fields, expr.Field{Name: "key", Type: n.scope.Each.Key})
	}
	if n.scope.Each.Index {
		fields = append(fields, expr.Field{Name: "index", Type: expr.Type{Kind: expr.Int}})
	}
	return fields
}

// receiver gives the type of what a text of an expression ends with: of
// `any(tickets.change, .outputs` the outputs of an element.
func (n names) receiver(text string) expr.Type {
	chain := text[chainStart(text):]
	if !strings.HasPrefix(chain, ".") && chain != "" {
		return n.typeOf(strings.TrimSuffix(chain, "?"))
	}
	t := elementOf(n.typeOf(loopedOver(text)))
	for _, name := range strings.FieldsFunc(chain, func(r rune) bool { return r == '.' || r == '?' }) {
		t, _ = t.Field(name)
	}
	return t
}

// chainStart is where the chain of names, calls and brackets at the end of a text begins.
func chainStart(text string) int {
	i := len(text)
	for i > 0 {
		switch c := text[i-1]; {
		case c == ')' || c == ']':
			i = opening(text, i-1)
		case c == '.' || c == '?' && i < len(text) && text[i] == '.' || isNameByte(c):
			i--
		default:
			return i
		}
	}
	return 0
}

// opening is the place of the bracket that the one at i closes; 0 where there is none.
func opening(text string, i int) int {
	depth := 0
	for ; i > 0; i-- {
		switch text[i] {
		case ')', ']':
			depth++
		case '(', '[':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// loopedOver is the list of the call that a text ends in: the first argument
// of any(…, here.
func loopedOver(text string) string {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']':
			depth++
		case '(', '[':
			if depth--; depth < 0 {
				list, _, _ := strings.Cut(text[i+1:], ",")
				return strings.TrimSpace(list)
			}
		}
	}
	return ""
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// inText reports whether a text of an expression ends inside of quotes.
func inText(text string) bool {
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote != 0
}

// completeExpression offers names, functions and fields.
func (s *server) completeExpression(d *document, e expression, offset int) []completionItem {
	before := d.text[e.from:offset]
	if inText(before) {
		return nil
	}
	from, to := offset, offset
	for from > e.from && isNameByte(d.text[from-1]) {
		from--
	}
	for to < len(d.text) && isNameByte(d.text[to]) {
		to++
	}
	n, w := s.namesAt(d, e), word{d: d, from: from, to: to}
	before = d.text[e.from:from]
	if receiver, ok := strings.CutSuffix(before, "."); ok {
		return n.fields(strings.TrimSuffix(receiver, "?"), w)
	}
	return append(n.beginnings(w), functions(w)...)
}

// fields offers what a value has.
func (n names) fields(receiver string, w word) []completionItem {
	if receiver == "tickets" && n.phase != dsl.PhaseRun {
		return nil // what tickets deliver is not known when the plan is made
	}
	t := n.receiver(receiver)
	var out []completionItem
	for _, f := range t.Fields {
		out = append(out, w.item(itemField, f.Name, f.Name, f.Type.String(), ""))
	}
	return out
}

// beginnings offers the namespaces that the field's phase has.
func (n names) beginnings(w word) []completionItem {
	out := []completionItem{w.item(itemVariable, "inputs", "inputs", "namespace", "The values a plan is made for.")}
	if n.phase == dsl.PhaseRun {
		out = append(out, w.item(itemVariable, "tickets", "tickets", "namespace", "What other tickets came to: `.status` and `.outputs`."))
	}
	if n.scope.Each != nil {
		out = append(out, w.item(itemVariable, "each", "each", "namespace", "The entry of `for_each` at hand."))
	}
	if len(n.scope.Matrix) > 0 {
		out = append(out, w.item(itemVariable, "matrix", "matrix", "namespace", "The combination of `matrix` at hand."))
	}
	return out
}

func functions(w word) []completionItem {
	var out []completionItem
	for _, f := range expr.Functions() {
		out = append(out, w.item(itemFunction, f.Name, f.Name+"(", f.Signature, f.Doc+"\n\n`"+f.Example+"`"))
	}
	return out
}
