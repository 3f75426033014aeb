package glob

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatch(t *testing.T) {
	cases := []struct {
		pattern string
		yes, no []string
	}{
		{"dir/**", []string{"dir/a", "dir/a/b", "dir/.x"}, []string{"dir", "dirs/a", "x/dir/a", "dir/", "dir/../a"}},
		{"**", []string{"a", "a/b", ".git/config"}, []string{"", "/a", "a//b", "./a", "../a", "a/.."}},
		{"**/x", []string{"x", "a/x", "a/b/x"}, []string{"ax", "x/a"}},
		{"a/**/b", []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"ab", "a/xb", "a/b/c"}},
		{"*.go", []string{"a.go", ".go"}, []string{"d/a.go", "a.GO"}},
		{"*", []string{"a"}, []string{"a/b", ""}},
		{"a?c", []string{"abc", "aéc"}, []string{"ac", "a/c", "abbc"}},
		{"[a-c]x", []string{"ax", "cx"}, []string{"dx", "x"}},
		{"[!a-c]x", []string{"dx", "éx"}, []string{"ax", "/x"}},
		{`[\]a]`, []string{"]", "a"}, []string{"b"}},
		{"{a,b/c}/d", []string{"a/d", "b/c/d"}, []string{"b/d", "c/d"}},
		{"{src,test}/**", []string{"src/a", "test/a/b"}, []string{"src", "x/a"}},
		{"{src/**,go.mod}", []string{"src/a/b", "go.mod"}, []string{"go.sum", "src"}},
		{"a{,.bak}", []string{"a", "a.bak"}, []string{"ab"}},
		{"{a,{b,c}d}", []string{"a", "bd", "cd"}, []string{"b", "ad"}},
		{`\*\{x\}`, []string{"*{x}"}, []string{"a{x}"}},
		{"a b/-x", []string{"a b/-x"}, []string{"a  b/-x"}},
	}
	for _, c := range cases {
		p, err := Compile(c.pattern)
		require.NoError(t, err, c.pattern)
		for _, s := range c.yes {
			require.True(t, p.Match(s), "%s on %q", c.pattern, s)
		}
		for _, s := range c.no {
			require.False(t, p.Match(s), "%s on %q", c.pattern, s)
		}
	}
}

func TestZeroPatternMatchesNothing(t *testing.T) {
	require.False(t, Pattern{}.Match("a"))
	require.True(t, Within(Pattern{}, MustCompile("a")))
	require.False(t, Within(MustCompile("a"), Pattern{}))
}

