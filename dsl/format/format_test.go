package format_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/format"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// TestFormat shows the canonical form, case by case.
func TestFormat(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"indentation", "a:\n    b: 1\n    c:\n          d: 2\n", "a:\n  b: 1\n  c:\n    d: 2\n"},
		{"lists under keys", "a:\n- b\n- c: 1\n  d: 2\ne:\n    -   f\n", "a:\n  - b\n  - c: 1\n    d: 2\ne:\n  - f\n"},
		{"lists in lists", "-   - a\n    - b\n-\n   - c\n", "- - a\n  - b\n-\n  - c\n"},
		{"spacing", "a:   1\nb :  {x:1,  y : 2 ,z: [ 1,2 , 3 ] }\n", "a: 1\nb: {x:1, y: 2, z: [1, 2, 3]}\n"},
		{"brackets over lines", "a: {\n b: 1,\n       c: [\n 2,\n 3 ] }\n", "a: {\n  b: 1,\n  c: [\n    2,\n    3]}\n"},
		{"closing brackets", "a:\n    - {b: [\n         1\n       ]\n       }\n", "a:\n  - {b: [\n      1\n    ]\n    }\n"},
		{"line ends, blanks, final newline", "a: 1  \r\n\r\n\r\n\r\nb: 2\t", "a: 1\n\nb: 2\n"},
		{"blank lines at both ends", "\n\na: 1\n\n\n", "a: 1\n"},
		{"comments keep their level", "# head\na:\n    # of b\n    b: 1\n    # of a's end\n# of c\nc: 2\n  # lost\n", "# head\na:\n  # of b\n  b: 1\n  # of a's end\n# of c\nc: 2\n# lost\n"},
		{"comments behind values", "a: 1 # x\nlonger: 2      # y\n\nb: 3       # z\n", "a: 1      # x\nlonger: 2 # y\n\nb: 3 # z\n"},
		{"quotes", "a: 'b'\nc: 'it''s'\nd: 'a\"b'\ne: '\\d'\nf: \"x\"\n'g': plain\n", "a: \"b\"\nc: \"it's\"\nd: 'a\"b'\ne: '\\d'\nf: \"x\"\n\"g\": plain\n"},
		{"text blocks", "a:\n    b: |\n          one\n            two\n\n\n          three  \n    c: >-   # why\n      four\n", "a:\n  b: |\n    one\n      two\n\n\n    three  \n  c: >- # why\n    four\n"},
		{"text blocks with their own depth", "a:\n    b: |2\n         deep\n      text\n", "a:\n  b: |2\n       deep\n    text\n"},
		{"text blocks that keep their end", "a: |+\n    x\n\n\nb: 1\n", "a: |+\n  x\n\n\nb: 1\n"},
		{"a text block without a line break stays without", "a: |\n    x", "a: |\n  x"},
		{"text over lines", "a:\n    b: one\n          two\n    c: \"three\n\n     four \\\n     five\"   # c\n", "a:\n  b: one\n    two\n  c: \"three\n\n    four \\\n    five\" # c\n"},
		{"anchors and merges", "a:   &x\n    b: 1\nc:\n    <<:   *x\n    d:   *x\n", "a: &x\n  b: 1\nc:\n  <<: *x\n  d: *x\n"},
		{"a value on its own line", "a:\n        b c\nd:\n   [1]\n", "a:\n  b c\nd:\n  [1]\n"},
		{"markers", "%YAML 1.2\n---   # c\na: 1\n...\n", "%YAML 1.2\n--- # c\na: 1\n...\n"},
		{"comments alone", "\n\n#  a  \n\n\n  # b", "#  a\n\n# b\n"},
		{"nothing", "", ""},
		{"keys stay in order", "b: 1\na: 2\n", "b: 1\na: 2\n"},
		{"null", "a: ~\nb:\nc: {d, e: }\n", "a: ~\nb:\nc: {d, e:}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, found := format.Format("a.yaml", []byte(c.src))
			require.Empty(t, found)
			require.Equal(t, c.want, string(got))
			holds(t, []byte(c.src))
		})
	}
}

// TestFormatLeavesErrors: a file with errors comes back as it is, with what is wrong.
func TestFormatLeavesErrors(t *testing.T) {
	for _, src := range []string{"a: 'b\nc:   1\n", "a: 1\na:   2\n", "\ta: 1\n", "a:  !x 1\n", "\ufeffa:   1\n"} {
		got, found := format.Format("a.yaml", []byte(src))
		require.Equal(t, src, string(got))
		require.True(t, found.HasErrors(), "%q", src)
		require.Equal(t, "a.yaml", found[0].Range.File)
	}
}

