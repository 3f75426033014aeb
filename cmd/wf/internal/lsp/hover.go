package lsp

import (
	"fmt"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// hover says what stands at a place: a field with its meaning, a name with its
// declaration, a value of an expression with its type; nil where there is
// nothing to say.
func hover(s *server, d *document, offset int) any {
	if e, ok := expressionAt(d.text, offset); ok {
		return s.hoverExpression(d, e, offset)
	}
	p, ok := placeAt(d, offset)
	if !ok {
		return nil
	}
	if p.onKey && p.upWant == object && p.field.Name == p.key.Value {
		text := fmt.Sprintf("**%s**", p.key.Value)
		if kind := kindOf(p.field); kind != "" {
			text += ": `" + kind + "`"
		}
		return said(d, p.key.Range.Start.Offset, p.key.Range.End.Offset, text+"\n\n"+fieldText(p.field))
	}
	if p.onKey {
		return nil
	}
	from, to := p.node.Range.Start.Offset, p.node.Range.End.Offset
	word := p.node.Value
	if p.subject() == "types" {
		from, to = wordAround(d.text, offset)
		word = d.text[from:to]
	}
	for _, c := range candidates(d.parsed(), p) {
		if c.name.Value == word {
			return said(d, from, to, "```yaml\n"+excerpt(d, c)+"\n```")
		}
	}
	if p.want == value && len(p.field.Words) > 0 {
		return said(d, from, to, fieldText(p.field))
	}
	return nil
}

func said(d *document, from, to int, text string) any {
	return hoverResult{markup{"markdown", text}, d.span(from, to)}
}

// maxExcerpt is how many lines of a declaration are shown.
const maxExcerpt = 12

// excerpt is the text of a declaration, without its indentation.
func excerpt(d *document, c part) string {
	start := d.lines[d.position(min(c.name.Range.Start.Offset, c.node.Range.Start.Offset)).Line]
	end := max(c.node.Range.End.Offset, c.name.Range.End.Offset)
	lines := strings.Split(strings.TrimRight(d.text[start:end], " \r\n"), "\n")
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], " "))
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = line[min(indent, len(line)-len(strings.TrimLeft(line, " "))):]
	}
	if len(lines) > maxExcerpt {
		lines = append(lines[:maxExcerpt], "…")
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "```", "` ` `")
}

// hoverExpression says what a name of an expression is.
func (s *server) hoverExpression(d *document, e expression, offset int) any {
	from, to, ok := nameAround(d.text, e, offset)
	if !ok || inText(d.text[e.from:from]) {
		return nil
	}
	name := d.text[from:to]
	if strings.HasPrefix(d.text[to:], "(") {
		for _, f := range expr.Functions() {
			if f.Name == name {
				return said(d, from, to, "`"+f.Signature+"`\n\n"+f.Doc+"\n\n`"+f.Example+"`")
			}
		}
		return nil
	}
	n := s.namesAt(d, e)
	text := d.text[e.from:to]
	t := n.receiver(text)
	if t.Kind == 0 {
		return nil
	}
	chain := strings.TrimSpace(text[chainStart(text):])
	return said(d, from, to, fmt.Sprintf("`%s`: `%s`%s", chain, t, fieldsText(t)))
}

// fieldsText lists the fields of a record, so that its name says something.
func fieldsText(t expr.Type) string {
	if t.Elem != nil {
		t = *t.Elem
	}
	if len(t.Fields) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	for _, f := range t.Fields {
		fmt.Fprintf(&b, "\n- `%s`: `%s`", f.Name, f.Type)
	}
	return b.String()
}

// nameAround is the name at a place of an expression.
func nameAround(text string, e expression, offset int) (from, to int, ok bool) {
	from, to = offset, offset
	for from > e.from && isNameByte(text[from-1]) {
		from--
	}
	for to < len(text) && isNameByte(text[to]) {
		to++
	}
	return from, to, to > from
}
