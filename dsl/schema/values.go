package schema

import (
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
)

// What scalars look like. YAML's readers give wf's plain texts as numbers and
// booleans where they look like them, so that text is all three.
const (
	moneyForm    = `^\s*(\$\s*[0-9]+(\.[0-9]{1,6})?|[0-9]+(\.[0-9]{1,6})?\s*USD)\s*$`
	durationForm = `^\s*([0-9]+d)?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*\s*$`
	identifier   = `^[A-Za-z_][A-Za-z0-9_]*$`
	partName     = `^[A-Za-z_][A-Za-z0-9_-]*$`
	verdictName  = `^[A-Z][A-Z0-9_]*$`
	maxName      = 64
)

// basics are the definitions that every document shares.
func basics() map[string]*node {
	return map[string]*node{
		"text":       {Type: kinds{"string", "number", "boolean"}},
		"constant":   {AllOf: []*node{ref("text"), {Not: &node{Type: kinds{"string"}, Pattern: `\$\{\{`}}}, Description: "Known when the file is read; no ${{ }}."},
		"expression": {Type: kinds{"string"}, Pattern: `^\s*\$\{\{[\s\S]*\}\}\s*$`},
		"templated":  {Type: kinds{"string"}, Pattern: `\$\{\{`},
		"money":      {Type: kinds{"string"}, Pattern: moneyForm},
		"duration":   {Type: kinds{"string"}, Pattern: durationForm},
		"flag":       {Enum: []any{true, false, "true", "false"}},
		"anything":   {Type: kinds{"string", "number", "boolean", "array", "object"}},
	}
}

// scalar is one value of a field's type; with expressions where its phase has them.
func (b *builder) scalar(f dsl.FieldDoc) *node {
	whole, inside := func(n *node) *node { return n }, func(n *node) *node { return n }
	if f.Phase != dsl.PhaseConstant && !b.literals {
		whole = func(n *node) *node { return either(n, ref("expression")) }
		inside = func(n *node) *node { return either(n, ref("templated")) }
	}
	switch f.Type {
	case "":
		return ref("anything")
	case "int":
		return whole(&node{Type: kinds{"integer"}})
	case "number":
		return whole(&node{Type: kinds{"number"}})
	case "bool":
		return whole(&node{Type: kinds{"boolean"}})
	case "money", "duration":
		return inside(ref(f.Type))
	}
	return ref("text")
}

// word is a constant, of the closed list where there is one.
func word(f dsl.FieldDoc) *node {
	words := builtWords(f)
	if len(words) == 0 {
		return ref("constant")
	}
	n := &node{}
	for _, w := range words {
		n.Enum = append(n.Enum, w)
	}
	return n
}

// singles are lists that may also be one value.
var singles = map[string]bool{
	"role.network": true, "notify.network": true,
	"gate.network": true, "gate.pattern": true, "gate.paths": true,
	"axis.network": true, "axis.pattern": true, "axis.paths": true, // an axis is read as a gate
}

// alone are the owners whose mappings have a short form: the value alone.
var alone = map[string]string{"need": "constant", "acceptance": "text", "output": "constant", "input": "constant"}

// identifiers are the mappings whose keys expressions name.
var identifiers = map[string]bool{"workflow.inputs": true, "workflow.types": true, "workflow.tickets": true, "workflow.outputs": true, "type.fields": true, "ticket.outputs": true}

func names(path string) *node {
	switch {
	case identifiers[path]:
		return &node{Pattern: identifier, MaxLength: maxName}
	case strings.HasSuffix(path, ".roles"), strings.HasSuffix(path, ".pipelines"):
		return &node{Pattern: partName, MaxLength: maxName}
	}
	return nil
}