// holds checks the laws for one file: formatting again changes nothing, the
// tree is the same, and no comment is lost.
func holds(t *testing.T, src []byte) {
	t.Helper()
	out, found := format.Format("a.yaml", src)
	if found.HasErrors() {
		require.Equal(t, string(src), string(out))
		return
	}
	require.Empty(t, format.Unfaithful(src), "of %q", src)
	again, found := format.Format("a.yaml", out)
	require.False(t, found.HasErrors(), "%q became %q", src, out)
	require.Equal(t, string(out), string(again), "of %q", src)
	a, _ := syntax.Parse("a.yaml", src)
	b, _ := syntax.Parse("a.yaml", out)
	require.Equal(t, outline(a), outline(b), "%q became %q", src, out)
	require.Equal(t, strings.Count(string(src), "#"), strings.Count(string(out), "#"), "%q became %q", src, out)
	require.NotContains(t, string(out), "\r\n")
}

// outline writes a tree down without its places.
func outline(n *syntax.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(n.Kind.String() + "|" + n.Value + "|")
	if n.Style == syntax.Plain {
		b.WriteString("plain")
	}
	for _, e := range n.Entries {
		b.WriteString("{" + outline(e.Key) + ":" + outline(e.Value) + "}")
	}
	for _, item := range n.Items {
		b.WriteString("[" + outline(item) + "]")
	}
	return b.String()
}

// examples are all YAML files of the repository and all examples of the pages of findings.
func examples(t testing.TB) [][]byte {
	t.Helper()
	var out [][]byte
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return fs.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(path, ".yaml") {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			out = append(out, data)
		}
		return nil
	}))
	codes, err := diag.Pages()
	require.NoError(t, err)
	for _, code := range codes {
		page, err := diag.Page(code)
		require.NoError(t, err)
		for _, part := range strings.Split(page, "```yaml\n")[1:] {
			text, _, _ := strings.Cut(part, "```")
			out = append(out, []byte(text))
		}
	}
	return out
}

// TestFormatExamples holds the laws for every example of the repository, also
// with its indentation doubled and its line ends changed.
func TestFormatExamples(t *testing.T) {
	all := examples(t)
	require.Greater(t, len(all), 100)
	for _, src := range all {
		holds(t, src)
		holds(t, []byte(strings.ReplaceAll(string(src), "\n", "\r\n")))
		holds(t, wider(src))
	}
}

// wider doubles the indentation of each line.
func wider(src []byte) []byte {
	var b strings.Builder
	for line := range strings.Lines(string(src)) {
		if body := strings.TrimLeft(line, " "); strings.HasPrefix(body, "- ") {
			line = strings.TrimSuffix(line, body) + "-   " + body[2:]
		}
		b.WriteString(strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))) + line)
	}
	return []byte(b.String())
}

// TestFormatMoves: the doubled indentation of an example comes back to what it was.
func TestFormatMoves(t *testing.T) {
	src := "a:\n  b:\n    - c: 1\n      # d\n      e: |\n        f\n"
	got, _ := format.Format("a.yaml", wider([]byte(src)))
	require.Equal(t, src, string(got))
}

// TestFormatAccidents holds the laws for thousands of examples with accidents in them.
func TestFormatAccidents(t *testing.T) {
	all := examples(t)
	signs := []string{" ", "\n", "#", " # c\n", "- ", "\n- ", ":", ": ", "{", "}", "[", "]", ",", "'", "\"", "|", "|+\n", ">-\n", "&a ", "*a", "<<: *a\n", "\t", "  ", "\n\n", "\\", "\r\n", "---\n", "|2\n", "é", "\\ ", "? ", "~"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		src := string(all[r.IntN(len(all))])
		if r.IntN(2) == 0 {
			src = string(wider([]byte(src)))
		}
		for range 1 + r.IntN(4) {
			at := r.IntN(len(src) + 1)
			switch to := min(at+r.IntN(30), len(src)); r.IntN(4) {
			case 0:
				src = src[:at] + signs[r.IntN(len(signs))] + src[at:]
			case 1:
				src = src[:at] + src[to:]
			case 2:
				src = src[:at] + src[at:to] + src[at:]
			case 3:
				src = src[:at]
			}
		}
		holds(t, []byte(src))
	}
}

// BenchmarkFormat lays out a megabyte, on many lines and on one.
func BenchmarkFormat(b *testing.B) {
	var lines strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&lines, "k%d:\n    - {b: 1,   c: [1,2]}   # d\n", i)
	}
	one := "a: [" + strings.Repeat("{b: 1,   c: [1,2]}, ", 50_000) + "]\n"
	for name, src := range map[string]string{"lines": lines.String(), "one line": one} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				format.Format("a.yaml", []byte(src))
			}
		})
	}
}

func FuzzFormat(f *testing.F) {
	for _, src := range examples(f) {
		f.Add(src)
		f.Add(wider(src))
	}
	f.Add([]byte("- - a: |+\n\n   b\n\n- ? x\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) < 1<<16 {
			holds(t, src)
		}
	})
}
