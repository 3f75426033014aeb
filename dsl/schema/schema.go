// Package schema defines the JSON Schemas of wf's YAML files: what an editor's
// YAML server knows of them without asking wf.
//
// Enter with Workflow, Settings and Script. The first two are made from the
// table of fields in package dsl, so that they cannot fall behind it. A schema
// sees shapes, words and forms; what it cannot see (names, types, phases,
// taint) is for `wf validate` and `wf lsp` to say.
package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
)

const draft = "http://json-schema.org/draft-07/schema#"

// Workflow is the schema of NAME.wf.yaml.
func Workflow() ([]byte, error) {
	b := builder{}
	return encode(b.document("workflow", "A workflow of wf: inputs, limits, roles, pipelines, tickets."))
}

// Settings is the schema of wf.yaml.
func Settings() ([]byte, error) {
	b := builder{literals: true}
	return encode(b.document("settings", "Settings of wf: bounds for the workflows of a folder."))
}

// builder makes one document out of the table of fields.
type builder struct {
	literals bool // settings: no expressions, and every field may be left out
	defs     map[string]*node
}

func (b *builder) document(owner, title string) *node {
	b.defs = basics()
	root := b.owner(owner)
	root.Schema, root.Title, root.Definitions = draft, title, b.defs
	if b.literals {
		root.Type = append(root.Type, "null") // a file of comments alone says nothing
	}
	return root
}

// refer gives the schema of an owner's mappings, and makes it once.
func (b *builder) refer(owner string) *node {
	name := strings.ReplaceAll(owner, " ", "_")
	if _, made := b.defs[name]; !made {
		b.defs[name] = &node{} // an owner may hold itself
		b.defs[name] = b.owner(owner)
	}
	if short, ok := alone[owner]; ok {
		return either(ref(short), ref(name))
	}
	if len(b.defs[name].Required) == 0 {
		return either(ref(name), &node{Type: kinds{"null"}})
	}
	return ref(name)
}

func (b *builder) owner(owner string) *node {
	n := &node{Type: kinds{"object"}, Properties: map[string]*node{}, Additional: closed}
	for _, f := range dsl.Fields() {
		if f.Owner != owner || f.State == dsl.Later {
			continue
		}
		n.Properties[f.Name] = b.field(f)
		if f.Required && !(b.literals && owner == "limits") {
			n.Required = append(n.Required, f.Name)
		}
	}
	switch owner {
	case "input", "output":
		for name, of := range constraints() {
			n.Properties[name] = of
		}
	case "ticket": // one that includes a workflow has its briefs there
		n.Required = slices.DeleteFunc(n.Required, func(name string) bool { return name == "brief" })
		n.AnyOf = []*node{{Required: []string{"brief"}}, {Required: []string{"uses"}}}
	}
	return n
}

// constraints stand beside `type:`.
func constraints() map[string]*node {
	out := map[string]*node{
		"min":     {AnyOf: []*node{{Type: kinds{"number"}}, ref("money"), ref("duration")}, Description: "The least value."},
		"max":     {AnyOf: []*node{{Type: kinds{"number"}}, ref("money"), ref("duration")}, Description: "The greatest value."},
		"pattern": {AllOf: []*node{ref("constant")}, Description: "A regular expression (RE2) that is found in the text."},
		"unique":  {AllOf: []*node{ref("flag")}, Description: "Whether no element stands twice."},
	}
	for name, doc := range map[string]string{"min_length": "The least number of characters.", "max_length": "The most characters.", "min_items": "The least number of elements.", "max_items": "The most elements."} {
		out[name] = &node{Type: kinds{"integer"}, Description: doc}
	}
	return out
}

// field is the schema of a field's value with its documentation.
func (b *builder) field(f dsl.FieldDoc) *node {
	n := b.value(f)
	if n.Ref != "" { // draft 7 reads nothing beside a $ref
		n = &node{AllOf: []*node{n}}
	}
	n.Description, n.Default = b.describe(f), initial(f)
	return n
}

// initial is the default as YAML's readers give it, so that an editor inserts
// a number and not its text; nil where there is none.
func initial(f dsl.FieldDoc) any {
	if n, err := strconv.Atoi(f.Default); err == nil && f.Type == "int" {
		return n
	}
	switch {
	case f.Default == "":
		return nil
	case f.Shape == dsl.ShapeFlag:
		return f.Default == "true"
	case f.Shape == dsl.ShapeScalars:
		return []string{f.Default}
	}
	return f.Default
}

func (b *builder) value(f dsl.FieldDoc) *node {
	switch f.Shape {
	case dsl.ShapeName:
		if f.Name == "wf" {
			return &node{Enum: []any{dsl.Format, fmt.Sprint(dsl.Format)}}
		}
		return word(f)
	case dsl.ShapeText:
		return ref("constant")
	case dsl.ShapeFlag:
		return ref("flag")
	case dsl.ShapeNames:
		return orNull(either(word(f), listOf(word(f))))
	case dsl.ShapeScalar:
		return b.scalar(f)
	case dsl.ShapeScalars:
		list := orNull(listOf(b.scalar(f)))
		if singles[f.Owner+"."+f.Name] {
			return either(b.scalar(f), list)
		}
		return list
	}
	return b.collection(f)
}

func (b *builder) collection(f dsl.FieldDoc) *node {
	mapping := func(of *node) *node {
		n := &node{Type: kinds{"object"}, Additional: &additional{of}, PropertyNames: names(f.Owner + "." + f.Name)}
		if !f.Required {
			return orNull(n)
		}
		n.MinProperties = 1
		return n
	}
	switch f.Shape {
	case dsl.ShapeVars:
		return mapping(b.scalar(f))
	case dsl.ShapeObject:
		return b.refer(f.Type)
	case dsl.ShapeObjects:
		list := orNull(listOf(b.refer(f.Type)))
		if f.Type == "need" {
			return either(ref("constant"), list)
		}
		return list
	case dsl.ShapeMap:
		return mapping(b.refer(f.Type))
	case dsl.ShapeLists:
		return mapping(&node{Type: kinds{"array"}, Items: b.refer(f.Type), MinItems: 1})
	}
	switch f.Owner + "." + f.Name {
	case "stage.verdict":
		return &node{Type: kinds{"object"}, MinProperties: 1, PropertyNames: &node{Pattern: verdictName}, Additional: &additional{either(ref("constant"), &node{Type: kinds{"object"}})}}
	case "ticket.matrix":
		return &node{Type: kinds{"object"}, MinProperties: 1}
	}
	return &node{}
}

// describe is what an editor shows of a field.
func (b *builder) describe(f dsl.FieldDoc) string {
	out := f.Doc
	if f.Type != "" && (f.Shape == dsl.ShapeScalar || f.Shape == dsl.ShapeScalars || f.Shape == dsl.ShapeVars) {
		out += " Type: " + f.Type + "."
	}
	switch {
	case b.literals: // settings hold no expressions
	case f.Phase == dsl.PhasePlan:
		out += " Known when the plan is made; ${{ }} may use inputs."
	case f.Phase == dsl.PhaseRun:
		out += " May use what tickets delivered."
	}
	if len(f.Later) > 0 {
		out += " Not built yet: " + strings.Join(f.Later, ", ") + "."
	}
	return out
}

func builtWords(f dsl.FieldDoc) []string {
	return slices.DeleteFunc(slices.Clone(f.Words), func(w string) bool { return slices.Contains(f.Later, w) })
}
