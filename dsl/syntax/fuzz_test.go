package syntax

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// FuzzParse: no input makes the reader panic, run on, or name a place that is
// not in the file.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"a: b\nc:\n  - d: [e, {f: g}]\n", "a: |\n  x\r\n y\nb: >+2\n   z\n\n", "a: ${{ x ? y : z }} # c\n", "&a b: *a\n<<: [*a]\n",
		"a: \"x\\u00e9\\\n  y\n", "a: 'x''\n\n y'\n", "\uFEFF%YAML 1.2\n---\né: ü\n...\n", "a: [b}\n\tc: {d\n", "- - - a\n - b\n? c\n: d\n", "!x &y *z\n",
		"a: $ {{ x }}\nb: [p/{q,r}/${{ s }}, *.go]\n", "a: \"b\" c\nd: {e} f\n", "x: |-1\n\n  \n", "{a: {b: c\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		root, fs := Parse("f", src)
		if root == nil {
			require.NotEmpty(t, fs)
		}
		for _, fd := range fs {
			inFile(t, src, fd.Range)
			for _, r := range fd.Related {
				inFile(t, src, r.Range)
			}
			if fd.Edit != nil {
				inFile(t, src, fd.Edit.Range)
			}
		}
		if root != nil {
			budget := 20_000
			walk(t, src, root, &budget)
		}
	})
}

func inFile(t *testing.T, src []byte, r diag.Range) {
	for _, p := range []diag.Pos{r.Start, r.End} {
		require.True(t, p.Offset >= 0 && p.Offset <= len(src) && p.Line >= 1 && p.Column >= 1, "%q %+v", src, r)
		line := strings.Count(string(src[:p.Offset]), "\n")
		require.Equal(t, line+1, p.Line, "%q %+v", src, r)
		if utf8.Valid(src) {
			from := strings.LastIndexByte(string(src[:p.Offset]), '\n') + 1
			require.Equal(t, utf8.RuneCount(src[from:p.Offset])+1, p.Column, "%q %+v", src, r)
		}
	}
	require.LessOrEqual(t, r.Start.Offset, r.End.Offset, "%q %+v", src, r)
}

func walk(t *testing.T, src []byte, n *Node, budget *int) {
	if *budget--; *budget < 0 {
		return
	}
	inFile(t, src, n.Range)
	for i := 0; i <= len(n.Value); i += max(1, len(n.Value)/7) {
		inFile(t, src, n.RangeAt(i, len(n.Value)))
		inFile(t, src, n.RangeAt(0, i))
	}
	for _, e := range n.Entries {
		require.NotNil(t, e.Value)
		require.Equal(t, Scalar, e.Key.Kind, "%q", src)
		walk(t, src, e.Key, budget)
		walk(t, src, e.Value, budget)
	}
	for _, item := range n.Items {
		walk(t, src, item, budget)
	}
}

// What is cut anywhere is still read without harm.
func TestEveryPrefix(t *testing.T) {
	src := "wf: 1\nroles:\n  a: {mode: chat, tools: [\"Bash(x:*)\", Read]}\nb: |\n  é ${{ x }}\r\n  y\nc: >-\n  z\n- \"q\\u00e9\" # c\nd: &x 'it''s'\ne: *x\n<<: {f: g}\n"
	for i := range len(src) {
		root, fs := Parse("f", []byte(src[:i]))
		for _, f := range fs {
			inFile(t, []byte(src[:i]), f.Range)
		}
		if root != nil {
			budget := 1000
			walk(t, []byte(src[:i]), root, &budget)
		}
	}
}

func tickets(n int) []byte {
	var b strings.Builder
	b.WriteString("wf: 1\nname: big\ntickets:\n")
	for i := range n {
		b.WriteString("  ticket-" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + itoa(i) + ":\n    role: builder\n    scope: [\"src/**\"]\n    brief: Build ${{ inputs.goal }} here\n    needs: [a]\n")
	}
	return []byte(b.String())
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + string(rune('0'+i%10))
}

// Allocation grows with the file, not with its square, and stays near the size of its nodes (a key with its value is two, of 160 bytes each).
func TestMemoryIsLinear(t *testing.T) {
	per := func(src []byte) float64 {
		r := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse("f", src)
			}
		})
		return float64(r.AllocedBytesPerOp()) / float64(len(src))
	}
	_, fs := Parse("f", tickets(100))
	require.Empty(t, fs)
	small, big := per(tickets(500)), per(tickets(8000))
	require.Less(t, big, 24.0)
	require.Less(t, big, 1.5*small)
	line := func(n int) []byte { return []byte("a: [" + strings.Repeat("{b: c, \"d\": é}, ", n) + "]") }
	require.Less(t, per(line(20_000)), 1.5*per(line(1_000)))
}

func BenchmarkParse5000Tickets(b *testing.B) {
	src := tickets(5000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("f", src)
	}
}
