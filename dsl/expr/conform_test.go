package expr

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func ptr[T any](v T) *T { return &v }

func lines(found []Mismatch) []string {
	out := []string{}
	for _, m := range found {
		out = append(out, m.String())
	}
	return out
}

func TestConformNormalises(t *testing.T) {
	for _, c := range []struct {
		in   string
		typ  Type
		want string
	}{
		{`3.0`, of(Int), `3`},
		{`"2.5 USD"`, of(Money), `"2.50 USD"`},
		{`"$2"`, of(Money), `"2 USD"`},
		{`"90s"`, of(Duration), `"1m30s"`},
		{`"./src//a/"`, of(Path), `"src/a"`},
		{`{"name":"api","path":"a","why":""}`, area(), `{"name":"api","path":"a","size":null,"why":""}`},
		{`null`, maybe(String), `null`},
		{`[1,"a",null]`, of(JSON), `[1,"a",null]`},
		{`[1,"a",null]`, ListOf(Type{}), `[1,"a",null]`},
		{`"a//[b]"`, of(Path), `"a/[b]"`},
		{`"https://example.org/a?b"`, of(URL), `"https://example.org/a?b"`},
		{`"feature/x-1"`, of(Ref), `"feature/x-1"`},
	} {
		got, wrong := Conform(sealedValue(t, c.in), c.typ)
		require.Empty(t, wrong, c.in)
		require.Equal(t, c.want, got.String())
		again, wrong := Conform(got, c.typ)
		require.Empty(t, wrong)
		require.Equal(t, got, again, "the normal form is normal")
	}
}

func TestConformNamesThePlace(t *testing.T) {
	v := sealedValue(t, `{"areas":[{"name":"Api","path":"../x","why":1,"extra":1},{"name":"ui"}],"env":{"A-B c":1}}`)
	typ := Type{Kind: Record, Name: "outputs", Fields: []Field{{"areas", ListOf(area())}, {"env", Type{Kind: Map, Elem: &Type{Kind: String}}}, {"done", of(Bool)}}}
	out, wrong := Conform(v, typ)
	require.True(t, out.IsNull())
	require.Equal(t, []string{
		`areas[0].name: "Api" is not a slug: small letters and digits joined by - _ or ., at most 64`,
		`areas[0].path: "../x" leaves the folder it is relative to`,
		`areas[0].why: expected string, got 1`,
		`areas[0].extra: area has no field "extra"`,
		`areas[1].path: the field is missing; it must be path`,
		`areas[1].why: the field is missing; it must be string`,
		`env["A-B c"]: expected string, got 1`,
		`done: the field is missing; it must be bool`,
	}, lines(wrong))
}

func TestConstraints(t *testing.T) {
	for _, c := range []struct {
		in, says string
		typ      Type
	}{
		{`4`, "is 4, the most is 3", Type{Kind: Int, Limits: Constraints{Max: ptr(3.0)}}},
		{`0.5`, "is 0.5, the least is 1", Type{Kind: Number, Limits: Constraints{Min: ptr(1.0)}}},
		{`"3 USD"`, "is 3 USD, the most is 2.50 USD", Type{Kind: Money, Limits: Constraints{Max: ptr(2.5)}}},
		{`"1m"`, "is 1m, the most is 30s", Type{Kind: Duration, Limits: Constraints{Max: ptr(30.0)}}},
		{`"é"`, "has 1 characters, at least 2 are wanted", Type{Kind: String, Limits: Constraints{MinLength: ptr(2)}}},
		{`"abc"`, "has 3 characters, at most 2 are allowed", Type{Kind: String, Limits: Constraints{MaxLength: ptr(2)}}},
		{`"abc"`, `"abc" does not match the pattern "^x"`, Type{Kind: String, Limits: Constraints{Pattern: "^x"}}},
		{`[]`, "has 0 elements, at least 1 are wanted", Type{Kind: List, Elem: &Type{Kind: Int}, Limits: Constraints{MinItems: ptr(1)}}},
		{`[1,2]`, "has 2 elements, at most 1 are allowed", Type{Kind: List, Elem: &Type{Kind: Int}, Limits: Constraints{MaxItems: ptr(1)}}},
		{`[1,2,1.0]`, "[2]: equals element 0, but the elements must be unique", Type{Kind: List, Elem: &Type{Kind: Int}, Limits: Constraints{Unique: true}}},
		{`"C"`, `"C" is not one of A, B; did you mean A?`, Type{Kind: Enum, Enum: []string{"A", "B"}}},
	} {
		_, wrong := Conform(sealedValue(t, c.in), c.typ)
		require.Equal(t, []string{c.says}, lines(wrong), c.in)
	}
}

