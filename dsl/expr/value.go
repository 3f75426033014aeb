package expr

import (
	"encoding/json"
	"slices"
	"time"
)

// Value is a sealed value of the workflow language: the only carrier of values
// between packages. Inside is its canonical JSON (sorted keys, no spaces, no
// float where an integer will do), so that equal values are == and serialise to
// the same bytes. Money is text such as "2.50 USD", a duration text such as
// "1h30m". The zero Value is null.
type Value struct{ text string }

// FromJSON seals JSON. It fails on what is not exactly one JSON value, on
// duplicate keys, invalid UTF-8, nesting over 64 and integers beyond 64 bits.
func FromJSON(raw json.RawMessage) (Value, error) {
	tree, err := decode(raw)
	if err != nil {
		return Value{}, err
	}
	return seal(tree), nil
}

// Of seals a scalar.
func Of[T string | int | int64 | bool](v T) Value {
	switch x := any(v).(type) {
	case int:
		return seal(int64(x))
	default:
		return seal(x)
	}
}

// OfList seals a list.
func OfList(items []Value) Value {
	list := make([]any, len(items))
	for i, v := range items {
		list[i] = v.tree()
	}
	return seal(list)
}

// OfMap seals a map or a record. Of entries with the same key the last stands.
func OfMap(entries []Entry) Value {
	m := make(map[string]any, len(entries))
	for _, e := range entries {
		m[e.Key] = e.Value.tree()
	}
	return seal(m)
}

// Entry is one key of a map with its value.
type Entry struct {
	Key   string
	Value Value
}

// JSON gives the canonical bytes.
func (v Value) JSON() json.RawMessage { return json.RawMessage(v.String()) }

// String gives the canonical JSON as text.
func (v Value) String() string {
	if v.text == "" {
		return "null"
	}
	return v.text
}

// MarshalJSON gives the canonical bytes.
func (v Value) MarshalJSON() ([]byte, error) { return v.JSON(), nil }

// UnmarshalJSON seals raw, with the refusals of FromJSON.
func (v *Value) UnmarshalJSON(raw []byte) error {
	got, err := FromJSON(raw)
	if err == nil {
		*v = got
	}
	return err
}

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.text == "" }

// Text gives a scalar as it stands inside text: a string without quotes, a
// number or bool as its JSON. Null, lists and maps have none.
func (v Value) Text() (string, bool) {
	switch x := v.tree().(type) {
	case string:
		return x, true
	case bool, int64, float64:
		return v.String(), true
	}
	return "", false
}

// Str gives a string.
func (v Value) Str() (string, bool) {
	s, ok := v.tree().(string)
	return s, ok
}

// Int gives an integer.
func (v Value) Int() (int64, bool) {
	i, ok := v.tree().(int64)
	return i, ok
}

// Number gives an integer or a float.
func (v Value) Number() (float64, bool) {
	switch x := v.tree().(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

// Bool gives a bool.
func (v Value) Bool() (value, ok bool) {
	value, ok = v.tree().(bool)
	return value, ok
}

// Money gives an amount in millionths of a dollar.
func (v Value) Money() (int64, bool) {
	s, ok := v.Str()
	if !ok {
		return 0, false
	}
	micros, err := ParseMoney(s)
	return micros, err == nil
}

// Duration gives a length of time.
func (v Value) Duration() (time.Duration, bool) {
	s, ok := v.Str()
	if !ok {
		return 0, false
	}
	d, err := ParseDuration(s)
	return d, err == nil
}

// List gives the elements of a list.
func (v Value) List() ([]Value, bool) {
	list, ok := v.tree().([]any)
	if !ok {
		return nil, false
	}
	out := make([]Value, len(list))
	for i, x := range list {
		out[i] = seal(x)
	}
	return out, true
}

// Map gives the entries of a map or a record, sorted by key.
func (v Value) Map() ([]Entry, bool) {
	m, ok := v.tree().(map[string]any)
	if !ok {
		return nil, false
	}
	out := make([]Entry, 0, len(m))
	for _, k := range sortedKeys(m) {
		out = append(out, Entry{k, seal(m[k])})
	}
	return out, true
}

// Field gives the value under a key of a map or a record.
func (v Value) Field(name string) (Value, bool) {
	m, ok := v.tree().(map[string]any)
	if !ok {
		return Value{}, false
	}
	x, ok := m[name]
	return seal(x), ok
}

func (v Value) tree() any {
	if v.text == "" {
		return nil
	}
	if tree, ok := simple(v.text); ok {
		return tree
	}
	tree, err := decode([]byte(v.text))
	if err != nil { // a Value holds only what decode accepted
		return nil
	}
	return tree
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
