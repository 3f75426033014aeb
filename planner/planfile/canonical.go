package planfile

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// encoder writes Go values as canonical JSON: keys sorted by their bytes, no
// white space, no nil lists, text as it is but for the escapes JSON demands.
//
// encoding/json writes struct fields in the order of declaration, so that moving
// a field in the source of wf would change every digest; sorting its output by a
// second pass costs three times this one pass.
type encoder struct {
	out   []byte
	plans map[reflect.Type][]column
}

// column is one field of a struct, ready to write.
type column struct {
	name      string
	index     int
	omitEmpty bool
	omitZero  bool
}

var (
	jsonType = reflect.TypeFor[json.Marshaler]()
	textType = reflect.TypeFor[encoding.TextMarshaler]()
)

func (e *encoder) columns(t reflect.Type) []column {
	if known, ok := e.plans[t]; ok {
		return known
	}
	var out []column
	for i := range t.NumField() {
		if name, options, ok := fieldName(t.Field(i)); ok {
			out = append(out, column{name, i, strings.Contains(options, "omitempty"), strings.Contains(options, "omitzero")})
		}
	}
	slices.SortFunc(out, func(a, b column) int { return cmp.Compare(a.name, b.name) })
	e.plans[t] = out
	return out
}

func fieldName(f reflect.StructField) (name, options string, ok bool) {
	name, options, _ = strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || name == "-" {
		return "", "", false
	}
	if name == "" {
		name = f.Name
	}
	return name, options, true
}

func (e *encoder) value(v reflect.Value) error {
	if done, err := e.self(v); done {
		return err
	}
	switch v.Kind() {
	case reflect.Struct:
		return e.object(v)
	case reflect.Slice:
		return e.list(v)
	case reflect.Pointer:
		if v.IsNil() {
			e.out = append(e.out, "null"...)
			return nil
		}
		return e.value(v.Elem())
	case reflect.String:
		return e.text(v.String())
	case reflect.Bool:
		e.out = strconv.AppendBool(e.out, v.Bool())
	case reflect.Int, reflect.Int64, reflect.Int32:
		e.out = strconv.AppendInt(e.out, v.Int(), 10)
	case reflect.Float64:
		return e.number(v.Float())
	default:
		return fmt.Errorf("a plan holds no %s", v.Type())
	}
	return nil
}

// self lets a type that has its own spelling write it.
func (e *encoder) self(v reflect.Value) (done bool, err error) {
	switch t := v.Type(); {
	case t.Kind() == reflect.Pointer:
		return false, nil
	case t.Implements(jsonType):
		raw, err := v.Interface().(json.Marshaler).MarshalJSON()
		e.out = append(e.out, raw...)
		return true, err
	case t.Implements(textType):
		raw, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return true, err
		}
		return true, e.text(string(raw))
	}
	return false, nil
}

func (e *encoder) object(v reflect.Value) error {
	e.out = append(e.out, '{')
	first := true
	for _, c := range e.columns(v.Type()) {
		f := v.Field(c.index)
		if c.omitEmpty && empty(f) || c.omitZero && f.IsZero() {
			continue
		}
		if !first {
			e.out = append(e.out, ',')
		}
		first = false
		e.out = append(e.out, '"')
		e.out = append(e.out, c.name...)
		e.out = append(e.out, '"', ':')
		if err := e.value(f); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	e.out = append(e.out, '}')
	return nil
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func (e *encoder) list(v reflect.Value) error {
	e.out = append(e.out, '[')
	for i := range v.Len() {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		if err := e.value(v.Index(i)); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	e.out = append(e.out, ']')
	return nil
}

// number writes the limits of a type, the only fractions a plan holds: whole
// numbers without a point, others in the fewest digits that read back the same.
func (e *encoder) number(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("%v is no JSON number", f)
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		e.out = strconv.AppendInt(e.out, int64(f), 10)
		return nil
	}
	e.out = strconv.AppendFloat(e.out, f, 'g', -1, 64)
	return nil
}

const hexDigits = "0123456789abcdef"

func (e *encoder) text(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("the text %.40q is not valid UTF-8", s)
	}
	e.out = append(e.out, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		e.out = append(e.out, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			e.out = append(e.out, '\\', c)
		case '\n':
			e.out = append(e.out, '\\', 'n')
		case '\t':
			e.out = append(e.out, '\\', 't')
		case '\r':
			e.out = append(e.out, '\\', 'r')
		default:
			e.out = append(e.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	e.out = append(e.out, s[start:]...)
	e.out = append(e.out, '"')
	return nil
}
