package planfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// Schema gives the JSON Schema (draft 7) of the plan document, made from the Go
// types, so that it cannot fall behind them. Every object is closed, and closed
// lists of words are enums: a policy that misspells a field does not compile.
func Schema() ([]byte, error) { return schemaOf("The plan document of wf.", false) }

// UnjudgedSchema gives the schema of what policies see: the plan without what
// policies said of it.
func UnjudgedSchema() ([]byte, error) { return schemaOf("The plan, as policies see it.", true) }

func schemaOf(title string, unjudged bool) ([]byte, error) {
	b := schemaBuilder{defs: map[string]*node{}}
	root := b.object(reflect.TypeFor[planner.Plan]())
	if unjudged {
		delete(root.Properties, judgementKey)
		root.drop(judgementKey)
	}
	format := planner.Format
	root.Properties["plan"] = &node{Const: &format}
	root.Schema, root.Title, root.Definitions = "http://json-schema.org/draft-07/schema#", title, b.defs
	if b.err != nil {
		return nil, fmt.Errorf("schema of the plan: %w", b.err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil, fmt.Errorf("schema of the plan: %w", err)
	}
	return out.Bytes(), nil
}

// node is one schema. The zero node accepts everything.
type node struct {
	Schema               string           `json:"$schema,omitempty"`
	Title                string           `json:"title,omitempty"`
	Ref                  string           `json:"$ref,omitempty"`
	Type                 string           `json:"type,omitempty"`
	Const                *int             `json:"const,omitempty"`
	Enum                 []string         `json:"enum,omitempty"`
	Pattern              string           `json:"pattern,omitempty"`
	Items                *node            `json:"items,omitempty"`
	Properties           map[string]*node `json:"properties,omitempty"`
	Required             []string         `json:"required,omitempty"`
	AdditionalProperties *bool            `json:"additionalProperties,omitempty"`
	Definitions          map[string]*node `json:"definitions,omitempty"`
}

func (n *node) drop(required string) {
	kept := n.Required[:0]
	for _, r := range n.Required {
		if r != required {
			kept = append(kept, r)
		}
	}
	n.Required = kept
}

type schemaBuilder struct {
	defs map[string]*node
	err  error
}

// of gives the schema of a Go type; structs become definitions, so that a type
// may hold itself, as the type of a list of lists does.
func (b *schemaBuilder) of(t reflect.Type) *node {
	switch {
	case t == reflect.TypeFor[expr.Value]():
		return &node{}
	case t == reflect.TypeFor[expr.Kind]():
		return &node{Type: "string", Enum: kinds()}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.of(t.Elem())
	case reflect.Slice:
		return &node{Type: "array", Items: b.of(t.Elem())}
	case reflect.Struct:
		return b.named(t)
	case reflect.String:
		return &node{Type: "string"}
	case reflect.Bool:
		return &node{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &node{Type: "integer"}
	case reflect.Float64:
		return &node{Type: "number"}
	}
	b.err = fmt.Errorf("no schema for %s", t)
	return &node{}
}

func (b *schemaBuilder) named(t reflect.Type) *node {
	name := t.Name()
	if t.PkgPath() == reflect.TypeFor[expr.Type]().PkgPath() {
		name = "value" + name
	}
	if _, begun := b.defs[name]; !begun {
		b.defs[name] = &node{}
		*b.defs[name] = *b.object(t)
	}
	return &node{Ref: "#/definitions/" + name}
}

func (b *schemaBuilder) object(t reflect.Type) *node {
	closed := false
	n := &node{Type: "object", Properties: map[string]*node{}, AdditionalProperties: &closed}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, ok := fieldName(f)
		if !ok {
			continue
		}
		field := b.of(f.Type)
		if words := f.Tag.Get("enum"); words != "" {
			field.Enum = strings.Split(words, ",")
		}
		if pattern := f.Tag.Get("pattern"); pattern != "" {
			field.Pattern = pattern
		}
		n.Properties[name] = field
		if !strings.Contains(options, "omit") {
			n.Required = append(n.Required, name)
		}
	}
	return n
}

// kinds are the words of the language for types; "" is a type not known.
func kinds() []string {
	out := []string{""}
	for k := expr.String; k <= expr.Null; k++ {
		out = append(out, k.String())
	}
	return out
}
