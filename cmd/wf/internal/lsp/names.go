package lsp

import (
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// declared lists the entries of a section of the file: its roles, its tickets.
func declared(root *syntax.Node, section string) []syntax.Entry {
	n := root.Get(section)
	if n == nil || n.Kind != syntax.Mapping {
		return nil
	}
	return n.Entries
}

// declaredAs finds one of them.
func declaredAs(root *syntax.Node, section, name string) (syntax.Entry, bool) {
	for _, e := range declared(root, section) {
		if e.Key.Value == name {
			return e, true
		}
	}
	return syntax.Entry{}, false
}

// part is something that has its name in a field of its own: a stage, a gate.
type part struct {
	name *syntax.Node
	node *syntax.Node
}

// partsOf lists the mappings of a list by the field that names them.
func partsOf(list *syntax.Node, field string) []part {
	if list == nil {
		return nil
	}
	var out []part
	for _, item := range list.Items {
		if name := item.Get(field); name != nil && name.Kind == syntax.Scalar {
			out = append(out, part{name, item})
		}
	}
	return out
}

// candidates lists what a place may name, as far as the file itself holds it.
func candidates(root *syntax.Node, p place) []part {
	ticket, _ := declaredAs(root, "tickets", p.names["tickets"])
	switch subject := p.subject(); subject {
	case "roles", "pipelines", "tickets", "types":
		var out []part
		for _, e := range declared(root, subject) {
			if subject == "tickets" && e.Key.Value == p.names["tickets"] {
				continue // a ticket does not wait for itself
			}
			out = append(out, part{e.Key, e.Value})
		}
		return out
	case "targets":
		return stagesOf(root, p.names["pipelines"])
	case "gates":
		return gatesOfPipeline(root, p.names["pipelines"])
	case "checks":
		out := partsOf(ticket.Value.Get("gates"), "name")
		pipeline := ticket.Value.Get("pipeline")
		if pipeline == nil {
			return out
		}
		for _, s := range stagesOf(root, pipeline.Value) {
			if s.node.Get("verdict") != nil {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

func stagesOf(root *syntax.Node, pipeline string) []part {
	e, _ := declaredAs(root, "pipelines", pipeline)
	return partsOf(e.Value, "stage")
}

// gatesOfPipeline are the gates of all tickets that go through a pipeline.
func gatesOfPipeline(root *syntax.Node, pipeline string) []part {
	var out []part
	for _, t := range declared(root, "tickets") {
		if through := t.Value.Get("pipeline"); through != nil && through.Value == pipeline {
			out = append(out, partsOf(t.Value.Get("gates"), "name")...)
		}
	}
	return out
}
