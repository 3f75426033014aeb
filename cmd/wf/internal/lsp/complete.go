package lsp

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// sentinel stands in for what is being typed, so that the tree has a node there
// whatever the line looked like before.
const sentinel = "wfCompletesHere"

// complete offers what may stand at a place.
func complete(s *server, d *document, offset int) any {
	list := completionList{Items: []completionItem{}}
	if e, ok := expressionAt(d.text, offset); ok {
		list.Items = append(list.Items, s.completeExpression(d, e, offset)...)
		return list
	}
	from, to := wordAround(d.text, offset)
	p, root, ok := placeOfWord(d, from, to)
	if !ok {
		return list
	}
	w := word{d: d, from: from, to: to, typed: d.text[from:offset]}
	list.Items = append(list.Items, s.offers(p, root, w)...)
	return list
}

// word is what is being typed, and is replaced by what is chosen.
type word struct {
	d        *document
	from, to int
	typed    string
}

func (w word) item(kind int, label, text, detail, doc string) completionItem {
	c := completionItem{Label: label, Kind: kind, Detail: detail, TextEdit: &textEdit{w.d.span(w.from, w.to), text}, FilterText: label}
	if doc != "" {
		c.Documentation = &markup{"markdown", doc}
	}
	return c
}

// wordAround is the word at a place, to both sides.
func wordAround(text string, offset int) (from, to int) {
	from, to = offset, offset
	for from > 0 && isWordByte(text[from-1]) {
		from--
	}
	for to < len(text) && isWordByte(text[to]) {
		to++
	}
	return from, to
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == '/' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// placeOfWord finds what the language expects of a word: as a value or an
// existing key where the tree has it so, else as a key that has no colon yet.
func placeOfWord(d *document, from, to int) (place, *syntax.Node, bool) {
	for _, text := range []string{sentinel, sentinel + ": "} {
		root, _ := syntax.Parse(d.path, []byte(d.text[:from]+text+d.text[to:]))
		p, ok := rootPlace(d.path, root).find(from)
		if !ok {
			continue
		}
		n := p.node
		if p.onKey {
			n = p.key
		}
		switch {
		case n.Value == sentinel || !p.onKey && p.subject() == "types" && strings.Contains(n.Value, sentinel):
			return p, root, true
		case strings.Contains(n.Value, sentinel):
			return p, root, false // in the middle of a text
		}
	}
	return place{}, nil, false
}

// offers are the completions of a place.
func (s *server) offers(p place, root *syntax.Node, w word) []completionItem {
	if p.onKey {
		if p.upWant == object {
			return keyItems(p.upOwner, p.up, w)
		}
		return nil
	}
	var out []completionItem
	if p.subject() != "" {
		out = s.named(p, root, w)
	}
	switch p.want {
	case object:
		out = append(out, keyItems(p.owner, nil, w)...)
	case value, values:
		out = append(out, wordItems(p.field, w)...)
	}
	return out
}

// keyItems offers the fields of an owner that a mapping does not have yet.
func keyItems(owner string, have *syntax.Node, w word) []completionItem {
	var out []completionItem
	colon := strings.HasPrefix(strings.TrimLeft(w.d.text[w.to:], " \t"), ":")
	for i, f := range fieldsOf(owner) {
		if have.Get(f.Name) != nil || !fitsKind(f, have) {
			continue
		}
		text := f.Name
		switch {
		case colon:
		case f.Shape == dsl.ShapeObjects || f.Shape == dsl.ShapeMap || f.Shape == dsl.ShapeLists || f.Shape == dsl.ShapeObject:
			text += ":"
		default:
			text += ": "
		}
		item := w.item(itemProperty, f.Name, text, kindOf(f), fieldText(f))
		order := 1
		if f.Required {
			order = 0
		}
		item.SortText = fmt.Sprintf("%d%03d", order, i)
		out = append(out, item)
	}
	return out
}

// fitsKind reports whether a ticket of this kind has a field.
func fitsKind(f dsl.FieldDoc, ticket *syntax.Node) bool {
	kind := "work"
	if n := ticket.Get("kind"); n != nil && n.Kind == syntax.Scalar {
		kind = n.Value
	}
	return len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind)
}

