package dsl

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// inputsOf reads inputs: and makes them known to expressions.
func (d *decoder) inputsOf(o object) []Input {
	var out []Input
	for _, n := range d.names(o.get("inputs"), "`inputs`", "input", true) {
		in, ok := d.input(n)
		if !ok {
			d.vague[n.name] = true
		}
		if in.Secret {
			d.secrets = append(d.secrets, n.name)
			out = append(out, in)
			continue
		}
		t := in.Type
		if in.Untrusted {
			t = t.AsUntrusted()
		}
		d.inputs = append(d.inputs, expr.Field{Name: n.name, Type: t})
		out = append(out, in)
	}
	return out
}

func (d *decoder) input(n namedNode) (Input, bool) {
	read, ok := d.typed("input `"+n.name+"`", n, ownerInput)
	in := Input{Name: n.name, Type: read.typ, Range: n.at}
	if read.o.node == nil {
		return in, ok
	}
	in.Description = read.o.word("description").text
	in.Untrusted = read.o.flag("untrusted")
	if d.secret(&in, read.o); in.Secret {
		return in, ok
	}
	if def := read.o.get("default"); def != nil && ok {
		in.Default, in.HasDefault = d.value(def, read.typ, "default")
	}
	return in, ok
}

// value reads a constant of a type, list and mappings included.
func (d *decoder) value(n *syntax.Node, t expr.Type, label string) (expr.Value, bool) {
	before := len(d.found)
	v := d.looseValue(n, t, label)
	if len(d.found) > before {
		return expr.Value{}, false
	}
	normal, wrong := expr.Conform(v, t)
	for _, m := range wrong {
		respelt(d.add(codeDefault, n.Range, fmt.Sprintf("`%s`: %s", label, sentence(m.String())), ""), n, n.Value, t)
	}
	return normal, len(wrong) == 0
}

// looseValue reads a constant; scalars are checked where they stand, counts and missing fields by the caller.
func (d *decoder) looseValue(n *syntax.Node, t expr.Type, label string) expr.Value {
	elem := expr.Type{Kind: expr.JSON}
	if t.Elem != nil {
		elem = *t.Elem
	}
	switch n.Kind {
	case syntax.Sequence:
		items := make([]expr.Value, 0, len(n.Items))
		for _, item := range n.Items {
			items = append(items, d.looseValue(item, elem, label))
		}
		return expr.OfList(items)
	case syntax.Mapping:
		entries := make([]expr.Entry, 0, len(n.Entries))
		for _, e := range n.Entries {
			ft := elem
			if t.Kind == expr.Record {
				ft, _ = t.Field(e.Key.Value)
			}
			entries = append(entries, expr.Entry{Key: e.Key.Value, Value: d.looseValue(e.Value, ft, label)})
		}
		return expr.OfMap(entries)
	case syntax.Null:
		return expr.Value{}
	}
	return d.scalarValue(n, t, label)
}

func (d *decoder) scalarValue(n *syntax.Node, t expr.Type, label string) expr.Value {
	w, ok := d.constant(n, "`"+label+"`")
	if !ok {
		return expr.Value{}
	}
	if t.Kind == 0 {
		t = expr.Type{Kind: expr.JSON}
	}
	v, wrong := expr.FromScalar(w.text, n.Style != syntax.Plain, t)
	for _, m := range wrong {
		respelt(d.add(codeDefault, n.Range, fmt.Sprintf("`%s`: %s", label, sentence(m.String())), ""), n, n.Value, t)
	}
	return v
}

// learnTickets makes the outputs of tickets known before any expression is read.
func (d *decoder) learnTickets(o object) {
	d.shapeAt = map[string]int{}
	n := o.get("tickets")
	if n == nil || n.Kind != syntax.Mapping {
		return
	}
	for _, e := range n.Entries {
		shape := expr.TicketShape{Name: e.Key.Value, Optional: peek(ownerTicket, e.Value, "when") != nil}
		shape.List = peek(ownerTicket, e.Value, "for_each") != nil || peek(ownerTicket, e.Value, "matrix") != nil
		if unbuilt(e.Value) {
			d.vague[shape.Name] = true
		}
		if kind := peek(ownerTicket, e.Value, "kind"); kind != nil && kind.Value == KindReview {
			for _, f := range reviewOutputs(nil) {
				shape.Outputs = append(shape.Outputs, expr.Field{Name: f.Name, Type: f.Type})
			}
		} else if uses := e.Value.Get("uses"); uses != nil {
			shape.Outputs = d.learnInclude(shape.Name, uses)
		} else {
			shape.Outputs = d.outputShape(e.Key.Value, peek(ownerTicket, e.Value, "outputs"))
		}
		d.shapeAt[shape.Name] = len(d.shapes)
		d.shapes = append(d.shapes, shape)
	}
	d.spreadSkips(n)
}

// spreadSkips: a ticket that needs one which may be skipped is skipped with it,
// so that its outputs may be missing too.
func (d *decoder) spreadSkips(n *syntax.Node) {
	needs := make([][]int, len(d.shapes))
	for i, e := range n.Entries {
		for _, name := range strictNeeds(peek(ownerTicket, e.Value, "needs")) {
			if at, ok := d.shapeAt[name]; ok {
				needs[at] = append(needs[at], i)
			}
		}
	}
	var queue []int
	for i := range d.shapes {
		if d.shapes[i].Optional {
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, to := range needs[i] {
			if !d.shapes[to].Optional {
				d.shapes[to].Optional = true
				queue = append(queue, to)
			}
		}
	}
}

// strictNeeds lists the tickets of `needs` that must be done.
func strictNeeds(n *syntax.Node) []string {
	if n == nil {
		return nil
	}
	items := n.Items
	if n.Kind == syntax.Scalar {
		items = []*syntax.Node{n}
	}
	var out []string
	for _, item := range items {
		if item.Kind == syntax.Scalar {
			out = append(out, item.Value)
			continue
		}
		until, ticket := item.Get("until"), item.Get("ticket")
		if ticket != nil && (until == nil || until.Value != "settled") {
			out = append(out, ticket.Value)
		}
	}
	return out
}

// unbuilt reports whether a ticket is of a kind that is refused as a whole.
func unbuilt(n *syntax.Node) bool {
	kind := n.Get("kind")
	return kind != nil && kind.Kind == syntax.Scalar && slices.Contains(field(ownerTicket, "kind").Later, kind.Value)
}

// outputShape is read twice: here for its type, in the ticket for its findings.
func (d *decoder) outputShape(ticket string, n *syntax.Node) []expr.Field {
	if n == nil || n.Kind != syntax.Mapping {
		return nil
	}
	before := len(d.found)
	var out []expr.Field
	for _, e := range n.Entries {
		t, ok := d.typed("output", namedNode{e.Key.Value, e.Key.Range, e.Value}, ownerOutput)
		if !ok {
			d.vague[ticket] = true
		}
		out = append(out, expr.Field{Name: e.Key.Value, Type: t.typ})
	}
	d.found = d.found[:before]
	return out
}