func TestCompileSaysWhatAndWhere(t *testing.T) {
	cases := []struct{ pattern, want string }{
		{"", "at byte 0: it is empty"},
		{"/etc/x", "at byte 0: it begins with a slash"},
		{"a//b", "at byte 2: the segment before this slash is empty"},
		{"a/", "at byte 1: it ends with a slash; write a/**"},
		{"../a", `at byte 0: ".." is no name`},
		{"a/../b", `at byte 2: ".." is no name`},
		{"a/.", `at byte 2: "." is no name`},
		{"a**", "at byte 1: `**` must be a whole segment"},
		{"**a", "at byte 0: `**` must be a whole segment"},
		{"x{**,a}", "at byte 2: `**` must be a whole segment"},
		{"{../a,b}", `at byte 1: ".." is no name`},
		{"x/{a/,b}", "at byte 4: it ends with a slash"},
		{"[a", `at byte 0: "[" is not closed`},
		{"a[]", "at byte 1: the class is empty"},
		{"[b-a]", "at byte 2: the range b-a runs backwards"},
		{"[a/]", "at byte 2: a class cannot hold"},
		{"{a,b", `at byte 0: "{" is not closed`},
		{"a}", "at byte 1: "},
		{"a]", "at byte 1: "},
		{`a\`, "at byte 1: nothing follows the backslash"},
		{"!a", "at byte 0: a pattern cannot exclude"},
		{"a\x00", "at byte 1: a control character"},
		{"a\xff", "at byte 1: it is not UTF-8"},
		{strings.Repeat("a", MaxLength+1), "is longer than"},
		{strings.Repeat("*a", MaxWild+1), "has more than"},
	}
	for _, c := range cases {
		_, err := Compile(c.pattern)
		require.ErrorContains(t, err, c.want, c.pattern)
	}
}

func TestLiteralPrefix(t *testing.T) {
	for pattern, want := range map[string]string{
		"src/**": "src/", "a/b": "a/b", "*": "", "a{b,c}": "a", `\*a?`: "*a", "**/a": "", "a[b]c*": "abc",
	} {
		require.Equal(t, want, MustCompile(pattern).LiteralPrefix(), pattern)
	}
}

func TestIntersects(t *testing.T) {
	cases := []struct{ a, b, witness string }{
		{"src/**", "src/api/*.go", "src/api/.go"},
		{"src/**", "**/x.go", "src/x.go"},
		{"a/*", "*/b", "a/b"},
		{"*", "*", "a"},
		{"*.go", "a*", "a.go"},
		{"**", "**", "a"},
		{"**/*.go", "cmd/**", "cmd/.go"},
		{"[b-z]*", "[a-m]?", "ba"},
		{"{x,y}/**", "y/*", "y/a"},
		{"[.]*", "*", ".a"}, // "." alone is no clean path
		{"é*", "*ü", "éü"},
	}
	for _, c := range cases {
		for _, order := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			w, ok := Intersects(MustCompile(order[0]), MustCompile(order[1]))
			require.True(t, ok, order)
			require.Equal(t, c.witness, w, order)
		}
	}
	for _, c := range [][2]string{{"src/**", "src"}, {"a/*", "a/b/c"}, {"*.go", "*.ts"}, {"[a-c]", "[d-f]"}, {"a/**", "b/**"}, {"[.]", "**"}} {
		_, ok := Intersects(MustCompile(c[0]), MustCompile(c[1]))
		require.False(t, ok, c)
	}
}

func TestWithin(t *testing.T) {
	yes := [][2]string{{"src/api/**", "src/**"}, {"a", "a"}, {"*.go", "*"}, {"a/b", "**"}, {"{a,b}", "[a-c]"}, {"*", "{[a-m]*,[!a-m]*}"}, {"src/**/x", "src/**"}}
	no := [][2]string{{"src/**", "src/api/**"}, {"src", "src/**"}, {"*", "*.go"}, {"**", "*"}, {"[a-d]", "{a,b,c}"}}
	for _, c := range yes {
		require.True(t, Within(MustCompile(c[0]), MustCompile(c[1])), c)
	}
	for _, c := range no {
		require.False(t, Within(MustCompile(c[0]), MustCompile(c[1])), c)
	}
}

func TestEscape(t *testing.T) {
	for _, s := range []string{"a", "a*b", "[x]/{y}", `back\slash`, "!x", "a,b", "sp ace/é"} {
		p, err := Compile(Escape(s))
		require.NoError(t, err, s)
		require.True(t, p.Match(s), s)
		require.Equal(t, s, p.LiteralPrefix())
	}
}

func TestSet(t *testing.T) {
	s, err := CompileSet([]string{"a/*", "b"})
	require.NoError(t, err)
	require.True(t, s.Match("b"))
	require.True(t, s.Match("a/x"))
	require.False(t, s.Match("c"))
	_, err = CompileSet([]string{"a", "b["})
	require.ErrorContains(t, err, `pattern "b["`)
}

// expand writes a pattern's braces out; the reference needs no other parser.
func expand(p string) []string {
	open := strings.IndexByte(p, '{')
	if open < 0 {
		return []string{p}
	}
	end := matching(p, open)
	var out []string
	depth, from := 0, open+1
	for i := open; i <= end; i++ {
		switch p[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 1 && p[i] == ',' || depth == 0 {
			out = append(out, expand(p[:open]+p[from:i]+p[end+1:])...)
			from = i + 1
		}
	}
	return out
}

// naive matches as the package comment says, by trying everything.
func naive(pattern, name string) bool {
	if name == "" || path.Clean(name) != name || name[0] == '/' || name == "." || strings.HasPrefix(name, "..") && (len(name) == 2 || name[2] == '/') {
		return false
	}
	for _, p := range expand(pattern) {
		if naiveSegments(strings.Split(p, "/"), strings.Split(name, "/")) {
			return true
		}
	}
	return false
}

func naiveSegments(p, n []string) bool {
	switch {
	case len(p) == 0:
		return len(n) == 0
	case p[0] == "**" && len(p) == 1:
		return len(n) > 0
	case p[0] == "**":
		for k := 0; k <= len(n); k++ {
			if naiveSegments(p[1:], n[k:]) {
				return true
			}
		}
		return false
	case len(n) == 0:
		return false
	}
	ok, err := path.Match(strings.ReplaceAll(p[0], "[!", "[^"), n[0])
	return err == nil && ok && naiveSegments(p[1:], n[1:])
}

// randomPattern draws from a grammar that gives only patterns Compile takes.
func randomPattern(r *rand.Rand) string {
	segment := func() string {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString([]string{"a", "b", "c", ".", "*", "?", "[ab]", "[!a]", "{a,bc}", "{a,*b}"}[r.IntN(10)])
		}
		return b.String()
	}
	var parts []string
	for range 1 + r.IntN(3) {
		switch r.IntN(5) {
		case 0:
			parts = append(parts, "**")
		case 1:
			parts = append(parts, "{"+segment()+","+segment()+"/"+segment()+"}")
		default:
			parts = append(parts, segment())
		}
	}
	return strings.Join(parts, "/")
}

func randomPath(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(7) {
		b.WriteByte("abc./"[r.IntN(5)])
	}
	return b.String()
}

func compileRandom(r *rand.Rand) Pattern {
	for {
		s := randomPattern(r)
		if p, err := Compile(s); err == nil && !strings.Contains(s, "***") {
			return p
		}
	}
}

func TestMatchAgreesWithNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	matched := 0
	for range 60_000 {
		p, name := compileRandom(r), randomPath(r)
		want := naive(p.String(), name)
		require.Equal(t, want, p.Match(name), "%s on %q", p, name)
		if want {
			matched++
			require.True(t, strings.HasPrefix(name, p.LiteralPrefix()))
		}
	}
	require.Greater(t, matched, 500)
}

// allPaths lists every text over a small alphabet, shortest first.
func allPaths(most int) []string {
	out, layer := []string{}, []string{""}
	for range most {
		var next []string
		for _, s := range layer {
			for _, c := range "abc./" {
				next = append(next, s+string(c))
			}
		}
		out, layer = append(out, next...), next
	}
	return out
}

func TestIntersectsAndWithinAgreeWithEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	paths := allPaths(5)
	both, inside := 0, 0
	for range 700 {
		a, b := compileRandom(r), compileRandom(r)
		w, ok := Intersects(a, b)
		within := Within(a, b)
		if ok {
			both++
			require.True(t, a.Match(w) && b.Match(w), "%s and %s on %q", a, b, w)
			require.False(t, Within(a, MustCompile("zz")))
		} else if within {
			require.False(t, anyMatch(a, paths), "%s is within %s", a, b)
		}
		for _, s := range paths {
			inA, inB := a.Match(s), b.Match(s)
			if inA && inB {
				require.True(t, ok, "%s and %s share %q", a, b, s)
				require.LessOrEqual(t, len(w), len(s), "%s and %s: %q is longer than %q", a, b, w, s)
			}
			require.False(t, within && inA && !inB, "%s within %s, but %q", a, b, s)
		}
		if within {
			inside++
		}
	}
	require.Greater(t, both, 50)
	require.Greater(t, inside, 10)
}

func anyMatch(p Pattern, paths []string) bool {
	for _, s := range paths {
		if p.Match(s) {
			return true
		}
	}
	return false
}

func TestWithinIsReflexive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		p := compileRandom(r)
		require.True(t, Within(p, p), p.String())
		require.True(t, Within(p, MustCompile("**")), p.String())
	}
}

// Patterns that make backtracking matchers run without end.
func TestPathologicalPatternsAreBounded(t *testing.T) {
	stars := strings.Repeat("*a", MaxWild-1) + "b"
	deeps := strings.Repeat("**/*a/", MaxWild/2-1) + "b"
	long := "**/" + strings.Repeat("a", 500)
	require.False(t, MustCompile(stars).Match(strings.Repeat("a", 4000)))
	require.False(t, MustCompile(deeps).Match(strings.Repeat("a/", 2000)+"c"))
	for _, c := range [][2]string{{stars, stars}, {stars, deeps}, {deeps, deeps}, {long, long}, {long, stars}} {
		a, b := MustCompile(c[0]), MustCompile(c[1])
		if w, ok := Intersects(a, b); ok {
			require.True(t, a.Match(w) && b.Match(w))
		}
		Within(a, b)
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{"src/**", "**/*.go", "{a,b/**}/x", "[!a-z]?", `\*`, "a/{**,b}", "{a,{b,}}", "[]-a]", "[a-]"} {
		f.Add(s, "src/a.go")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		p, err := Compile(pattern)
		if err != nil {
			require.Contains(t, err.Error(), "at byte ")
			return
		}
		if p.Match(name) {
			require.True(t, strings.HasPrefix(name, p.LiteralPrefix()))
			q, err := Compile(Escape(name))
			if err == nil {
				w, ok := Intersects(p, q)
				require.True(t, ok && (w == name || strings.ContainsRune(name, '\uFFFD')))
			}
		}
		if w, ok := Intersects(p, p); ok {
			require.True(t, p.Match(w), "%q on %q", pattern, w)
		}
	})
}
