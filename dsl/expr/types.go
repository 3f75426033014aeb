package expr

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what a value is, apart from its constraints.
type Kind int

// The kinds of the workflow language. The zero Kind means "not known: infer it".
const (
	String Kind = iota + 1
	Int
	Number
	Bool
	Duration
	Money
	Path
	Glob
	Slug
	URL
	Ref
	Enum
	List
	Map
	Record
	JSON
	Null
)

var kindNames = [...]string{
	String: "string", Int: "int", Number: "number", Bool: "bool", Duration: "duration", Money: "money",
	Path: "path", Glob: "glob", Slug: "slug", URL: "url", Ref: "ref", Enum: "enum", List: "list", Map: "map",
	Record: "record", JSON: "json", Null: "null",
}

// String gives the word of the language for k.
func (k Kind) String() string {
	if k < String || k > Null {
		return "unknown"
	}
	return kindNames[k]
}

// Textual reports whether values of k are stored and compared as text.
func (k Kind) Textual() bool {
	switch k {
	case String, Path, Glob, Slug, URL, Ref, Enum:
		return true
	}
	return false
}

// Scalar reports whether a value of k can stand inside text.
func (k Kind) Scalar() bool {
	switch k {
	case Int, Number, Bool, Duration, Money:
		return true
	}
	return k.Textual()
}

// Type says what values a name may hold.
type Type struct {
	Kind     Kind        `json:"kind"`
	Optional bool        `json:"optional,omitempty"` // null is a value of it
	Elem     *Type       `json:"elem,omitempty"`     // of a List or a Map
	Enum     []string    `json:"enum,omitempty"`     // the members, in the order declared
	Fields   []Field     `json:"fields,omitempty"`   // of a Record, in the order declared
	Name     string      `json:"name,omitempty"`     // of a Record: its name under `types:`
	Limits   Constraints `json:"limits,omitzero"`
	// Untrusted says that somebody other than the runner and the workflow's
	// author wrote the value: an agent, or the sender of a pull request.
	Untrusted bool `json:"untrusted,omitempty"`
}

// Field is a named part of a record, or a named value of a scope.
type Field struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// Constraints narrow a type. Lengths count Unicode code points.
// Of money, Min and Max are in dollars; of a duration, in seconds.
type Constraints struct {
	Min       *float64 `json:"min,omitempty"`
	Max       *float64 `json:"max,omitempty"`
	MinLength *int     `json:"min_length,omitempty"`
	MaxLength *int     `json:"max_length,omitempty"`
	MinItems  *int     `json:"min_items,omitempty"`
	MaxItems  *int     `json:"max_items,omitempty"`
	Pattern   string   `json:"pattern,omitempty"` // RE2, matched anywhere in the text
	Unique    bool     `json:"unique,omitempty"`
}

// String writes t as an author would: "list<area>?", "enum<A,B>".
func (t Type) String() string {
	mark := ""
	if t.Optional && t.Kind != Null {
		mark = "?"
	}
	switch {
	case isLiteral(t):
		texts := make([]string, len(t.Enum))
		for i, m := range t.Enum {
			texts[i] = quote(m)
		}
		return strings.Join(texts, " or ") + mark
	case t.Kind == Enum:
		return "enum<" + strings.Join(t.Enum, ",") + ">" + mark
	case t.Kind == List || t.Kind == Map:
		elem := "json"
		if t.Elem != nil {
			elem = t.Elem.String()
		}
		return t.Kind.String() + "<" + elem + ">" + mark
	case t.Kind == Record && t.Name != "":
		return t.Name + mark
	}
	return t.Kind.String() + mark
}

// Field gives the type of a record's field.
func (t Type) Field(name string) (Type, bool) {
	i := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return t.Fields[i].Type, true
}

// Tainted reports whether a value of t may carry words that an untrusted writer
// chose. int, number, bool, duration, money, enum, slug and ref cannot: the
// runner has validated them, and writes them itself.
func (t Type) Tainted() bool {
	switch t.Kind {
	case Int, Number, Bool, Duration, Money, Enum, Slug, Ref, Null:
		return false
	case List:
		return t.elem().Tainted()
	case Map: // its keys are free text
		return t.Untrusted || t.elem().Tainted()
	case Record:
		return slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Type.Tainted() })
	}
	return t.Untrusted
}

// AsUntrusted gives t with every part marked as written by somebody else.
func (t Type) AsUntrusted() Type {
	t.Untrusted = true
	if t.Elem != nil {
		elem := t.Elem.AsUntrusted()
		t.Elem = &elem
	}
	fields := make([]Field, len(t.Fields))
	for i, f := range t.Fields {
		fields[i] = Field{f.Name, f.Type.AsUntrusted()}
	}
	if t.Fields != nil {
		t.Fields = fields
	}
	return t
}

