package policies

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"
)

// valueOf reads JSON as the value that rules see. OPA's way leads over maps of
// any, which for a plan of many tickets costs more than all rules together: this one
// reads straight into OPA's values, and makes the name of a field once.
func valueOf(data []byte) (ast.Value, error) {
	if !json.Valid(data) {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, err // says where
		}
		return nil, errors.New("not JSON")
	}
	r := reader{data: data, names: map[string]*ast.Term{}}
	t, err := r.term()
	if err != nil {
		return nil, err
	}
	return t.Value, nil
}

// reader reads JSON that is known to be valid.
type reader struct {
	data  []byte
	at    int
	names map[string]*ast.Term
}

// next gives the next byte that is no space, and stays before it.
func (r *reader) next() byte {
	for r.data[r.at] <= ' ' {
		r.at++
	}
	return r.data[r.at]
}

func (r *reader) term() (*ast.Term, error) {
	switch c := r.next(); c {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		s, err := r.text()
		return ast.StringTerm(s), err
	case 't':
		r.at += len("true")
		return ast.InternedTerm(true), nil
	case 'f':
		r.at += len("false")
		return ast.InternedTerm(false), nil
	case 'n':
		r.at += len("null")
		return ast.NullTerm(), nil
	default:
		return ast.NumberTerm(json.Number(r.number())), nil
	}
}

func (r *reader) object() (*ast.Term, error) {
	var fields [][2]*ast.Term
	r.at++
	for r.next() != '}' {
		if r.data[r.at] == ',' {
			r.at++
			continue
		}
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		r.next()
		r.at++ // the colon
		value, err := r.term()
		if err != nil {
			return nil, err
		}
		fields = append(fields, [2]*ast.Term{name, value})
	}
	r.at++
	if twice(fields) {
		return nil, errors.New("an object has a field twice")
	}
	return ast.ObjectTerm(fields...), nil
}

// twice reports whether two fields have the same name: OPA's object would keep both.
func twice(fields [][2]*ast.Term) bool {
	const few = 32
	if len(fields) > few {
		seen := make(map[ast.Value]bool, len(fields))
		for _, f := range fields {
			if seen[f[0].Value] {
				return true
			}
			seen[f[0].Value] = true
		}
		return false
	}
	for i, f := range fields {
		for _, other := range fields[:i] {
			if f[0] == other[0] || f[0].Value == other[0].Value {
				return true
			}
		}
	}
	return false
}

// name reads the name of a field; plans have few, again and again.
func (r *reader) name() (*ast.Term, error) {
	r.next()
	if raw := r.quoted(); bytes.IndexByte(raw, '\\') < 0 {
		if t, known := r.names[string(raw)]; known {
			r.at += len(raw) + 2
			return t, nil
		}
	}
	s, err := r.text()
	if err != nil {
		return nil, err
	}
	t := ast.StringTerm(s)
	if len(r.names) < 10_000 { // an object of a user's own may have any number
		r.names[s] = t
	}
	return t, nil
}

func (r *reader) array() (*ast.Term, error) {
	var items []*ast.Term
	r.at++
	for r.next() != ']' {
		if r.data[r.at] == ',' {
			r.at++
			continue
		}
		item, err := r.term()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	r.at++
	return ast.ArrayTerm(items...), nil
}

// quoted is what stands between the quotes that begin here.
func (r *reader) quoted() []byte {
	for end := r.at + 1; ; end++ {
		switch r.data[end] {
		case '\\':
			end++
		case '"':
			return r.data[r.at+1 : end]
		}
	}
}

func (r *reader) text() (string, error) {
	raw := r.quoted()
	whole := r.data[r.at : r.at+len(raw)+2]
	r.at += len(whole)
	plain := true
	for _, c := range raw {
		if c == '\\' || c >= 0x80 { // bytes that are not UTF-8 are encoding/json's to replace
			plain = false
			break
		}
	}
	if plain {
		return string(raw), nil
	}
	var s string
	err := json.Unmarshal(whole, &s)
	return s, err
}

func (r *reader) number() string {
	from := r.at
	for r.at < len(r.data) && bytes.IndexByte([]byte("+-.eE0123456789"), r.data[r.at]) >= 0 {
		r.at++
	}
	return string(r.data[from:r.at])
}
