package expr

import "slices"

// unify gives the narrowest type that holds values of both. Kind 0 yields to the
// other: it stands for an empty list's element, or for a reported mistake.
func unify(a, b Type) (Type, bool) {
	switch {
	case a.Kind == 0:
		return b, true
	case b.Kind == 0:
		return a, true
	case a.Kind == Null:
		return b.optional(), true
	case b.Kind == Null:
		return a.optional(), true
	}
	out := a
	out.Optional = a.Optional || b.Optional
	out.Untrusted = a.Untrusted || b.Untrusted
	switch {
	case a.Kind == Enum && b.Kind == Enum:
		out.Enum = slices.Clone(a.Enum)
		for _, m := range b.Enum {
			if !slices.Contains(out.Enum, m) {
				out.Enum = append(out.Enum, m)
			}
		}
		if !isLiteral(a) || !isLiteral(b) {
			out.Name = ""
		}
	case a.Kind == List && b.Kind == List || a.Kind == Map && b.Kind == Map:
		elem, ok := unify(a.elem(), b.elem())
		out.Elem = &elem
		return out, ok
	case a.Kind == Record && b.Kind == Record:
		return unifyRecords(out, a, b)
	case a.Kind == b.Kind:
	case numeric(a.Kind) && numeric(b.Kind):
		out.Kind = Number
	case a.Kind.Textual() && b.Kind.Textual():
		out = Type{Kind: String, Optional: out.Optional, Untrusted: a.Tainted() || b.Tainted()}
	default:
		return Type{}, false
	}
	return out, true
}

func unifyRecords(out, a, b Type) (Type, bool) {
	if len(a.Fields) != len(b.Fields) {
		return Type{}, false
	}
	out.Fields = slices.Clone(a.Fields)
	for i, f := range a.Fields {
		other, ok := b.Field(f.Name)
		if !ok {
			return Type{}, false
		}
		both, ok := unify(f.Type, other)
		if !ok {
			return Type{}, false
		}
		out.Fields[i].Type = both
	}
	if a.Name != b.Name {
		out.Name = ""
	}
	return out, true
}

func numeric(k Kind) bool { return k == Int || k == Number }
