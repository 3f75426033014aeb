package expr

import (
	"fmt"
	"slices"
)

// Assignable reports whether every value of from is, by its kind, a value of to.
// Constraints are not compared: Conform checks them on the value. why names both
// types and the place inside the value where they part.
func Assignable(from, to Type) (why string, ok bool) {
	return assignable(from, to, "")
}

func assignable(from, to Type, path string) (string, bool) {
	refuse := func(format string, args ...any) (string, bool) {
		text := fmt.Sprintf(format, args...)
		if path != "" {
			text = path + ": " + text
		}
		return text, false
	}
	switch {
	case to.Kind == 0 || from.Kind == 0 || to.Kind == JSON && from.Kind != Null:
		return "", true
	case from.Kind == Null:
		if to.Optional || to.Kind == Null || to.Kind == JSON {
			return "", true
		}
		return refuse("%s may not be null", to)
	case from.Optional && !to.Optional:
		return refuse("%s may be null, %s may not", from, to)
	case isLiteral(from) && to.Kind != Enum:
		return literalFits(from, to, path)
	case from.Kind == List && to.Kind == List:
		return assignable(from.elem(), to.elem(), path+"[]")
	case to.Kind == Map && from.Kind == Map:
		return assignable(from.elem(), to.elem(), path+"[]")
	case to.Kind == Map && from.Kind == Record:
		return recordToMap(from, to, path)
	case from.Kind == Record && to.Kind == Record:
		return recordToRecord(from, to, path)
	case from.Kind == Enum && to.Kind == Enum:
		if extra := slices.IndexFunc(from.Enum, func(m string) bool { return !slices.Contains(to.Enum, m) }); extra >= 0 {
			return refuse("%s has the member %s, %s has not", from, from.Enum[extra], to)
		}
		return "", true
	case kindFits(from.Kind, to.Kind):
		return "", true
	}
	return refuse("expected %s, got %s", to, from)
}

// literalFits: of a text in quotes it is known now whether its form is right.
func literalFits(from, to Type, path string) (string, bool) {
	for _, text := range from.Enum {
		if _, wrong := Conform(Of(text), to); len(wrong) > 0 {
			wrong[0].Path = path + wrong[0].Path
			return wrong[0].String(), false
		}
	}
	return "", true
}

// kindFits is the whole table of conversions: an int is a number; what has a
// checked form is also a string. A string is none of those: Conform must say so.
func kindFits(from, to Kind) bool {
	if from == to {
		return true
	}
	switch to {
	case Number:
		return from == Int
	case String:
		return from.Textual()
	case Glob:
		return from == Path
	}
	return false
}

func recordToMap(from, to Type, path string) (string, bool) {
	for _, f := range from.Fields {
		if why, ok := assignable(f.Type, to.elem(), join(path, f.Name)); !ok {
			return why, false
		}
	}
	return "", true
}

func recordToRecord(from, to Type, path string) (string, bool) {
	for _, f := range to.Fields {
		got, ok := from.Field(f.Name)
		if !ok && f.Type.Optional {
			continue
		}
		if !ok {
			return fmt.Sprintf("%s: %s has no field %s, %s wants one of type %s", join(path, f.Name), from, f.Name, to, f.Type), false
		}
		if why, ok := assignable(got, f.Type, join(path, f.Name)); !ok {
			return why, false
		}
	}
	for _, f := range from.Fields {
		if _, ok := to.Field(f.Name); !ok {
			return fmt.Sprintf("%s: %s has the field %s, %s has not", join(path, f.Name), from, f.Name, to), false
		}
	}
	return "", true
}
