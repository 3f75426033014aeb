package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxValueDepth bounds the nesting of a value: far above what an author writes,
// far below what a stack holds.
const maxValueDepth = 64

// decode reads one JSON value into nil, bool, int64, float64, string, []any and
// map[string]any. It is the only reader of foreign values.
func decode(raw []byte) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("the value is not valid UTF-8")
	}
	if tree, ok := simple(string(raw)); ok {
		return tree, nil
	}
	return decodeAny(raw)
}

// simple reads the scalars that need no decoder: true, false, text without
// escapes, short whole numbers. They are nearly all values of a workflow, and a
// decoder of encoding/json costs a kilobyte each.
func simple(text string) (tree any, ok bool) {
	switch {
	case text == "true":
		return true, true
	case text == "false":
		return false, true
	case len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"':
		inner := text[1 : len(text)-1]
		for i := range len(inner) {
			if c := inner[i]; c == '"' || c == '\\' || c < 0x20 {
				return nil, false
			}
		}
		return inner, true
	}
	return shortInt(text)
}

func shortInt(text string) (tree any, ok bool) {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) == 0 || len(digits) > 15 || digits[0] == '0' && text != "0" || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// decodeAny is decode without the short way.
func decodeAny(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	tree, err := decodeValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows the JSON value")
	}
	return tree, nil
}

func decodeValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxValueDepth {
		return nil, fmt.Errorf("the value is nested more than %d deep", maxValueDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	switch t := token.(type) {
	case json.Number:
		return number(t.String())
	case json.Delim:
		if t == '[' {
			return decodeList(dec, depth)
		}
		return decodeMap(dec, depth)
	}
	return token, nil
}

func decodeList(dec *json.Decoder, depth int) (any, error) {
	list := []any{}
	for dec.More() {
		item, err := decodeValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	_, err := dec.Token()
	return list, err
}

func decodeMap(dec *json.Decoder, depth int) (any, error) {
	m := map[string]any{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		key, ok := token.(string)
		if !ok {
			return nil, errors.New("not JSON: a key is not a string")
		}
		if _, twice := m[key]; twice {
			return nil, fmt.Errorf("the key %q stands twice", key)
		}
		if m[key], err = decodeValue(dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return m, err
}

// number keeps integers exact: 1.0 and 1e2 become integers, an integer that does
// not fit 64 bits is refused rather than rounded.
func number(text string) (any, error) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	if !strings.ContainsAny(text, ".eE") {
		return nil, fmt.Errorf("the integer %s does not fit 64 bits", text)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, fmt.Errorf("the number %s is out of range", text)
	}
	return integral(f), nil
}

// integral turns a float that is an exactly represented integer into one.
func integral(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return int64(f)
	}
	return f
}

func seal(tree any) Value {
	if tree == nil {
		return Value{}
	}
	if s, ok := tree.(string); ok && plainText(s) {
		return Value{`"` + s + `"`}
	}
	var b strings.Builder
	encode(&b, tree)
	return Value{b.String()}
}

func encode(b *strings.Builder, tree any) {
	switch x := tree.(type) {
	case []any:
		b.WriteByte('[')
		for i, item := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(b, item)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for i, k := range sortedKeys(x) {
			if i > 0 {
				b.WriteByte(',')
			}
			encodeString(b, k)
			b.WriteByte(':')
			encode(b, x[k])
		}
		b.WriteByte('}')
	case string:
		encodeString(b, x)
	default:
		encodeScalar(b, x)
	}
}

func encodeScalar(b *strings.Builder, tree any) {
	switch x := tree.(type) {
	case bool:
		b.WriteString(strconv.FormatBool(x))
	case int:
		b.WriteString(strconv.Itoa(x))
	case int64:
		b.WriteString(strconv.FormatInt(x, 10))
	case float64:
		if i, ok := integral(x).(int64); ok {
			b.WriteString(strconv.FormatInt(i, 10))
			return
		}
		b.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
	default:
		b.WriteString("null")
	}
}

// plainText reports whether a text stands in JSON as it is, between quotes.
func plainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func encodeString(b *strings.Builder, s string) {
	if plainText(s) {
		b.WriteByte('"')
		b.WriteString(s)
		b.WriteByte('"')
		return
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	b.WriteString(strings.TrimSuffix(buf.String(), "\n"))
}