// What an agent or an outsider may not smuggle through a checked form.
func TestCheckedFormsRefuse(t *testing.T) {
	for kind, bad := range map[Kind][]string{
		Path: {"", "/etc", "../a", "a/../../b", "~/x", `a\b`, "C:/x", "a\x00b", "a\nb", "a\u202eb", "\u200b"},
		Glob: {"", "/**", "../**", `..\/**`, "a/..", "\n"},
		Slug: {"", "A", "a b", "-a", "a-", "a--b", "é", "a/b", "..", "$(x)"},
		URL:  {"", "ftp://x", "https://", "https://user:pw@host/", "javascript:x", "https://a b", "https://a\n"},
		Ref:  {"", "-x", "a..b", "a b", "a~1", "a^", "a:b", "a.lock", "a/", "@{1}x@{", "a\x7f", "--upload-pack=x"},
		Int:  {"1"}, Bool: {"true"}, Number: {"1"},
	} {
		for _, text := range bad {
			_, wrong := Conform(Of(text), of(kind))
			require.NotEmpty(t, wrong, "%s %q", kind, text)
		}
	}
}

// Field notes 5: nothing is coerced, and a bare number in a string field keeps its spelling.
func TestFromScalar(t *testing.T) {
	for _, c := range []struct {
		text   string
		quoted bool
		typ    Type
		want   string // empty: refused
	}{
		{"1.10", false, of(String), `"1.10"`},
		{"012", false, of(String), `"012"`},
		{"0x1F", false, of(String), `"0x1F"`},
		{"1_000", false, of(String), `"1_000"`},
		{"true", false, of(String), `"true"`},
		{"null", true, of(String), `"null"`},
		{"", true, of(String), `""`},
		{"null", false, of(String), ""},
		{"~", false, maybe(String), "null"},
		{"3", false, of(Int), "3"},
		{"1.5", false, of(Int), ""},
		{"1.0", false, of(Int), ""},
		{"3", true, of(Int), ""},
		{"012", false, of(Int), ""},
		{"0x1F", false, of(Int), ""},
		{"1_000", false, of(Int), ""},
		{"+1", false, of(Int), ""},
		{"99999999999999999999", false, of(Int), ""},
		{"1.50", false, of(Number), "1.5"},
		{".5", false, of(Number), ""},
		{".inf", false, of(Number), ""},
		{"true", false, of(Bool), "true"},
		{"yes", false, of(Bool), ""},
		{"True", false, of(Bool), ""},
		{"true", true, of(Bool), ""},
		{"2 USD", false, of(Money), `"2 USD"`},
		{"2", false, of(Money), ""},
		{"10m", false, of(Duration), `"10m"`},
		{"10", false, of(Duration), ""},
		{"a", false, ListOf(of(String)), ""},
		{"3", false, of(JSON), "3"},
		{"3", true, of(JSON), `"3"`},
	} {
		got, wrong := FromScalar(c.text, c.quoted, c.typ)
		if c.want == "" {
			require.NotEmpty(t, wrong, "%s as %s", c.text, c.typ)
			continue
		}
		require.Empty(t, wrong, "%s as %s", c.text, c.typ)
		require.Equal(t, c.want, got.String())
	}
}

func FuzzConform(f *testing.F) {
	f.Add(`{"name":"a","path":"b","why":"c"}`, "area")
	f.Fuzz(func(t *testing.T, raw, typ string) {
		v, err := FromJSON([]byte(raw))
		if err != nil {
			return
		}
		want, err := ParseType(typ, records())
		if err != nil {
			return
		}
		once, wrong := Conform(v, want)
		if len(wrong) > 0 {
			return
		}
		twice, wrong := Conform(once, want)
		require.Empty(t, wrong)
		require.Equal(t, once, twice)
	})
}
