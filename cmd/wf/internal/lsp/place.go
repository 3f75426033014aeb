package lsp

import (
	"path"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
	"github.com/seed9cc7a46e/wf/materializer/agent/replay"
)

// want is what the language expects at a place of the tree.
type want int

const (
	nothing want = iota // nothing that is known
	object              // a mapping of an owner's fields
	objects             // a list of such mappings
	named               // a mapping of free names to such mappings
	lists               // a mapping of free names to lists of such mappings
	value               // one value of a field
	values              // a list of values of a field, or one
	vars                // a mapping of free names to values of a field
)

// place is a node of the tree as the language sees it.
type place struct {
	want    want
	owner   string            // of object, objects, named, lists
	field   dsl.FieldDoc      // of value, values, vars, named, lists
	names   map[string]string // the entries around it: "tickets" is the ticket's name
	node    *syntax.Node
	up      *syntax.Node // the mapping or list that holds it, and what is wanted there
	upWant  want
	upOwner string
	key     *syntax.Node // of an entry: its key
	onKey   bool         // the key is meant, and not the value
}

// rootPlace is the place of a whole file.
func rootPlace(file string, root *syntax.Node) place {
	p := place{node: root, want: object, names: map[string]string{}}
	switch {
	case strings.HasSuffix(file, ".replay.yaml"):
		p.owner = ownerScript
	case path.Base(file) == dsl.SettingsFile:
		p.owner = "settings"
	case strings.HasSuffix(file, dsl.Suffix):
		p.owner = "workflow"
	default:
		p.want = nothing
	}
	return p
}

// The owners of replay scripts, which are no part of the language's table.
const (
	ownerScript = "replay script"
	ownerStep   = "step"
)

// tables are the fields that this version reads, by owner, those of replay scripts too.
var tables = sync.OnceValue(func() map[string][]dsl.FieldDoc {
	out := map[string][]dsl.FieldDoc{ownerScript: {{Owner: ownerScript, Name: "agents", Shape: dsl.ShapeLists, Type: ownerStep, Required: true, State: dsl.Built, Doc: "What the scripted agents do: units, each with its steps."}}}
	for _, f := range dsl.Fields() {
		if f.State != dsl.Later {
			out[f.Owner] = append(out[f.Owner], f)
		}
	}
	for _, owner := range []string{"input", "output"} {
		out[owner] = append(out[owner], constraints(owner)...)
	}
	for _, k := range replay.Keys() {
		f := dsl.FieldDoc{Owner: ownerStep, Name: k.Name, Shape: dsl.ShapeValue, State: dsl.Built, Doc: k.Doc, Phase: dsl.PhaseConstant}
		if k.Kind == "flag" {
			f.Shape = dsl.ShapeFlag
		}
		out[ownerStep] = append(out[ownerStep], f)
	}
	return out
})

// fieldsOf lists the fields of an owner that this version reads, in the order people read them.
func fieldsOf(owner string) []dsl.FieldDoc { return tables()[owner] }

// constraints stand beside `type:`.
func constraints(owner string) []dsl.FieldDoc {
	var out []dsl.FieldDoc
	for _, c := range [][2]string{
		{"min", "The least value."}, {"max", "The greatest value."}, {"min_length", "The least number of characters."}, {"max_length", "The most characters."},
		{"pattern", "A regular expression (RE2) that is found in the text."}, {"min_items", "The least number of elements."}, {"max_items", "The most elements."},
		{"unique", "Whether no element stands twice."},
	} {
		out = append(out, dsl.FieldDoc{Owner: owner, Name: c[0], Shape: dsl.ShapeText, Phase: dsl.PhaseConstant, State: dsl.Built, Doc: c[1]})
	}
	return out
}

func fieldOf(owner, name string) (dsl.FieldDoc, bool) {
	for _, f := range fieldsOf(owner) {
		if f.Name == name {
			return f, true
		}
	}
	return dsl.FieldDoc{}, false
}

