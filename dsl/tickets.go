package dsl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

func (d *decoder) tickets(o object) []Ticket {
	n := o.get("tickets")
	if n == nil {
		return nil
	}
	named := d.names(n, "`tickets`", "ticket", true)
	if len(named) == 0 && (n.Kind == syntax.Mapping || n.Kind == syntax.Null) {
		d.add(codeEmpty, o.keyRange("tickets"), "The workflow has no tickets; a run would do nothing.", "Add one, as in `tickets: {report: {role: …, brief: …}}`.")
	}
	out := make([]Ticket, 0, len(named))
	for _, t := range named {
		out = append(out, d.ticket(t))
	}
	return out
}

func (d *decoder) ticket(n namedNode) Ticket {
	if unbuilt(n.node) {
		return d.unbuiltTicket(n)
	}
	if n.node.Get("uses") != nil {
		return d.includeTicket(n)
	}
	o := d.object(ownerTicket, "ticket `"+n.name+"`", n.at, n.node)
	t := Ticket{Name: n.name, Range: n.at, Kind: o.word("kind").text}
	if t.Kind == "work" {
		t.Kind = ""
	}
	role, pipeline := o.word("role"), o.word("pipeline")
	t.Role, t.RoleRange, t.Pipeline, t.PipelineRange = role.text, role.at, pipeline.text, pipeline.at
	if o.node == nil {
		t.RoleRange = n.node.Range // told already: no rule asks who does it
	}
	t.Needs, d.noEach = d.needs(o), false
	sc := d.ticketScopes(n, t.Needs)
	d.fanOut(&t, o, sc)
	t.Title, t.Brief, t.When = o.scalar("title", sc), o.scalar("brief", sc), o.scalar("when", sc)
	t.Scope, t.Narrow = o.scalars("scope", sc), o.scalars("narrow", sc)
	t.MayChange, t.Protect, t.Context = o.scalars("may_change", sc), o.scalars("protect", sc), o.scalars("context", sc)
	t.Keep = o.scalars("keep", sc)
	t.Budget, t.Workdir = o.scalar("budget", sc), o.scalar("workdir", sc)
	t.Gates = d.gates(o, sc)
	t.Acceptance = d.acceptance(o, sc)
	t.Outputs = d.outputFields(o)
	t.Hold = o.word("hold").text == "operator"
	t.Deliver = o.word("deliver").text
	t.Generated, t.Base = o.scalars("generated", sc), o.scalar("base", sc)
	t.Escalate, t.OnConflict, t.Inspector = o.roleUse("escalate"), o.roleUse("on_conflict"), o.roleUse("inspector")
	t.Services = d.services(o, sc)
	t.Checkout, t.Notify = d.checkout(o, sc), d.notify(o, sc)
	d.kindOf(&t, o, sc)
	return t
}

// unbuiltTicket says once that the ticket is refused; its other fields belong to what is not built.
func (d *decoder) unbuiltTicket(n namedNode) Ticket {
	kind := n.node.Get("kind")
	d.oneOf(field(ownerTicket, "kind"), word{kind.Value, kind.Range, kind})
	return Ticket{Name: n.name, Kind: kind.Value, Range: n.at}
}

// needs reads `needs: [x, {ticket: y, until: settled}]`.
func (d *decoder) needs(o object) []Need {
	var out []Need
	for _, item := range d.items(o.get("needs"), "`needs`", true) {
		if item.Kind == syntax.Scalar {
			if w, ok := d.constant(item, "`needs`"); ok {
				out = append(out, d.need(w)...)
			}
			continue
		}
		no := d.object(ownerNeed, "entry of `needs`", item.Range, item)
		if w := no.word("ticket"); w.text != "" {
			out = append(out, Need{Ticket: w.text, Settled: no.word("until").text == "settled", Range: w.at})
		}
	}
	return out
}

// need is one name; `a, b` without brackets is one text to YAML.
func (d *decoder) need(w word) []Need {
	parts := strings.FieldsFunc(w.text, func(r rune) bool { return r == ',' || r == ' ' })
	if len(parts) < 2 {
		return []Need{{Ticket: w.text, Range: w.at}}
	}
	f := d.add(codeWrongShape, w.at, fmt.Sprintf("`%s` is one text to YAML; several tickets are a list.", w.text), "Put them in brackets.")
	f.Edit = &diag.Edit{Range: w.at, NewText: "[" + strings.Join(parts, ", ") + "]"}
	return nil
}

