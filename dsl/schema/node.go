package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// node is one schema of draft 7. The zero node accepts everything.
type node struct {
	Schema        string           `json:"$schema,omitempty"`
	Title         string           `json:"title,omitempty"`
	Ref           string           `json:"$ref,omitempty"`
	Description   string           `json:"description,omitempty"`
	Default       any              `json:"default,omitempty"`
	Type          kinds            `json:"type,omitempty"`
	Enum          []any            `json:"enum,omitempty"`
	Pattern       string           `json:"pattern,omitempty"`
	MaxLength     int              `json:"maxLength,omitempty"`
	Items         *node            `json:"items,omitempty"`
	MinItems      int              `json:"minItems,omitempty"`
	Properties    map[string]*node `json:"properties,omitempty"`
	MinProperties int              `json:"minProperties,omitempty"`
	PropertyNames *node            `json:"propertyNames,omitempty"`
	Required      []string         `json:"required,omitempty"`
	Additional    *additional      `json:"additionalProperties,omitempty"`
	AnyOf         []*node          `json:"anyOf,omitempty"`
	AllOf         []*node          `json:"allOf,omitempty"`
	Not           *node            `json:"not,omitempty"`
	Definitions   map[string]*node `json:"definitions,omitempty"`
}

// kinds are JSON's names of types; one alone stands without brackets.
type kinds []string

// MarshalJSON writes one kind as text and several as a list.
func (k kinds) MarshalJSON() ([]byte, error) {
	if len(k) == 1 {
		return json.Marshal(k[0])
	}
	return json.Marshal([]string(k))
}

// additional says what keys beside the named ones hold; nil: there are none.
type additional struct{ of *node }

// MarshalJSON writes the schema, or false.
func (a additional) MarshalJSON() ([]byte, error) {
	if a.of == nil {
		return []byte("false"), nil
	}
	return json.Marshal(a.of)
}

var closed = &additional{}

func encode(n *node) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(n); err != nil {
		return nil, fmt.Errorf("write the schema %q: %w", n.Title, err)
	}
	return out.Bytes(), nil
}

// either is an alternative; one alone is itself.
func either(nodes ...*node) *node {
	if len(nodes) == 1 {
		return nodes[0]
	}
	return &node{AnyOf: nodes}
}

func ref(name string) *node { return &node{Ref: "#/definitions/" + name} }

func listOf(item *node) *node { return &node{Type: kinds{"array"}, Items: item} }

// orNull also accepts a key without a value, which wf reads as an empty list or mapping.
func orNull(n *node) *node {
	if len(n.Type) > 0 {
		n.Type = append(n.Type, "null")
		return n
	}
	return either(n, &node{Type: kinds{"null"}})
}