// entry goes to the value of a key.
func (p place) entry(e syntax.Entry) place {
	in := place{names: p.names, node: e.Value, up: p.node, upWant: p.want, upOwner: p.owner, key: e.Key, field: p.field}
	switch p.want {
	case object:
		f, ok := fieldOf(p.owner, e.Key.Value)
		if !ok {
			return in
		}
		in.field, in.owner = f, f.Type
		in.want = wantOf(f.Shape)
	case named:
		in.want, in.owner, in.names = object, p.owner, p.inside(e.Key.Value)
	case lists:
		in.want, in.owner, in.names = objects, p.owner, p.inside(e.Key.Value)
	case vars, value:
		in.want = value
	}
	return in
}

// inside adds the name of an entry to those around.
func (p place) inside(name string) map[string]string {
	out := map[string]string{p.field.Name: name}
	for k, v := range p.names {
		out[k] = v
	}
	return out
}

// item goes to an item of a list.
func (p place) item(n *syntax.Node) place {
	in := place{names: p.names, node: n, up: p.node, upWant: p.want, upOwner: p.owner, field: p.field, owner: p.owner}
	switch p.want {
	case objects:
		in.want = object
	case values, value:
		in.want = value
	}
	return in
}

func wantOf(s dsl.Shape) want {
	switch s {
	case dsl.ShapeObject:
		return object
	case dsl.ShapeObjects:
		return objects
	case dsl.ShapeMap:
		return named
	case dsl.ShapeLists:
		return lists
	case dsl.ShapeVars:
		return vars
	case dsl.ShapeNames, dsl.ShapeScalars:
		return values
	}
	return value
}

// find goes down to the key or scalar at a place of the file; false where there
// is none. What is reached through an alias stands elsewhere in the file.
func (p place) find(offset int) (place, bool) {
	n := p.node
	if n == nil || n.Alias != nil || !holds(n, offset) {
		return p, false
	}
	for _, e := range n.Entries {
		if e.Key.Alias == nil && holds(e.Key, offset) {
			in := p.entry(e)
			in.onKey = true
			return in, true
		}
		if e.Value.Alias == nil && holds(e.Value, offset) {
			if got, ok := p.entry(e).find(offset); ok {
				return got, true
			}
		}
	}
	for _, item := range n.Items {
		if got, ok := p.item(item).find(offset); ok {
			return got, true
		}
	}
	return p, n.Kind == syntax.Scalar || n.Kind == syntax.Null
}

func holds(n *syntax.Node, offset int) bool {
	r := n.Range
	return r.Start.Offset <= offset && offset <= r.End.Offset && r.End.Offset > r.Start.Offset
}

// placeAt is the key or scalar at a place of a document.
func placeAt(d *document, offset int) (place, bool) {
	return rootPlace(d.path, d.parsed()).find(offset)
}

// subject is what a value names: roles, pipelines, tickets, gates, checks,
// targets, types or files; "" where it names nothing.
func (p place) subject() string {
	if p.want == object && p.node != nil && p.node.Kind == syntax.Scalar {
		switch p.owner {
		case "need":
			return "tickets"
		case "input", "output":
			return "types"
		}
	}
	if p.want == objects && p.owner == "need" {
		return "tickets"
	}
	if p.want != value && p.want != values {
		return ""
	}
	return subjects[p.field.Owner+"."+p.field.Name]
}

// subjects says which fields name other parts of the file, and which part.
var subjects = map[string]string{
	"ticket.role": "roles", "stage.role": "roles", "on_bounce.first": "roles", "ticket.escalate": "roles", "ticket.on_conflict": "roles",
	"ticket.inspector": "roles", "role.inspector": "roles", "ticket.reviewers": "roles", "stage.reviewers": "roles", "ticket.voters": "roles",
	"ticket.pipeline": "pipelines", "within.roles": "roles", "within.pipelines": "pipelines", "need.ticket": "tickets", "acceptance.by": "checks", "stage.gates": "gates", "stage.verdict": "targets",
	"input.type": "types", "output.type": "types", "role.uses": "files", "role.instructions": "files", "ticket.uses": "files",
}
