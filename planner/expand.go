package planner

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// MaxTickets is the most tickets a plan holds, MaxEdges the most edges: a fan-out
// behind a fan-out multiplies them.
const (
	MaxTickets = 200_000
	MaxEdges   = 2_000_000
)

// instance is one planned ticket in the making: a ticket, a child of a fan-out
// whose list is known, or the template of one whose list is not.
type instance struct {
	id, address, key string
	vars             expr.Vars
	fan              *FanOut
	least            int // smallest number of children, of a template
}

// expand makes the planned tickets, in the order of declaration and, within a
// fan-out, of its list.
func (m *maker) expand() {
	m.children = make([][]int, len(m.wf.Tickets))
	for i := range m.wf.Tickets {
		t := &m.wf.Tickets[i]
		id := fmt.Sprintf("T-%03d", i+1)
		list, ok := m.instances(t, id)
		if !ok {
			continue
		}
		if len(m.plan.Tickets)+len(list) > MaxTickets {
			m.find(codeTooLarge, t.Range, fmt.Sprintf("With %s there are more than %d tickets.", t.Name, MaxTickets), "Split the workflow.")
			return
		}
		m.group(t, id, list)
		m.folder = t.Folder
		shared := m.sharedOf(t)
		for _, in := range list {
			m.children[i] = append(m.children[i], len(m.plan.Tickets))
			m.add(t, shared, in)
		}
		m.folder = nil
	}
	m.listIncluded()
}

func (m *maker) group(t *dsl.Ticket, id string, list []instance) {
	if !t.FansOut() || len(list) == 1 && list[0].fan != nil {
		return
	}
	g := Group{ID: id, Name: t.Name, Children: []string{}, Outputs: outputsOf(t.Delivers())}
	for _, in := range list {
		g.Children = append(g.Children, in.id)
	}
	m.plan.Groups = append(m.plan.Groups, g)
	if len(list) == 0 {
		m.find(codeNoEntries, t.Range, fmt.Sprintf("%s stands for no ticket at all: its list is empty.", t.Name), "")
	}
}

func (m *maker) instances(t *dsl.Ticket, id string) ([]instance, bool) {
	switch {
	case t.Matrix != nil:
		return m.combinations(t, id)
	case !t.ForEach.Set:
		return []instance{{id: id, address: t.Name, vars: m.vars}}, true
	case len(t.ForEach.Checked.Refs) > 0:
		in, ok := m.template(t, id)
		return []instance{in}, ok
	}
	return m.entries(t, id)
}

// template is a fan-out over what an agent has yet to deliver.
func (m *maker) template(t *dsl.Ticket, id string) (instance, bool) {
	most := m.whole(t.Max, m.vars, 0)
	if most <= 0 || most > MaxTickets {
		m.find(codeNoBound, t.ForEach.Range, fmt.Sprintf("%s runs over a list that only a run makes; max says how many tickets at most.", t.Name), fmt.Sprintf("Write max: with a number between 1 and %d.", MaxTickets))
		return instance{}, false
	}
	list := t.ForEach.Checked.Type
	fan := &FanOut{ForEach: t.ForEach.Template.Source(), Key: t.Key.Template.Source(), Max: most}
	if t.Each != nil {
		fan.Elem = t.Each.Value
	}
	in := instance{id: id, address: t.Name + "[*]", vars: m.vars, fan: fan}
	if list.Limits.MinItems != nil && !list.Optional {
		in.least = min(*list.Limits.MinItems, most)
	}
	return in, true
}

// entries is a fan-out over a list or map that is known now.
func (m *maker) entries(t *dsl.Ticket, id string) ([]instance, bool) {
	v, ok := m.eval(t.ForEach, m.vars)
	if !ok {
		return nil, false
	}
	pairs, keyed := v.Map()
	if items, isList := v.List(); isList {
		for _, item := range items {
			key, _ := item.Text()
			pairs = append(pairs, expr.Entry{Key: key, Value: item})
		}
	} else if !keyed && !v.IsNull() {
		m.find(codeEval, t.ForEach.Range, "The value is neither a list nor a map.", "")
		return nil, false
	}
	if most := m.whole(t.Max, m.vars, math.MaxInt32); len(pairs) > most {
		m.find(codeOverMax, t.ForEach.Range, fmt.Sprintf("The list of %s has %d entries, max is %d.", t.Name, len(pairs), most), "")
		return nil, false
	}
	if len(pairs) > MaxTickets {
		m.find(codeTooLarge, t.ForEach.Range, fmt.Sprintf("The list of %s has %d entries; a plan holds %d tickets.", t.Name, len(pairs), MaxTickets), "Split the workflow.")
		return nil, false
	}
	return m.keyed(t, id, pairs)
}