// ListOf gives the type of lists of elem.
func ListOf(elem Type) Type { return Type{Kind: List, Elem: &elem, Untrusted: elem.Untrusted} }

func (t Type) elem() Type {
	if t.Elem == nil {
		return Type{Kind: JSON, Untrusted: t.Untrusted}
	}
	return *t.Elem
}

func (t Type) optional() Type {
	t.Optional = true
	return t
}

func (t Type) present() Type {
	t.Optional = false
	return t
}

// TypeError says what is wrong with the spelling of a type, and where in it.
type TypeError struct {
	Offset  int // in bytes of the text
	Message string
	Near    string // the nearest type name, or empty
}

// Error gives the message with its place.
func (e *TypeError) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Message, e.Offset) }

// maxTypeDepth bounds list<list<…>>, so that no walk over a type recurses far.
const maxTypeDepth = 16

// ParseType reads a type as an author writes it. records are the named types in
// scope. The error is always a *TypeError.
func ParseType(text string, records map[string]Type) (Type, error) {
	p := typeParser{text: text, records: records}
	t, err := p.parse(0)
	if err != nil {
		return Type{}, err
	}
	if p.space(); p.at < len(text) {
		return Type{}, p.fail("unexpected %q after the type", text[p.at:])
	}
	return t, nil
}

type typeParser struct {
	text    string
	at      int
	records map[string]Type
}

func (p *typeParser) fail(format string, args ...any) *TypeError {
	return &TypeError{Offset: p.at, Message: fmt.Sprintf(format, args...)}
}

func (p *typeParser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *typeParser) eat(c byte) bool {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *typeParser) word(stop string) string {
	p.space()
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(stop, rune(p.text[p.at])) {
		p.at++
	}
	return strings.TrimRight(p.text[start:p.at], " ")
}

func (p *typeParser) parse(depth int) (Type, error) {
	if depth > maxTypeDepth {
		return Type{}, p.fail("the type is nested more than %d deep", maxTypeDepth)
	}
	p.space()
	start := p.at
	name := p.word("<>,? ")
	t, err := p.named(name, start, depth)
	if err != nil {
		return Type{}, err
	}
	if p.eat('?') {
		t.Optional = true
	}
	return t, nil
}

func (p *typeParser) named(name string, start, depth int) (Type, error) {
	switch name {
	case "":
		return Type{}, p.fail("a type is missing")
	case "list", "map":
		return p.collection(name, depth)
	case "enum":
		return p.enum()
	}
	for k := String; k <= JSON; k++ {
		if k.String() == name && k != Enum && k != Record {
			return Type{Kind: k}, nil
		}
	}
	if t, ok := p.records[name]; ok {
		t.Name = name
		return t, nil
	}
	return Type{}, p.unknown(name, start)
}

func (p *typeParser) unknown(name string, start int) *TypeError {
	known := []string{"list", "map", "enum"}
	for k := String; k <= JSON; k++ {
		if k != Enum && k != Record {
			known = append(known, k.String())
		}
	}
	for r := range p.records {
		known = append(known, r)
	}
	slices.Sort(known)
	return &TypeError{Offset: start, Message: fmt.Sprintf("there is no type %q", name), Near: Nearest(name, known)}
}

func (p *typeParser) collection(name string, depth int) (Type, error) {
	kind := List
	if name == "map" {
		kind = Map
	}
	if !p.eat('<') {
		return Type{}, p.fail("%s needs the type of its elements: %s<string>", name, name)
	}
	elem, err := p.parse(depth + 1)
	if err != nil {
		return Type{}, err
	}
	if !p.eat('>') {
		return Type{}, p.fail("%s< is not closed by >", name)
	}
	return Type{Kind: kind, Elem: &elem}, nil
}

func (p *typeParser) enum() (Type, error) {
	if !p.eat('<') {
		return Type{}, p.fail("enum needs its members: enum<A,B>")
	}
	t := Type{Kind: Enum}
	for {
		p.space()
		start := p.at
		member := p.word("<>,?")
		if member == "" {
			return Type{}, p.fail("a member of the enum is missing")
		}
		if slices.Contains(t.Enum, member) {
			p.at = start
			return Type{}, p.fail("the enum names %s twice", member)
		}
		t.Enum = append(t.Enum, member)
		if p.eat(',') {
			continue
		}
		if p.eat('>') {
			return t, nil
		}
		return Type{}, p.fail("enum< is not closed by >")
	}
}
