package expr

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Mismatch is one place where a value does not fit its type.
type Mismatch struct {
	Path    string // inside the value: "", "areas[2].name", `env["A-B"]`
	Message string // names what was wanted and what is there
}

// String gives the mismatch as one line.
func (m Mismatch) String() string {
	if m.Path == "" {
		return m.Message
	}
	return m.Path + ": " + m.Message
}

// Conform checks v against t, with its constraints, and gives the normal form:
// paths cleaned, "2.5 USD" as "2.50 USD", "90s" as "1m30s". Nothing is coerced
// from one kind into another, but an integral number into an int. All mismatches
// are reported, in the order of the value; with any, the value is null.
func Conform(v Value, t Type) (Value, []Mismatch) {
	c := conformer{}
	out := c.value(v.tree(), t, "")
	if len(c.found) > 0 {
		return Value{}, c.found
	}
	return seal(out), nil
}

// FromScalar reads a YAML scalar as its author spelled it. quoted says that it
// stood in quotes or in a block. A bare `null` or `~` is null; a string field keeps
// the spelling of a bare number ("1.10", "012").
func FromScalar(text string, quoted bool, t Type) (Value, []Mismatch) {
	if !quoted && (text == "null" || text == "~" || text == "") {
		return Conform(Value{}, t)
	}
	tree, err := scalar(text, quoted, t)
	if err != "" {
		return Value{}, []Mismatch{{Message: err}}
	}
	return Conform(seal(tree), t)
}

func scalar(text string, quoted bool, t Type) (tree any, problem string) {
	if t.Kind.Textual() || t.Kind == Money || t.Kind == Duration {
		return text, ""
	}
	if quoted && (t.Kind == Int || t.Kind == Number || t.Kind == Bool) {
		return nil, fmt.Sprintf("expected %s, got the text %s; remove the quotes", t, quote(text))
	}
	switch t.Kind {
	case Int:
		i, err := strconv.ParseInt(text, 10, 64)
		if err != nil || !plainNumber().MatchString(text) {
			return nil, fmt.Sprintf("expected int, got %s", quote(text))
		}
		return i, ""
	case Number:
		n, err := number(text)
		if err != nil || !plainNumber().MatchString(text) {
			return nil, fmt.Sprintf("expected number, got %s", quote(text))
		}
		return n, ""
	case Bool:
		if text != "true" && text != "false" {
			return nil, fmt.Sprintf("expected bool (true or false), got %s", quote(text))
		}
		return text == "true", ""
	case JSON:
		return looseScalar(text, quoted), ""
	}
	return text, ""
}

