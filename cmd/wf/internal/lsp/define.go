package lsp

import (
	"path"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// define gives the places where what stands at a place is declared.
func define(s *server, d *document, offset int) any {
	out := []location{}
	if e, ok := expressionAt(d.text, offset); ok {
		for _, n := range s.declarations(d, e, offset) {
			out = append(out, location{d.uri, d.span(n.Range.Start.Offset, n.Range.End.Offset)})
		}
		return out
	}
	p, ok := placeAt(d, offset)
	if !ok || p.onKey {
		return out
	}
	if p.subject() == "files" {
		return append(out, s.fileNamed(d, p.node.Value)...)
	}
	word := p.node.Value
	if p.subject() == "types" {
		from, to := wordAround(d.text, offset)
		word = d.text[from:to]
	}
	for _, c := range candidates(d.parsed(), p) {
		if c.name.Value == word {
			out = append(out, location{d.uri, d.span(c.name.Range.Start.Offset, c.name.Range.End.Offset)})
		}
	}
	return out
}

// fileNamed finds the file that a role or an include names: by its path, or by
// the name of an agent definition in the nearest .claude/agents.
func (s *server) fileNamed(d *document, name string) []location {
	v := s.viewOf(d)
	folder := dsl.Folder(d.path)
	tries := []string{path.Join(folder, name)}
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") { // an include, from where the file is
		tries = []string{path.Join(path.Dir(d.path), name), tries[0]}
	}
	if !strings.ContainsAny(name, "/.") {
		for at := folder; ; at = path.Dir(at) {
			tries = append(tries, path.Join(at, ".claude/agents", name+".md"))
			if at == "" || at == "." {
				break
			}
		}
	}
	for _, file := range tries {
		if strings.HasPrefix(file, "../") {
			continue
		}
		if _, err := v.ReadFile(file); err == nil {
			return []location{{v.uriOf(file), span{}}}
		}
	}
	return nil
}

// declarations are the nodes that declare the name at a place of an expression.
func (s *server) declarations(d *document, e expression, offset int) []*syntax.Node {
	from, to, ok := nameAround(d.text, e, offset)
	if !ok || inText(d.text[e.from:from]) {
		return nil
	}
	text := d.text[e.from:to]
	chain := strings.FieldsFunc(text[chainStart(text):], func(r rune) bool { return r == '.' || r == '?' })
	if len(chain) == 0 {
		return nil
	}
	root := d.parsed()
	name := chain[len(chain)-1]
	switch {
	case strings.HasPrefix(text[chainStart(text):], "."):
		if chain = strings.Split(loopedOver(text), "."); len(chain) > 1 && chain[0] == "tickets" {
			return outputOf(root, chain[1], name)
		}
	case chain[0] == "inputs" && len(chain) == 2:
		return keyOf(root.Get("inputs"), name)
	case chain[0] == "tickets" && len(chain) == 2:
		return keyOf(root.Get("tickets"), name)
	case chain[0] == "tickets" && len(chain) == 4 && chain[2] == "outputs":
		return outputOf(root, chain[1], name)
	}
	return s.declaredElsewhere(d, e, chain)
}

// declaredElsewhere finds fields of records and axes of a matrix.
func (s *server) declaredElsewhere(d *document, e expression, chain []string) []*syntax.Node {
	if len(chain) < 2 {
		return nil
	}
	n := s.namesAt(d, e)
	name := chain[len(chain)-1]
	root := d.parsed()
	ticket, _ := declaredAs(root, "tickets", n.p.names["tickets"])
	if chain[0] == "matrix" {
		return keyOf(ticket.Value.Get("matrix"), name)
	}
	if slices.Equal(chain, []string{"each", "value"}) {
		return keyOf(ticket.Value, "for_each")
	}
	record := n.typeOf(strings.Join(chain[:len(chain)-1], "."))
	return keyOf(root.Get("types").Get(record.Name).Get("fields"), name)
}

func outputOf(root *syntax.Node, ticket, name string) []*syntax.Node {
	e, _ := declaredAs(root, "tickets", ticket)
	return keyOf(e.Value.Get("outputs"), name)
}

// keyOf is the key of a name in a mapping, as a list of at most one.
func keyOf(n *syntax.Node, name string) []*syntax.Node {
	if n == nil {
		return nil
	}
	for _, e := range n.Entries {
		if e.Key.Value == name {
			return []*syntax.Node{e.Key}
		}
	}
	return nil
}
