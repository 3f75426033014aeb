package policies

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/open-policy-agent/opa/v1/util"

	"github.com/seed9cc7a46e/wf/planner"
)

// enums are the fields of the plan that hold one word of a closed list and
// whose Go type does not say so with an `enum` tag, by Go type and JSON name.
// The OPA compiler does not look at them; Check does.
func enums() map[string][]string {
	var effects []string
	for _, e := range planner.EffectList {
		effects = append(effects, e.Name)
	}
	return map[string][]string{
		"EffectUse.effect": effects,
		"Agent.effects":    effects,
		"Ticket.deliver":   {"branch", "pull_request", "merge"},
		"Source.kind":      {"workflow", "include", "role", "instructions", "rules", "skill", "script", "settings", "policy", "operators"},
	}
}

// schema is the part of JSON Schema that describes the input: what the type
// checker of OPA reads, and enums for Check.
type schema struct {
	Type       string             `json:"type,omitempty"`
	Properties map[string]*schema `json:"properties,omitempty"`
	Items      *schema            `json:"items,omitempty"`
	Enum       []string           `json:"enum,omitempty"`
}

// InputSchema is the JSON Schema of what policies see: the plan document
// without its judgement, derived from its Go types so that it cannot lag behind.
func InputSchema() []byte {
	w := schemaWriter{enums: enums()}
	s := w.of(reflect.TypeFor[planner.Plan](), nil)
	delete(s.Properties, "policy")
	out, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("schema of the plan: %v", err)) // a struct of strings and maps always marshals
	}
	return out
}

type schemaWriter struct{ enums map[string][]string }

func (w schemaWriter) of(t reflect.Type, enum []string) *schema {
	switch {
	case strings.HasSuffix(t.PkgPath(), "/dsl/expr"):
		return &schema{} // a value is any JSON, and a type of the language nests without end
	case t.Kind() == reflect.Pointer:
		return w.of(t.Elem(), enum)
	case t.Kind() == reflect.Slice:
		return &schema{Type: "array", Items: w.of(t.Elem(), enum)}
	case t.Kind() == reflect.Struct:
		return w.object(t)
	case t.Kind() == reflect.String:
		return &schema{Type: "string", Enum: enum}
	case t.Kind() == reflect.Bool:
		return &schema{Type: "boolean"}
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return &schema{Type: "integer"}
	}
	return &schema{}
}

func (w schemaWriter) object(t reflect.Type) *schema {
	s := &schema{Type: "object", Properties: map[string]*schema{}}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		words := w.enums[t.Name()+"."+name]
		if tag := f.Tag.Get("enum"); tag != "" {
			words = strings.Split(tag, ",")
		}
		s.Properties[name] = w.of(f.Type, words)
	}
	return s
}

// schemaTree reads a schema as plain JSON, the form the OPA compiler takes.
func schemaTree(data []byte) (any, error) {
	if data == nil {
		data = InputSchema()
	}
	var tree any
	if err := util.NewJSONDecoder(bytes.NewReader(data)).Decode(&tree); err != nil {
		return nil, fmt.Errorf("reading the schema of the plan: %w", err)
	}
	return tree, nil
}