// plainNumber leaves out what YAML readers disagree about: 012, 0x1F, 1_000, +1, .5.
var plainNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`) })

func looseScalar(text string, quoted bool) any {
	if quoted {
		return text
	}
	if text == "true" || text == "false" {
		return text == "true"
	}
	if plainNumber().MatchString(text) {
		if n, err := number(text); err == nil {
			return n
		}
	}
	return text
}

type conformer struct{ found []Mismatch }

func (c *conformer) fail(path, format string, args ...any) any {
	c.found = append(c.found, Mismatch{path, fmt.Sprintf(format, args...)})
	return nil
}

func (c *conformer) value(tree any, t Type, path string) any {
	if tree == nil {
		if !t.Optional && t.Kind != JSON && t.Kind != Null && t.Kind != 0 {
			c.fail(path, "expected %s, got null", t)
		}
		return nil
	}
	switch t.Kind {
	case JSON, 0:
		return tree
	case List:
		return c.list(tree, t, path)
	case Map:
		return c.entries(tree, t, path)
	case Record:
		return c.record(tree, t, path)
	case Int, Number:
		return c.number(tree, t, path)
	case Bool:
		if b, ok := tree.(bool); ok {
			return b
		}
	default:
		if s, ok := tree.(string); ok {
			return c.text(s, t, path)
		}
	}
	return c.fail(path, "expected %s, got %s", t, describe(tree))
}

func (c *conformer) list(tree any, t Type, path string) any {
	items, ok := tree.([]any)
	if !ok {
		return c.fail(path, "expected %s, got %s", t, describe(tree))
	}
	c.count(len(items), t, path, "elements")
	out := make([]any, len(items))
	seen := map[string]int{}
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		out[i] = c.value(item, t.elem(), at)
		if t.Limits.Unique {
			text := seal(out[i]).text
			if first, twice := seen[text]; twice {
				c.fail(at, "equals element %d, but the elements must be unique", first)
				continue
			}
			seen[text] = i
		}
	}
	return out
}

func (c *conformer) count(n int, t Type, path, what string) {
	if low := t.Limits.MinItems; low != nil && n < *low {
		c.fail(path, "has %d %s, at least %d are wanted", n, what, *low)
	}
	if high := t.Limits.MaxItems; high != nil && n > *high {
		c.fail(path, "has %d %s, at most %d are allowed", n, what, *high)
	}
}

func (c *conformer) entries(tree any, t Type, path string) any {
	m, ok := tree.(map[string]any)
	if !ok {
		return c.fail(path, "expected %s, got %s", t, describe(tree))
	}
	c.count(len(m), t, path, "keys")
	out := make(map[string]any, len(m))
	for _, k := range sortedKeys(m) {
		out[k] = c.value(m[k], t.elem(), join(path, k))
	}
	return out
}

func (c *conformer) record(tree any, t Type, path string) any {
	m, ok := tree.(map[string]any)
	if !ok {
		return c.fail(path, "expected %s, got %s", t, describe(tree))
	}
	out := make(map[string]any, len(t.Fields))
	for _, f := range t.Fields {
		x, present := m[f.Name]
		if !present && !f.Type.Optional {
			c.fail(join(path, f.Name), "the field is missing; it must be %s", f.Type)
			continue
		}
		out[f.Name] = c.value(x, f.Type, join(path, f.Name))
	}
	for _, k := range sortedKeys(m) {
		if _, known := out[k]; known {
			continue
		}
		if _, known := t.Field(k); !known {
			c.fail(join(path, k), "%s has no field %s%s", t, quote(k), meant(k, names(t.Fields)))
		}
	}
	return out
}

func (c *conformer) number(tree any, t Type, path string) any {
	var f float64
	switch x := tree.(type) {
	case int64:
		f = float64(x)
	case float64:
		if f = x; t.Kind == Int {
			return c.fail(path, "expected int, got %s", describe(tree))
		}
	default:
		return c.fail(path, "expected %s, got %s", t, describe(tree))
	}
	c.bounds(f, t, path, func(limit float64) string { return strconv.FormatFloat(limit, 'g', -1, 64) })
	return tree
}

func (c *conformer) bounds(f float64, t Type, path string, show func(float64) string) {
	if low := t.Limits.Min; low != nil && f < *low {
		c.fail(path, "is %s, the least is %s", show(f), show(*low))
	}
	if high := t.Limits.Max; high != nil && f > *high {
		c.fail(path, "is %s, the most is %s", show(f), show(*high))
	}
}

func (c *conformer) text(s string, t Type, path string) any {
	switch t.Kind {
	case Money:
		micros, err := ParseMoney(s)
		if err != nil {
			return c.fail(path, "%v", err)
		}
		c.bounds(float64(micros)/1e6, t, path, func(d float64) string { return FormatMoney(int64(math.Round(d * 1e6))) })
		return FormatMoney(micros)
	case Duration:
		d, err := ParseDuration(s)
		if err != nil {
			return c.fail(path, "%v", err)
		}
		c.bounds(d.Seconds(), t, path, func(s float64) string { return FormatDuration(time.Duration(s * float64(time.Second))) })
		return FormatDuration(d)
	case Enum:
		if !slices.Contains(t.Enum, s) {
			return c.fail(path, "%s is not one of %s%s", quote(s), strings.Join(t.Enum, ", "), meant(s, t.Enum))
		}
		return s
	}
	normal, err := textual(t.Kind, s)
	if err != nil {
		return c.fail(path, "%v", err)
	}
	c.length(normal, t, path)
	return normal
}

func (c *conformer) length(s string, t Type, path string) {
	n := utf8.RuneCountInString(s)
	if low := t.Limits.MinLength; low != nil && n < *low {
		c.fail(path, "has %d characters, at least %d are wanted", n, *low)
	}
	if high := t.Limits.MaxLength; high != nil && n > *high {
		c.fail(path, "has %d characters, at most %d are allowed", n, *high)
	}
	if t.Limits.Pattern == "" {
		return
	}
	re, err := regexp.Compile(t.Limits.Pattern)
	if err != nil {
		c.fail(path, "the pattern %s is not a regular expression", quote(t.Limits.Pattern))
	} else if !re.MatchString(s) {
		c.fail(path, "%s does not match the pattern %s", quote(s), quote(t.Limits.Pattern))
	}
}

// describe names a value in a message: what it is, and what it says if short.
func describe(tree any) string {
	switch x := tree.(type) {
	case string:
		return "the text " + quote(x)
	case []any:
		return fmt.Sprintf("a list of %d", len(x))
	case map[string]any:
		return fmt.Sprintf("a map of %d", len(x))
	}
	return seal(tree).String()
}

var plainKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`) })

func join(path, key string) string {
	switch {
	case !plainKey().MatchString(key):
		return path + "[" + quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

func names(fields []Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return out
}

// meant gives "; did you mean X?" or nothing.
func meant(word string, candidates []string) string {
	if near := Nearest(word, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