// ticketScopes gives the names a ticket's fields may use. A ticket that mentions
// few others sees those alone, so that many tickets do not cost their square.
func (d *decoder) ticketScopes(n namedNode, needs []Need) *scopes {
	var names []string
	unread := mentions(n.node, &names)
	slices.Sort(names)
	names = slices.Compact(names)
	if unread == 0 && len(names) == 0 {
		return newScopes(d.base.names)
	}
	scope := expr.Scope{Inputs: d.inputs, Secrets: d.secrets}
	complete := unread == 0
	for _, name := range names {
		i, ok := d.shapeAt[name]
		complete = complete && ok
		if ok {
			scope.Tickets = append(scope.Tickets, d.shapes[i])
		}
	}
	if !complete {
		scope.Tickets = slices.Clone(d.shapes)
	}
	done := whenDone(n.node.Get("when"))
	for i := range scope.Tickets {
		s := &scope.Tickets[i]
		need := slices.IndexFunc(needs, func(need Need) bool { return need.Ticket == s.Name })
		switch {
		case slices.Contains(done, s.Name), need >= 0 && !needs[need].Settled && !s.List:
			s.Optional = false
		case need >= 0 && needs[need].Settled:
			s.Optional = true
		}
	}
	return newScopes(scope.Indexed())
}

// mentions collects the tickets that a node's texts name; it returns how many
// uses of the word tickets it could not read.
func mentions(n *syntax.Node, names *[]string) int {
	if n == nil {
		return 0
	}
	unread := 0
	if n.Kind == syntax.Scalar {
		found := ticketUse().FindAllStringSubmatch(n.Value, -1)
		for _, m := range found {
			*names = append(*names, m[1])
		}
		return len(ticketWord().FindAllString(n.Value, -1)) - len(found)
	}
	for _, e := range n.Entries {
		unread += mentions(e.Value, names)
	}
	for _, item := range n.Items {
		unread += mentions(item, names)
	}
	return unread
}

// whenDone lists the tickets that a `when` asks to be done: their outputs are
// then there in every other field.
func whenDone(n *syntax.Node) []string {
	if n == nil || n.Kind != syntax.Scalar || !strings.Contains(n.Value, "${{") {
		return nil
	}
	template, _ := expr.Parse(n.Value, nil)
	return template.RequiresDone()
}

// fanOut reads for_each, key, max and matrix, and adds each and matrix to the names.
func (d *decoder) fanOut(t *Ticket, o object, sc *scopes) {
	if n := o.get("for_each"); n != nil {
		t.ForEach = d.list(n, field(ownerTicket, "for_each"), sc)
		if each := d.each(t.ForEach, n); each != nil {
			t.Each = each
			sc.names.Each = each
		} else {
			sc.names.Each = &expr.EachShape{Key: expr.Type{Kind: expr.String}, Value: expr.Type{Kind: expr.JSON}}
			d.noEach = true
		}
	}
	if n := o.get("matrix"); n != nil {
		t.Matrix = d.matrix(n, o.keyRange("matrix"), sc)
		for _, axis := range t.Matrix.Axes {
			sc.names.Matrix = append(sc.names.Matrix, expr.Field{Name: axis.Name, Type: elemOf(axis.Values.Checked.Type)})
		}
	}
	clear(sc.made)
	t.Key, t.Max = o.scalar("key", sc), o.scalar("max", sc)
}

// each gives the types of an entry of the list.
func (d *decoder) each(list Scalar, n *syntax.Node) *expr.EachShape {
	t := list.Checked.Type
	if items, ok := list.Value.List(); list.Known && ok && len(items) == 0 {
		d.add(codeEmpty, n.Range, "`for_each` is over an empty list; the ticket stands for nothing.", "Name at least one entry.")
		return nil
	}
	atRun := len(list.Checked.Refs) > 0
	switch t.Kind {
	case expr.List:
		each := &expr.EachShape{Value: elemOf(t), Index: true, AtRun: atRun}
		if simple := elemOf(t); simple.Kind.Scalar() {
			each.Key = simple
		} else {
			each.Key = expr.Type{Kind: expr.String, Untrusted: t.Tainted()}
		}
		return each
	case expr.Map:
		return &expr.EachShape{Key: expr.Type{Kind: expr.String, Untrusted: t.Untrusted}, Value: elemOf(t), AtRun: atRun}
	case 0:
		return nil
	case expr.Record:
		if list.Known {
			return &expr.EachShape{Key: expr.Type{Kind: expr.String}, Value: recordValue(t)}
		}
	}
	if t.Kind == expr.List || list.Template.IsLiteral() || t.Kind != 0 {
		d.add(codeWrongShape, n.Range, fmt.Sprintf("`for_each` is of type %s; it must be a list or a map.", t), "")
	}
	return nil
}

// recordValue is the one type of a constant map's values, or json.
func recordValue(t expr.Type) expr.Type {
	if len(t.Fields) == 0 {
		return expr.Type{Kind: expr.JSON}
	}
	for _, f := range t.Fields[1:] {
		if _, ok := expr.Assignable(f.Type, t.Fields[0].Type); !ok {
			return expr.Type{Kind: expr.JSON}
		}
	}
	return t.Fields[0].Type
}

