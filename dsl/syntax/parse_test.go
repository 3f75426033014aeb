package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	goccy "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// show writes a tree on one line: {k: v}, [a], "text", null.
func show(n *Node) string {
	if n == nil {
		return "nil"
	}
	var parts []string
	switch n.Kind {
	case Mapping:
		for _, e := range n.Entries {
			parts = append(parts, e.Key.Value+": "+show(e.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case Sequence:
		for _, item := range n.Items {
			parts = append(parts, show(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Null:
		return "null"
	}
	return fmt.Sprintf("%q", n.Value)
}

func codes(fs diag.Findings) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Code)
	}
	return out
}

func clean(t *testing.T, src string) *Node {
	t.Helper()
	n, fs := Parse("f.yaml", []byte(src))
	require.Empty(t, fs, src)
	return n
}

func TestGoodFiles(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"spelling is kept", "a: 1.10\nb: 012\nc: 0x1F\nd: 1_000\ne: no\nf: \"1\"\ng: .5", `{a: "1.10", b: "012", c: "0x1F", d: "1_000", e: "no", f: "1", g: ".5"}`},
		{"nulls", "a:\nb: ~\nc: null\nd: \"\"\ne: 'null'", `{a: null, b: null, c: null, d: "", e: "null"}`},
		{"list at the key's level", "a:\n- 1\n- b: 2\n  c: 3\nd: 4", `{a: ["1", {b: "2", c: "3"}], d: "4"}`},
		{"nested lists", "- - a\n  - b\n-\n  - c\n-\n- d", `[["a", "b"], ["c"], null, "d"]`},
		{"flow", "a: {b: [1, 2,], c: {}, \"d\":e, f}\ng: [a: b, [c]]", `{a: {b: ["1", "2"], c: {}, d: "e", f: null}, g: [{a: "b"}, ["c"]]}`},
		{"flow over lines", "a: [\n  x,\n  y\n]\nb: {\n  c: d\n}\n", `{a: ["x", "y"], b: {c: "d"}}`},
		{"plain over lines", "a: one\n  two\n\n  three # c\nb: x", `{a: "one two\nthree", b: "x"}`},
		{"plain signs", "a: b:c\nd: e#f\ng: http://x/y?z=1\nh: -1\ni: a - b\nj: x ? y\nk: :z", `{a: "b:c", d: "e#f", g: "http://x/y?z=1", h: "-1", i: "a - b", j: "x ? y", k: ":z"}`},
		{"single quotes", "a: 'it''s'\nb: 'x\n  y\n\n  z'", `{a: "it's", b: "x y\nz"}`},
		{"double quotes", `a: "\t\"\\\/\x41\u00e9\U0001F600\ud83d\ude00"` + "\nb: \"x \\\n  y\n  z\"", `{a: "\t\"\\/Aé😀😀", b: "x y z"}`},
		{"tabs in double quotes", "a: \"x\ty\tz\"\nb: q", `{a: "x\ty\tz", b: "q"}`},
		{"literal", "a: |\n  x\n    y\n\n  z\n\nb: |-\n  x\nc: |+\n  x\n\nd: |2\n    x\n", `{a: "x\n  y\n\nz\n", b: "x", c: "x\n\n", d: "  x\n"}`},
		{"folded", "a: >\n  x\n  y\n\n  z\n    more\n  w\nb: >-\n  x\n  y", `{a: "x y\nz\n  more\nw\n", b: "x y"}`},
		{"empty block", "a: |\nb: >-\nc: |+\n\nd: e", `{a: "", b: "", c: "\n", d: "e"}`},
		{"block in a list", "- |\n a\n b\n- c: |\n    d\n  e: f", `["a\nb\n", {c: "d\n", e: "f"}]`},
		{"comments", "# c\na: b # d\n  # e\n# f\nc:\n  # g\n  d: e", `{a: "b", c: {d: "e"}}`},
		{"markers", "%YAML 1.2\n---\na: b\n...\n# end\n", `{a: "b"}`},
		{"expressions", "a: ${{ x.y }}\nb: t ${{ a ?? \"b\" }} u\nc: \"${{ a ? b : c }}\"\nd: ['${{ x }}']", `{a: "${{ x.y }}", b: "t ${{ a ?? \"b\" }} u", c: "${{ a ? b : c }}", d: ["${{ x }}"]}`},
		{"anchors", "a: &x {b: 1}\nc: *x\nd: [*x, &y z, *y]", `{a: {b: "1"}, c: {b: "1"}, d: [{b: "1"}, "z", "z"]}`},
		{"anchors on blocks and keys", "a: &x\n  b: 1\n&k c: *x\nd: *k", `{a: {b: "1"}, c: {b: "1"}, d: "c"}`},
		{"merge keys lose to own keys", "a: &x {k: 1, l: 2}\nb:\n  k: own\n  <<: *x\n  m: 3\nc:\n  <<: *x\n  l: own", `{a: {k: "1", l: "2"}, b: {k: "own", l: "2", m: "3"}, c: {k: "1", l: "own"}}`},
		{"in a list of merges the first wins", "a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}\nd: {\"<<\": 1}", `{a: {k: "1"}, b: {k: "2", l: "2"}, c: {k: "1", l: "2"}, d: {<<: "1"}}`},
		{"quoted keys", "\"a b\": 1\n'c: d': 2\n\"e\" : 3", `{a b: "1", c: d: "2", e: "3"}`},
		{"CRLF", "a: b\r\nc: |\r\n  x\r\n  y\r\nd: 'p\r\n  q'\r\n# c\r\ne:\r\n- f\r\n", `{a: "b", c: "x\ny\n", d: "p q", e: ["f"]}`},
		{"JSON", `{"a": [1, {"b": null}], "c": "d"}`, `{a: ["1", {b: null}], c: "d"}`},
		{"a scalar", "text\n", `"text"`},
		{"commented value", "a: # c\n  b: 1\nc: #d\n", `{a: {b: "1"}, c: null}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, show(clean(t, c.src))) })
	}
}

// Every refusal, with what is still read behind it.
func TestRefusals(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1)
	cases := []struct{ name, src, code, want string }{
		{"duplicate", "a: 1\nb: 2\na: 3", "WF007", `{a: "1", b: "2"}`},
		{"duplicate in flow", "x: {a: 1, a: 2}", "WF007", `{x: {a: "1"}}`},
		{"twins of one name", "é: 1\ne\u0301: 2", "WF007", `{é: "1"}`},
		{"documents", "a: 1\n---\nb: 2", "WF006", `{a: "1"}`},
		{"documents after an end", "a: 1\n...\nb: 2", "WF006", `{a: "1"}`},
		{"BOM", "\uFEFFa: 1", "WF003", `{a: "1"}`},
		{"NUL", "a: \"x\x00y\"\nb: 1", "WF004", "{a: \"x\\x00y\", b: \"1\"}"},
		{"lone CR", "a: 1\rb: 2", "WF004", ""},
		{"invalid UTF-8", "a: \"\xff\xfe\"\nb: 1", "WF002", "{a: \"\\xff\\xfe\", b: \"1\"}"},
		{"UTF-16", "\xff\xfea\x00", "WF002", "nil"},
		{"bidi", "a: x\u202ey\nb: 1", "WF005", "{a: \"x\\u202ey\", b: \"1\"}"},
		{"zero width", "a\u200b: 1", "WF005", ""},
		{"tab", "a:\n\tb: 1\nc: 2", "WF008", `{a: {b: "1"}, c: "2"}`},
		{"tag", "a: !!str 1\nb: 2", "WF012", `{a: "1", b: "2"}`},
		{"custom tag", "a: !x {b: 1}", "WF012", `{a: {b: "1"}}`},
		{"a tag that is meant as text", "a: !cancelled()\nb: 1", "WF012", `{a: "!cancelled()", b: "1"}`},
		{"tag in flow", "a: [!x, b]", "WF012", `{a: ["!x", "b"]}`},
		{"self alias", "a: &x [*x]\nb: 1", "WF014", `{a: [null], b: "1"}`},
		{"unknown alias", "a: *x\nb: 1", "WF013", `{a: "*x", b: "1"}`},
		{"a glob as alias", "a: **/*.go\nb: [*.md, c]", "WF013", `{a: "**/*.go", b: ["*.md", "c"]}`},
		{"depth", "a: " + deep, "WF016", ""},
		{"merge of text", "a: 1\n<<: x", "WF018", `{a: "1"}`},
		{"merge of a list of text", "a: 1\n<<: [x]", "WF018", `{a: "1"}`},
		{"two merges", "x: &x {a: 1}\n<<: *x\n<<: *x", "WF018", `{x: {a: "1"}, a: "1"}`},
		{"open double quote", "a: \"x\nb: 1", "WF010", `{a: "x", b: "1"}`},
		{"open single quote", "a: 'x\nb: it's", "WF010", `{a: "x", b: "it's"}`},
		{"open quote in flow", "a: [\"x, y]\nb: 1", "WF010", ""},
		{"open bracket", "a: [b, c\nd: 1", "WF011", `{a: ["b", "c"], d: "1"}`},
		{"open braces", "a:\n  b: {c: {d: 1\n  e: 2", "WF011", `{a: {b: {c: {d: "1"}}, e: "2"}}`},
		{"wrong bracket", "a: [b}\nc: 1", "WF011", `{a: ["b"], c: "1"}`},
		{"too deep a line", "a: 1\n  b: 2\nc: 3", "WF009", `{a: "1", b: "2", c: "3"}`},
		{"between two levels", "a:\n    b: 1\n  c: 2\nd: 3", "WF009", `{a: {b: "1", c: "2"}, d: "3"}`},
		{"a list item between two levels", "a:\n  - b\n - c", "WF009", `{a: ["b", "c"]}`},
		{"list on the key's line", "a: - b\nc: 1", "WF009", `{a: ["b"], c: "1"}`},
		{"key without colon", "a: 1\nb\nc: 2", "WF027", `{a: "1", c: "2"}`},
		{"key without space", "a: 1\nb:2\nc: 3", "WF027", `{a: "1", c: "3"}`},
		{"item among keys", "a: 1\n- b\nc: 2", "WF027", `{a: "1", c: "2"}`},
		{"key among items", "a:\n  - b\n  c: 1\nd: 2", "WF027", `{a: ["b"], d: "2"}`},
		{"ternary", "a: ${{ x ? y : z }}\nb: 1", "WF019", `{a: "${{ x ? y : z }}", b: "1"}`},
		{"ternary in a list", "- ${{ x ? y : z }}\n- a", "WF019", `["${{ x ? y : z }}", "a"]`},
		{"ternary below its key", "a:\n  ${{ x ? y : z }}\nb: 1", "WF019", `{a: "${{ x ? y : z }}", b: "1"}`},
		{"ternary over lines", "a: ${{ x ?\n  y : z }}\nb: 1", "WF019", `{a: "${{ x ? y : z }}", b: "1"}`},
		{"hash in an expression", "a: ${{ x # y }}\nb: 1", "WF020", `{a: "${{ x # y }}", b: "1"}`},
		{"hash that cuts an expression", "a: ${{ x # y\nb: 1", "WF020", `{a: "${{ x", b: "1"}`},
		{"leading brace", "a: {x} is y\nb: 1", "WF021", `{a: "{x} is y", b: "1"}`},
		{"leading bracket", "a: [a-z]+\nb: 1", "WF021", `{a: "[a-z]+", b: "1"}`},
		{"leading braces", "a: {{ x }}\nb: 1", "WF021", `{a: "{{ x }}", b: "1"}`},
		{"half quoted", "a: \"x\" y\nb: 1", "WF022", `{a: "\"x\" y", b: "1"}`},
		{"half quoted in flow", "a: [\"x\"/y, z]", "WF022", `{a: ["\"x\"/y", "z"]}`},
		{"apostrophe", "a: 'don't go'\nb: 1", "WF022", `{a: "'don't go'", b: "1"}`},
		{"loose sign", "a: $ {{ x }}\nb: 1", "WF023", `{a: "$ {{ x }}", b: "1"}`},
		{"loose sign in a block", "a: |\n  t\n  ${ { x }}\nb: 1", "WF023", `{a: "t\n${ { x }}\n", b: "1"}`},
		{"expression in flow", "a: {b: ${{ x }}, c: 1}", "WF024", `{a: {b: "${{ x }}", c: "1"}}`},
		{"expression in flow with a path", "a: [p/${{ x }}/q, r]", "WF024", `{a: ["p/${{ x }}/q", "r"]}`},
		{"braces in flow", "a: [{{ x }}, r]", "WF024", `{a: ["{{ x }}", "r"]}`},
		{"escape", `a: "\d+"`, "WF025", `{a: "\\d+"}`},
		{"NUL by escape", `a: "\0"`, "WF025", `{a: "\\0"}`},
		{"lone surrogate", `a: "\ud800"`, "WF025", `{a: "\\ud800"}`},
		{"reserved", "a: @x\nb: `y`\nc: %z", "WF026", "{a: \"@x\", b: \"`y`\", c: \"%z\"}"},
		{"shell sign", "a: && x", "WF026", `{a: "&& x"}`},
		{"glob as key", "a:\n  *.go: 1", "WF026", `{a: {*.go: "1"}}`},
		{"colon", "a: b: c\nd: 1", "WF028", `{a: "b: c", d: "1"}`},
		{"colon in flow", "a: {b: c: d, e: 1}", "WF028", `{a: {b: "c", e: "1"}}`},
		{"explicit key", "a: 1\n? b\n: c\nd: 2", "WF029", `{a: "1", d: "2"}`},
		{"directive", "%TAG ! x\n---\na: 1", "WF029", `{a: "1"}`},
		{"collection as key", "a:\n  [x]: 1\nb: 2", "WF029", ""},
		{"missing comma", "a: [\"b\" \"c\"]", "WF030", `{a: ["b", "c"]}`},
		{"empty item", "a: [b,,c]", "WF030", `{a: ["b", "c"]}`},
		{"glob in flow", "a: [src/{a,b}/*, c]", "WF030", `{a: ["src/{a,b}/*", "c"]}`},
		{"header", "a: |x\n  b\nc: 1", "WF031", ""},
		{"text behind the header", "a: | b\nc: 1", "WF031", `{a: "", c: "1"}`},
		{"empty", "# only this\n", "WF032", "nil"},
		{"prose before keys", "a text\nb: 1", "WF027", `{b: "1"}`},
		{"first key without colon", "a\n  b: 1\nc: 2", "WF027", `{c: "2"}`},
		{"two values", "'a'\nb: 1", "WF009", `{b: "1"}`},
		{"text indented less than its block", "a:\n  b: |\n      x\n    y: z\n  c: 1", "WF009", `{a: {b: "x\n", y: "z", c: "1"}}`},
		{"text that is no key, indented less than its block", "a:\n  b: |\n      x\n    y z\n    w: 1\n   v\n  c: 1", "WF009", `{a: {b: "x\n", c: "1"}}`},
		{"list under a value", "a: b\n  - c\n  - d\ne: 1", "WF009", `{a: "b - c - d", e: "1"}`},
		{"comment in a text", "a: b # c\n  d\ne: 1", "WF027", `{a: "b", e: "1"}`},
		{"comment at a quote", "a: \"b\"# c\ne: 1", "WF022", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n, fs := Parse("f.yaml", []byte(c.src))
			require.NotEmpty(t, fs)
			for _, f := range fs {
				require.Equal(t, c.code, f.Code, "%+v", f)
				require.NotEmpty(t, f.Detail)
				require.NotEmpty(t, f.Hint)
			}
			if c.want != "" {
				require.Equal(t, c.want, show(n))
			}
		})
	}
}

// Where one edit is right, it mends the file for good.
func TestEditsMend(t *testing.T) {
	cases := []struct{ src, want string }{
		{"a: ${{ x ? y : z }}\n", `{a: "${{ x ? y : z }}"}`},
		{"a: ${{ x == 'a # b' }} # c\n", `{a: "${{ x == 'a # b' }}"}`},
		{"- ${{ x ? 'y' : \"z\" }}\n", `["${{ x ? 'y' : \"z\" }}"]`},
		{"a: {x} is y\n", `{a: "{x} is y"}`},
		{"a: [a-z]+ # c\n", `{a: "[a-z]+"}`},
		{"a: 'don't go'\n", `{a: "don't go"}`},
		{"a: \"${{ x }}\"/**\n", `{a: "${{ x }}/**"}`},
		{"a: $ {{ x }}\n", `{a: "${{ x }}"}`},
		{"a: [${{ x }}, b]\n", `{a: ["${{ x }}", "b"]}`},
		{"a: [*.go, src/{a,b}]\n", ""},
		{"a: *.go\n", `{a: "*.go"}`},
		{"a: !cancelled()\n", `{a: "!cancelled()"}`},
		{"a: \"x\nb: 1\n", `{a: "x", b: "1"}`},
		{"a:\n\tb: 1\n", `{a: {b: "1"}}`},
		{"a: 1\n  b: 2\n", `{a: "1", b: "2"}`},
		{"a: 1\nb:2\n", `{a: "1", b: "2"}`},
		{"a: 1\nb\n", `{a: "1", b: null}`},
		{"a: \"\\d\"\n", `{a: "\\d"}`},
		{"\uFEFFa: x\u200by\n", `{a: "xy"}`},
		{"a: b: c\n", `{a: "b: c"}`},
		{"a: [b,,c]\n", `{a: ["b", "c"]}`},
		{"a: @x\n", `{a: "@x"}`},
		{"a\nb: 1\n", `{a: null, b: "1"}`},
		{"a: \"b\"# c\n", `{a: "b"}`},
		{"a:\n  b: |\n      x\n    y z\n", `{a: {b: "x\ny z\n"}}`},
		{"é: [ü, *.ö]\n", `{é: ["ü", "*.ö"]}`},
	}
	for _, c := range cases {
		src := c.src
		for range 3 {
			_, fs := Parse("f", []byte(src))
			if len(fs) == 0 {
				break
			}
			require.NotNil(t, fs[0].Edit, "%q: %+v", src, fs[0])
			r := fs[0].Edit.Range
			src = src[:r.Start.Offset] + fs[0].Edit.NewText + src[r.End.Offset:]
		}
		n := clean(t, src)
		if c.want != "" {
			require.Equal(t, c.want, show(n), src)
		}
	}
}

func TestDuplicateNamesBothPlaces(t *testing.T) {
	_, fs := Parse("f", []byte("aé: 1\nb: 2\naé: 3\n"))
	require.Len(t, fs, 1)
	require.Equal(t, diag.Pos{Line: 3, Column: 1, Offset: 12}, fs[0].Range.Start)
	require.Equal(t, diag.Pos{Line: 3, Column: 3, Offset: 15}, fs[0].Range.End)
	require.Equal(t, 1, fs[0].Related[0].Range.Start.Line)
}

func TestHiddenCharactersInCommentsAreLeftAlone(t *testing.T) {
	require.Equal(t, `{a: "1", b: "2"}`, show(clean(t, "# x\u202ey\na: 1 # \u200b\nb: 2\n")))
	_, fs := Parse("f", []byte("# \u202e\na: \"#\u202e\" # \u202e\n"))
	require.Equal(t, []string{"WF005"}, codes(fs))
	require.Equal(t, 2, fs[0].Range.Start.Line)
	_, fs = Parse("f", []byte("a: \u202e\n---\nb: \u202e\n"))
	require.Equal(t, []string{"WF005", "WF006"}, codes(fs))
}

func TestAliasesTellTheirUse(t *testing.T) {
	n := clean(t, "base: &b\n  k: 1\nuse: *b\nmerged:\n  <<: *b\n")
	use := n.Get("use")
	require.Equal(t, 3, use.Alias.Start.Line)
	require.Equal(t, 2, use.Range.Start.Line)
	k := n.Get("merged").Get("k")
	require.Equal(t, 5, k.Alias.Start.Line)
	require.Equal(t, 2, k.Range.Start.Line)
	require.Nil(t, n.Get("base").Alias)
}

func TestBombsAreRefused(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	_, fs := Parse("f", []byte(b.String()))
	require.Equal(t, []string{"WF015"}, codes(fs))

	b.Reset()
	b.WriteString("a0: &a0 {k: v}\n")
	for i := 1; i < MaxDepth+5; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d]\n", i, i, i-1)
	}
	n, fs := Parse("f", []byte(b.String()))
	require.Contains(t, codes(fs), "WF016")
	require.LessOrEqual(t, depth(n), MaxDepth+1)

	b.Reset()
	b.WriteString("m0: &m0 {k0: v}\n")
	for i := 1; i < 1000; i++ {
		fmt.Fprintf(&b, "m%d: &m%d {<<: *m%d, k%d: v}\n", i, i, i-1, i)
	}
	_, fs = Parse("f", []byte(b.String()))
	require.Equal(t, []string{"WF015"}, codes(fs))
}

func depth(n *Node) int {
	most := 0
	for _, e := range n.Entries {
		most = max(most, depth(e.Value))
	}
	for _, item := range n.Items {
		most = max(most, depth(item))
	}
	return most + 1
}

func TestLimits(t *testing.T) {
	_, fs := Parse("f", make([]byte, MaxBytes+1))
	require.Equal(t, []string{"WF001"}, codes(fs))
	for _, sign := range []string{"[", "{a: ", "- ", "&a [", "{{", "\"", "? ", "[{", "!x ", "&a ", "[!x ", "[&a ", "[${{ ,", "a: ${{ # ", "[a:b: ", "[a{ ", "[\"a\" ", "a: '", "[x ", ",", "|", "*a ", "\"a\": "} {
		_, fs := Parse("f", []byte(strings.Repeat(sign, 200_000/len(sign))))
		require.NotEmpty(t, fs)
		require.LessOrEqual(t, len(fs), maxFindings+1)
	}
	_, fs = Parse("f", []byte(strings.Repeat("x\n", 5000)))
	require.LessOrEqual(t, len(fs), maxFindings+1)
	_, fs = Parse("f", []byte("a: 1\n"+strings.Repeat("x y\n", 5000)))
	require.Len(t, fs, maxFindings+1)
	require.Contains(t, codes(fs), "WF033")
}

func TestRanges(t *testing.T) {
	src := "é: \"x\\u00e9y\"\nb: >-\n  one\n  two\nc: [ü, v]\n"
	n := clean(t, src)
	at := func(r diag.Range) string { return src[r.Start.Offset:r.End.Offset] }
	require.Equal(t, `"x\u00e9y"`, at(n.Get("é").Range))
	require.Equal(t, ">-\n  one\n  two", at(n.Get("b").Range))
	require.Equal(t, "[ü, v]", at(n.Get("c").Range))
	require.Equal(t, 8, n.Get("c").Items[1].Range.Start.Column)
	require.Equal(t, src[:len(src)-1], at(n.Range))
}

func TestRangeAt(t *testing.T) {
	cases := []struct{ src, part, want string }{
		{"a: t ${{ x }}", "${{ x }}", "${{ x }}"},
		{"a: 't ''q'' ${{ x }}'", "${{ x }}", "${{ x }}"},
		{"a: 't ''q'' x'", "'q'", "''q''"},
		{`a: "t\té\u00e9 ${{ x }}"`, "${{ x }}", "${{ x }}"},
		{`a: "t\té\u00e9 x"`, "éé", `é\u00e9`},
		{"a: |\n  one\n  t ${{ x }}\n", "${{ x }}", "${{ x }}"},
		{"a: |\r\n  one\r\n  t ${{ x }}\r\n", "${{ x }}", "${{ x }}"},
		{"a: |\r\n  one\r\n  two\r\n", "e\nt", "e\r\n  t"},
		{"a: >\n  one\n  ${{ x }}\n\n  y\n", "${{ x }}", "${{ x }}"},
		{"a: >\n  one\n\n  two\n", "one\ntwo", "one\n\n  two"},
		{"a: one\n  ${{ x\n  y }} z\nb: 1", "${{ x y }}", "${{ x\n  y }}"},
		{"a: \"one\r\n  ${{ x }}\"", "${{ x }}", "${{ x }}"},
		{"a: \"one \\\n  ${{ x }}\"", "${{ x }}", "${{ x }}"},
		{"a: [p\n  q]", "q", "q"},
	}
	for _, c := range cases {
		v := clean(t, c.src).Get("a")
		if v.Kind == Sequence {
			v = v.Items[0]
		}
		k := strings.Index(v.Value, c.part)
		require.GreaterOrEqual(t, k, 0, "%q in %q", c.part, v.Value)
		r := v.RangeAt(k, k+len(c.part))
		require.Equal(t, c.want, c.src[r.Start.Offset:r.End.Offset], c.src)
		line := strings.LastIndexByte(c.src[:r.Start.Offset], '\n') + 1
		require.Equal(t, len([]rune(c.src[line:r.Start.Offset]))+1, r.Start.Column)
		require.Equal(t, strings.Count(c.src[:r.Start.Offset], "\n")+1, r.Start.Line)
	}
}

// The facts because of which this package does not stand on goccy's lexer.
func TestGoccyLexerLosesKeysAndPlaces(t *testing.T) {
	var keys []string
	for _, k := range lexer.Tokenize("a: \"x\ty\tz\"\nb: q\n") {
		if k.Type == token.StringType {
			keys = append(keys, k.Value)
		}
	}
	require.NotContains(t, keys, "b", "the lexer is mended: a key after quoted tabs is read")
	src := "a: |\n  x\n\n  y\nb: 'it''s'\nc: d\n"
	for _, k := range lexer.Tokenize(src) {
		if k.Value == "c" {
			require.NotEqual(t, strings.Index(src, "c:")+1, k.Position.Offset, "the lexer is mended: offsets are right behind blocks and quotes")
		}
	}
}

// goccy's parser and this one see the same tree where YAML is plain.
func TestAgreesWithGoccy(t *testing.T) {
	sources := []string{
		"a: b\nc:\n  - d\n  - e: f\n    g: h\n", "a: {b: c, d: [e, f]}\n", "a: |\n  x\n   y\n\n  z\nb: >-\n  p\n  q\n\n  r\n",
		"a: 'it''s'\nb: \"x\\ty\"\nc: one\n  two\n", "a: &x {b: c}\nd: *x\n", "- a\n- - b\n  - c\n- d: e\n", "a:\nb: ~\nc: ''\n",
		"a: \"multi\n  line\n\n  text\"\nb: x # c\n", "a: |+\n  x\n\nb: |-\n  y\n\nc: >\n  z\n   w\n  v\n",
	}
	shipped, err := filepath.Glob("../../workflows/*.yaml")
	require.NoError(t, err)
	for _, name := range shipped {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		sources = append(sources, string(src))
	}
	for _, src := range sources {
		f, err := goccy.ParseBytes([]byte(src), 0)
		require.NoError(t, err, src)
		require.Equal(t, showGoccy(t, f.Docs[0].Body), show(clean(t, src)), src)
	}
}

func showGoccy(t *testing.T, n ast.Node) string {
	var v any
	require.NoError(t, yaml.NodeToValue(n, &v, yaml.UseOrderedMap()))
	return showAny(v)
}

func showAny(v any) string {
	var parts []string
	switch v := v.(type) {
	case yaml.MapSlice:
		for _, e := range v {
			parts = append(parts, fmt.Sprint(e.Key)+": "+showAny(e.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, showAny(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case nil:
		return "null"
	}
	return fmt.Sprintf("%q", fmt.Sprint(v))
}
