package expr

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func records() map[string]Type { return map[string]Type{"area": area()} }

func TestParseType(t *testing.T) {
	for _, text := range []string{
		"string", "int", "number", "bool", "duration", "money", "path", "glob", "slug", "url", "ref", "json",
		"enum<A,B>", "list<string>", "map<int>", "string?", "area", "list<area?>?", "map<list<enum<a b,c>>>",
	} {
		got, err := ParseType(text, records())
		require.NoError(t, err, text)
		require.Equal(t, text, got.String())
	}
	spaced, err := ParseType(" list < area > ", records())
	require.NoError(t, err)
	require.Equal(t, ListOf(area()), spaced)
}

func TestParseTypeSaysWhere(t *testing.T) {
	for text, want := range map[string]struct {
		offset  int
		message string
		near    string
	}{
		"strng":                     {0, "no type", "string"},
		"list<aera>":                {5, "no type", "area"},
		"list":                      {4, "needs the type of its elements", ""},
		"list<int":                  {8, "not closed", ""},
		"enum<A,A>":                 {7, "twice", ""},
		"enum<>":                    {5, "missing", ""},
		"int int":                   {4, "unexpected", ""},
		"":                          {0, "missing", ""},
		"record":                    {0, "no type", ""},
		strings.Repeat("list<", 40): {85, "nested", ""},
	} {
		_, err := ParseType(text, records())
		var at *TypeError
		require.True(t, errors.As(err, &at), text)
		require.Equal(t, want.offset, at.Offset, text)
		require.Contains(t, at.Message, want.message, text)
		require.Equal(t, want.near, at.Near, text)
	}
}

func TestTypeTravelsThroughJSON(t *testing.T) {
	most := 3
	in := Type{Kind: List, Elem: &Type{Kind: Enum, Enum: []string{"a"}, Untrusted: true}, Limits: Constraints{MaxItems: &most}}
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	var out Type
	require.NoError(t, json.Unmarshal(raw, &out))
	require.Equal(t, in, out)
}

func TestAssignable(t *testing.T) {
	parse := func(text string) Type {
		got, err := ParseType(text, records())
		require.NoError(t, err)
		return got
	}
	for _, c := range []struct{ from, to, why string }{
		{"int", "number", ""},
		{"slug", "string", ""},
		{"enum<A>", "string", ""},
		{"enum<A>", "enum<A,B>", ""},
		{"path", "glob", ""},
		{"string", "string?", ""},
		{"area", "json", ""},
		{"area", "map<json>", ""},
		{"number", "int", "expected int, got number"},
		{"string", "slug", "expected slug, got string"},
		{"int", "string", "expected string, got int"},
		{"string?", "string", "string? may be null, string may not"},
		{"enum<A,C>", "enum<A,B>", "enum<A,C> has the member C, enum<A,B> has not"},
		{"list<int>", "list<string>", "[]: expected string, got int"},
		{"map<list<int>>", "map<list<bool>>", "[][]: expected bool, got int"},
		{"json", "string", "expected string, got json"},
		{"area", "map<string>", "size: int? may be null, string may not"},
	} {
		why, ok := Assignable(parse(c.from), parse(c.to))
		require.Equal(t, c.why == "", ok, "%s to %s", c.from, c.to)
		require.Equal(t, c.why, why, "%s to %s", c.from, c.to)
	}
	short := Type{Kind: Record, Name: "short", Fields: area().Fields[:1]}
	why, ok := Assignable(short, area())
	require.False(t, ok)
	require.Equal(t, "path: short has no field path, area wants one of type path", why)
	why, ok = Assignable(area(), short)
	require.False(t, ok)
	require.Equal(t, "path: area has the field path, short has not", why)
}

func TestNearest(t *testing.T) {
	require.Equal(t, "timeout", Nearest("timeuot", []string{"time", "timeout"}))
	require.Equal(t, "", Nearest("xyz", []string{"timeout", "brief"}))
	require.Equal(t, "a1", Nearest("a", []string{"a1", "a2"}), "ties go to the first")
	require.Equal(t, "", Nearest(strings.Repeat("x", 1_000_000), []string{"timeout"}))
}

func FuzzParseType(f *testing.F) {
	f.Add("list<enum<A,B>?>")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseType(text, records())
		if err != nil {
			return
		}
		again, err := ParseType(got.String(), records())
		require.NoError(t, err, got.String())
		require.Equal(t, got, again)
	})
}