// wordItems offers the closed list of a field, or its default.
func wordItems(f dsl.FieldDoc, w word) []completionItem {
	words := slices.DeleteFunc(slices.Clone(f.Words), func(w string) bool { return slices.Contains(f.Later, w) })
	switch {
	case f.Shape == dsl.ShapeFlag:
		words = []string{"true", "false"}
	case len(words) == 0 && f.Default != "":
		words = []string{f.Default}
	case f.Owner == "stage" && f.Name == "verdict":
		words = []string{"next", "done", "park"}
	case f.Owner == "stage" && f.Name == "writes":
		words = []string{"scope", "none"}
	}
	var out []completionItem
	for _, text := range words {
		detail := ""
		if text == f.Default {
			detail = "default"
		}
		out = append(out, w.item(itemEnum, text, text, detail, f.Doc))
	}
	return out
}

// named offers the parts of the file that a place names.
func (s *server) named(p place, root *syntax.Node, w word) []completionItem {
	var out []completionItem
	for _, c := range candidates(root, p) {
		if c.name.Value != sentinel {
			out = append(out, w.item(itemReference, c.name.Value, c.name.Value, strings.TrimSuffix(p.subject(), "s"), ""))
		}
	}
	switch p.subject() {
	case "types":
		for _, t := range []string{"list", "map", "enum"} {
			out = append(out, w.item(itemClass, t+"<…>", t+"<", "type", ""))
		}
		for k := expr.String; k <= expr.JSON; k++ {
			if k != expr.List && k != expr.Map && k != expr.Enum && k != expr.Record {
				out = append(out, w.item(itemClass, k.String(), k.String(), "type", ""))
			}
		}
	case "files":
		out = append(out, s.files(w)...)
	}
	return out
}

// maxOffers bounds how many files of a folder are offered.
const maxOffers = 200

// files offers the entries of the folder that the typed path is in.
func (s *server) files(w word) []completionItem {
	v := s.viewOf(w.d)
	if v.disk == nil {
		return nil
	}
	typed, _ := path.Split(w.typed)
	entries, err := v.disk.ReadDir(path.Join(".", dsl.Folder(w.d.path), typed))
	if err != nil {
		return nil // a folder that is not there offers nothing
	}
	var names []string
	for _, e := range entries {
		if name := typed + e.Name(); e.IsDir() {
			names = append(names, name+"/")
		} else if strings.HasSuffix(name, ".md") || strings.HasSuffix(name, dsl.Suffix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []completionItem
	for _, name := range names[:min(len(names), maxOffers)] {
		out = append(out, w.item(itemFile, name, name, "", ""))
	}
	return out
}

// kindOf is a field's value in a few words.
func kindOf(f dsl.FieldDoc) string {
	kind := f.Type
	switch f.Shape {
	case dsl.ShapeObject, dsl.ShapeObjects, dsl.ShapeMap, dsl.ShapeLists, dsl.ShapeVars:
		kind = string(f.Shape)
	case dsl.ShapeNames, dsl.ShapeScalars:
		kind = "list<" + f.Type + ">"
	case dsl.ShapeFlag:
		kind = "bool"
	}
	if len(f.Words) > 0 {
		kind = strings.Join(f.Words, " | ")
	}
	if f.Required {
		kind = strings.TrimSpace(kind + " (required)")
	}
	return kind
}

// fieldText is a field's documentation.
func fieldText(f dsl.FieldDoc) string {
	out := f.Doc
	if f.Default != "" {
		out += fmt.Sprintf("\n\nDefault: `%s`.", f.Default)
	}
	switch f.Phase {
	case dsl.PhaseConstant:
		out += "\n\nConstant: no `${{ }}`."
	case dsl.PhasePlan:
		out += "\n\nKnown when the plan is made: `${{ }}` may use inputs and constants."
	case dsl.PhaseRun:
		out += "\n\nMay use what tickets delivered."
	}
	if len(f.Later) > 0 {
		out += "\n\nNot built yet: " + strings.Join(f.Later, ", ") + "."
	}
	return out
}
