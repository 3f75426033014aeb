package lsp

import (
	"encoding/json"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// symbols is the outline of a document: its sections, what they declare, and
// the stages and gates of those.
func symbols(_ *server, d *document) any {
	out := []symbol{}
	root := d.parsed()
	if root == nil {
		return out
	}
	for _, e := range root.Entries {
		if e.Key.Alias != nil || e.Value.Alias != nil {
			continue
		}
		section := d.symbol(e.Key, e.Value, symbolProperty)
		for _, in := range e.Value.Entries {
			section.Children = append(section.Children, d.declaration(e.Key.Value, in))
		}
		if len(section.Children) > 0 {
			section.Kind = symbolModule
		}
		out = append(out, section)
	}
	return out
}

var sectionKinds = map[string]int{
	"inputs": symbolVariable, "types": symbolClass, "roles": symbolObject, "pipelines": symbolEvent, "tickets": symbolFunction, "agents": symbolFunction,
}

// declaration is one role, pipeline or ticket with its parts.
func (d *document) declaration(section string, e syntax.Entry) symbol {
	kind := sectionKinds[section]
	if kind == 0 {
		kind = symbolProperty
	}
	out := d.symbol(e.Key, e.Value, kind)
	parts := partsOf(e.Value, "stage")
	if section == "tickets" {
		parts = partsOf(e.Value.Get("gates"), "name")
	}
	for _, p := range parts {
		out.Children = append(out.Children, d.symbol(p.name, p.node, symbolField))
	}
	return out
}

// symbol names a key with its value, or a field that names a mapping.
func (d *document) symbol(name, node *syntax.Node, kind int) symbol {
	from := min(name.Range.Start.Offset, node.Range.Start.Offset)
	to := max(name.Range.End.Offset, node.Range.End.Offset)
	if node.Alias != nil { // its value stands elsewhere
		from, to = name.Range.Start.Offset, name.Range.End.Offset
	}
	out := symbol{Name: name.Value, Kind: kind, Range: d.span(from, to), SelectionRange: d.span(name.Range.Start.Offset, name.Range.End.Offset)}
	if out.Name == "" {
		out.Name = `""`
	}
	if node.Kind == syntax.Scalar && len(node.Value) < 80 {
		out.Detail = node.Value
	}
	return out
}

// codeActions offers the edits of findings that touch a range.
func (s *server) codeActions(raw json.RawMessage) (any, error) {
	p, err := params[codeActionParams](raw)
	if err != nil {
		return nil, err
	}
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []codeAction{}
	if only := p.Context.Only; len(only) > 0 && !slices.Contains(only, "quickfix") {
		return out, nil
	}
	from, to := d.offset(p.Range.Start), d.offset(p.Range.End)
	v := s.viewOf(d)
	for _, f := range s.findings(d, v) {
		if edits := editsOf(f); len(edits) > 0 && f.Range.Start.Offset <= to && from <= f.Range.End.Offset {
			out = append(out, v.action(d, f, edits))
		}
	}
	return out, nil
}

// findings are those of exactly this version of a document.
func (s *server) findings(d *document, v view) diag.Findings {
	s.mu.Lock()
	r := s.readings[d.uri]
	s.mu.Unlock()
	if r != nil && r.version == d.version {
		return r.found
	}
	return readDocument(d, v).found
}

// editsOf are the changes that mend a finding, all within one file.
func editsOf(f diag.Finding) []diag.Edit {
	if f.Edit == nil {
		return nil
	}
	return []diag.Edit{*f.Edit}
}

func (v view) action(d *document, f diag.Finding, edits []diag.Edit) codeAction {
	title := f.Hint
	if title == "" {
		title = "Mend: " + f.Summary
	}
	a := codeAction{Title: title, Kind: "quickfix", IsPreferred: true, Diagnostics: []diagnostic{v.diagnostic(f, d)}, Edit: workspaceEdit{Changes: map[string][]textEdit{}}}
	for _, e := range edits {
		a.Edit.Changes[d.uri] = append(a.Edit.Changes[d.uri], textEdit{d.span(e.Range.Start.Offset, e.Range.End.Offset), e.NewText})
	}
	return a
}