func (m *maker) keyed(t *dsl.Ticket, id string, pairs []expr.Entry) ([]instance, bool) {
	out := make([]instance, 0, len(pairs))
	for i, p := range pairs {
		vars := m.vars
		vars.EachKey, vars.EachValue, vars.EachIndex = expr.Of(p.Key), p.Value, i
		key := p.Key
		if t.Key.Set {
			key = m.text(t.Key, vars)
			vars.EachKey = expr.Of(key)
		}
		if key == "" {
			m.find(codeNoKey, t.ForEach.Range, fmt.Sprintf("Entry %d of %s has no key to be known by.", i+1, t.Name), "Write key: with an expression over each.value.")
			return nil, false
		}
		out = append(out, instance{id: fmt.Sprintf("%s.%d", id, i+1), address: address(t.Name, key), key: key, vars: vars})
	}
	return out, m.unique(t, out)
}

// address writes the key as JSON does, so that no key can look like another address.
func address(name, key string) string { return name + "[" + expr.Of(key).String() + "]" }

func (m *maker) unique(t *dsl.Ticket, list []instance) bool {
	seen := make(map[string]int, len(list))
	for i, in := range list {
		if first, twice := seen[in.key]; twice {
			at := t.ForEach.Range
			if t.Matrix != nil {
				at = t.Matrix.Range
			}
			m.find(codeSameKey, at, fmt.Sprintf("Entries %d and %d of %s both have the key %q.", first+1, i+1, t.Name, in.key), "Give each its own key.")
			return false
		}
		seen[in.key] = i
	}
	return true
}

// combinations is a matrix: the product of its axes in the order written, the
// last axis fastest, without what exclude names; then the rows of include.
func (m *maker) combinations(t *dsl.Ticket, id string) ([]instance, bool) {
	rows := [][]cell{nil}
	for _, a := range t.Matrix.Axes {
		v, ok := m.eval(a.Values, m.vars)
		if !ok {
			return nil, false
		}
		values, _ := v.List()
		if len(rows)*len(values) > MaxTickets {
			m.find(codeTooLarge, t.Matrix.Range, fmt.Sprintf("The matrix of %s has more than %d combinations.", t.Name, MaxTickets), "Split the workflow.")
			return nil, false
		}
		rows = product(rows, a.Name, values)
	}
	if len(t.Matrix.Axes) == 0 {
		rows = nil
	}
	rows = m.without(rows, t.Matrix.Exclude)
	for _, r := range t.Matrix.Include {
		rows = append(rows, m.cells(r))
	}
	var out []instance
	for i, row := range rows {
		vars := m.vars
		vars.Matrix, vars.EachIndex = matrixValue(row), i
		key := matrixKey(row)
		if t.Key.Set {
			key = m.text(t.Key, vars)
		}
		vars.EachKey = expr.Of(key)
		out = append(out, instance{id: fmt.Sprintf("%s.%d", id, i+1), address: address(t.Name, key), key: key, vars: vars})
	}
	return out, m.unique(t, out)
}

type cell struct {
	axis  string
	value expr.Value
}

func product(rows [][]cell, axis string, values []expr.Value) [][]cell {
	out := make([][]cell, 0, len(rows)*len(values))
	for _, row := range rows {
		for _, v := range values {
			out = append(out, append(row[:len(row):len(row)], cell{axis, v}))
		}
	}
	return out
}

func (m *maker) cells(r dsl.MatrixRow) []cell {
	var out []cell
	for _, c := range r.Cells {
		v, _ := m.eval(c.Value, m.vars)
		out = append(out, cell{c.Axis, v})
	}
	return out
}

func (m *maker) without(rows [][]cell, exclude []dsl.MatrixRow) [][]cell {
	for _, r := range exclude {
		pattern := m.cells(r)
		kept := rows[:0]
		for _, row := range rows {
			if !contains(row, pattern) {
				kept = append(kept, row)
			}
		}
		rows = kept
	}
	return rows
}

func contains(row, pattern []cell) bool {
	for _, p := range pattern {
		found := false
		for _, c := range row {
			found = found || c == p
		}
		if !found {
			return false
		}
	}
	return true
}

func matrixValue(row []cell) expr.Value {
	entries := make([]expr.Entry, len(row))
	for i, c := range row {
		entries[i] = expr.Entry{Key: c.axis, Value: c.value}
	}
	return expr.OfMap(entries)
}

// matrixKey is "os=linux,go=1.22", in the order the axes are written.
func matrixKey(row []cell) string {
	parts := make([]string, len(row))
	for i, c := range row {
		text, ok := c.value.Text()
		if !ok {
			text = c.value.String()
		}
		parts[i] = c.axis + "=" + text
	}
	return strings.Join(parts, ",")
}