func elemOf(t expr.Type) expr.Type {
	if t.Elem == nil {
		return expr.Type{Kind: expr.JSON, Untrusted: t.Untrusted}
	}
	return *t.Elem
}

// list reads a list or map: one expression, or written out.
func (d *decoder) list(n *syntax.Node, f FieldDoc, sc *scopes) Scalar {
	if n.Kind == syntax.Scalar || n.Kind == syntax.Null {
		return d.scalar(n, f, f.typ, sc)
	}
	before := len(d.found)
	v := d.looseValue(n, expr.Type{Kind: expr.JSON}, f.Name)
	s := Scalar{Range: n.Range, Set: true, Scope: sc.of(f), Known: true, Value: v}
	s.Type = typeOf(v)
	s.Checked = expr.Checked{Type: s.Type}
	if len(d.found) > before {
		s.Known, s.Checked.Type = false, expr.Type{}
		return s
	}
	source, _ := json.Marshal(v)
	s.Template, _ = expr.Parse("${{ "+string(source)+" }}", func(int, int) diag.Range { return n.Range })
	return s
}

func (d *decoder) matrix(n *syntax.Node, at diag.Range, sc *scopes) *Matrix {
	m := &Matrix{Range: at}
	f := field(ownerTicket, "matrix")
	for _, e := range d.entries(n, "`matrix`") {
		switch e.Key.Value {
		case "include":
			m.Include = d.matrixRows(e.Value, f, sc)
		case "exclude":
			m.Exclude = d.matrixRows(e.Value, f, sc)
		default:
			if d.identifier(e.Key, "axis") {
				m.Axes = append(m.Axes, Axis{Name: e.Key.Value, Values: d.axis(e.Value, f, sc)})
			}
		}
	}
	if len(m.Axes) == 0 && n.Kind == syntax.Mapping {
		d.add(codeEmpty, at, "`matrix` has no axis.", "Name one, as in `matrix: {os: [linux, darwin]}`.")
	}
	return m
}

func (d *decoder) axis(n *syntax.Node, f FieldDoc, sc *scopes) Scalar {
	s := d.list(n, f, sc)
	t := s.Checked.Type
	if t.Kind != 0 && t.Kind != expr.List {
		d.add(codeWrongShape, n.Range, fmt.Sprintf("An axis of a matrix is a list; this is of type %s.", t), "")
	}
	if list, ok := s.Value.List(); s.Known && ok && len(list) == 0 {
		s.Checked.Type = expr.ListOf(expr.Type{Kind: expr.String}) // what uses the axis is not told again
		d.add(codeEmpty, n.Range, "The axis has no values; the ticket would stand for nothing.", "Name at least one.")
	}
	return s
}

func (d *decoder) matrixRows(n *syntax.Node, f FieldDoc, sc *scopes) []MatrixRow {
	var out []MatrixRow
	for _, item := range d.items(n, "rows of a matrix", false) {
		row := MatrixRow{Range: item.Range}
		for _, e := range d.entries(item, "row of a matrix") {
			row.Cells = append(row.Cells, MatrixCell{Axis: e.Key.Value, Value: d.scalar(e.Value, f, expr.Type{}, sc), Range: e.Key.Range})
		}
		out = append(out, row)
	}
	return out
}

func (d *decoder) acceptance(o object, sc *scopes) []Acceptance {
	var out []Acceptance
	for _, item := range d.items(o.get("acceptance"), "`acceptance`", false) {
		if item.Kind == syntax.Scalar {
			out = append(out, Acceptance{What: d.scalar(item, field(ownerAcceptance, "what"), expr.Type{Kind: expr.String}, sc), Range: item.Range, ByRange: item.Range})
			continue
		}
		ao := d.object(ownerAcceptance, "acceptance row", item.Range, item)
		by := ao.word("by")
		out = append(out, Acceptance{What: ao.scalar("what", sc), By: by.text, Range: item.Range, ByRange: by.at})
	}
	return out
}

func (d *decoder) outputFields(o object) []OutputField {
	var out []OutputField
	for _, n := range d.names(o.get("outputs"), "`outputs`", "output", true) {
		t, _ := d.typed("output `"+n.name+"`", n, ownerOutput)
		out = append(out, OutputField{Name: n.name, Type: t.typ, Range: n.at})
	}
	return out
}

func (d *decoder) outputs(o object) []Output {
	f := field(ownerWorkflow, "outputs")
	var out []Output
	for _, n := range d.names(o.get("outputs"), "`outputs`", "output", true) {
		out = append(out, Output{Name: n.name, Value: d.scalar(n.node, f, expr.Type{}, d.base), Range: n.at})
	}
	return out
}
