package syntax

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writer writes random trees in random styles and remembers what they say.
type writer struct {
	r *rand.Rand
	b strings.Builder
}

var texts = []string{
	"x", "two words", "é ü", "it's", "a: b", "x # y", "${{ a ? b : c }}", "- x", "{x}", "*.go", "~", "", "null", "a\nb", "a\n\nb\n", "  led", "trail  ",
	"tab\there", `back\slash`, "\"q\"", "&x", "!y", "1.10", "012", "x\n  deep\ny\n", "\n\nlate", "# no comment", "a,b", "[", "http://x/y",
}

func (w *writer) pick(options ...string) string { return options[w.r.IntN(len(options))] }

// tree writes a value at an indentation and returns what show says of it.
func (w *writer) tree(indent, depth int, inline bool) string {
	switch k := w.r.IntN(6); {
	case depth > 0 && k == 0:
		return w.blockMapping(indent, depth, inline)
	case depth > 0 && k == 1:
		return w.blockList(indent, depth)
	case depth > 0 && k == 2:
		s := w.flow(depth)
		w.b.WriteString(w.pick("\n", " # c\n", "\n\n", "\n   # c\n"))
		return s
	}
	return w.scalar(indent)
}

func (w *writer) pad(n int) string { return strings.Repeat(" ", n) }

func (w *writer) blockMapping(indent, depth int, inline bool) string {
	var parts []string
	if !inline {
		w.b.WriteString(w.pick("\n", " # c\n"))
	}
	for i := range 1 + w.r.IntN(4) {
		if i > 0 || !inline {
			w.b.WriteString(w.pad(indent))
		}
		key := fmt.Sprintf("k%d", i)
		w.b.WriteString(w.pick(key, "'"+key+"'", `"`+key+`"`) + w.pick(":", " :") + " ")
		parts = append(parts, key+": "+w.tree(indent+1+w.r.IntN(3), depth-1, false))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (w *writer) blockList(indent, depth int) string {
	var parts []string
	w.b.WriteString("\n")
	for range 1 + w.r.IntN(3) {
		w.b.WriteString(w.pad(indent) + "- ")
		parts = append(parts, w.tree(indent+2, depth-1, true))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (w *writer) flow(depth int) string {
	var parts []string
	kind := w.r.IntN(3)
	if depth == 0 || kind == 0 {
		s := w.pick(texts...)
		w.quoted(s)
		return fmt.Sprintf("%q", s)
	}
	w.b.WriteString([]string{"", "{", "["}[kind])
	for i := range w.r.IntN(4) {
		if i > 0 {
			w.b.WriteString(w.pick(",", ", ", " , "))
		}
		name := ""
		if kind == 1 {
			name = fmt.Sprintf("f%d: ", i)
			w.b.WriteString(w.pick(name, fmt.Sprintf("\"f%d\":", i)))
		}
		parts = append(parts, name+w.flow(depth-1))
	}
	w.b.WriteString([]string{"", "}", "]"}[kind])
	return []string{"", "{", "["}[kind] + strings.Join(parts, ", ") + []string{"", "}", "]"}[kind]
}

// quoted writes text in one of the styles that can hold it on one line.
func (w *writer) quoted(s string) {
	if !strings.Contains(s, "\n") && w.r.IntN(2) == 0 {
		w.b.WriteString("'" + strings.ReplaceAll(s, "'", "''") + "'")
		return
	}
	w.b.WriteString(strconv.Quote(s))
}

func (w *writer) scalar(indent int) string {
	s := w.pick(texts...)
	switch {
	case s == "null" || s == "~":
		w.b.WriteString(s + "\n")
		return "null"
	case w.r.IntN(3) == 0 && !strings.HasPrefix(s, " ") && strings.Trim(s, "\n") != "" && !strings.HasPrefix(s, "\n"):
		w.literal(s, indent)
	default:
		w.quoted(s)
		w.b.WriteString(w.pick("\n", "  # c\n"))
	}
	return fmt.Sprintf("%q", s)
}

func (w *writer) literal(s string, indent int) {
	head := "|-"
	if strings.HasSuffix(s, "\n") {
		head, s = "|", strings.TrimSuffix(s, "\n")
	}
	w.b.WriteString(head + w.pick("\n", " # c\n"))
	for _, line := range strings.Split(s, "\n") {
		if line != "" {
			w.b.WriteString(w.pad(indent+1) + line)
		}
		w.b.WriteString("\n")
	}
}

// What is written in any style is read as it was meant, with LF and with CRLF.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(4000) {
		w := &writer{r: rand.New(rand.NewPCG(seed, 7))}
		want := w.blockMapping(0, 4, true)
		src := w.b.String()
		if seed%3 == 0 {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		n, fs := Parse("f", []byte(src))
		require.Empty(t, fs, "seed %d:\n%s", seed, src)
		require.Equal(t, want, show(n), "seed %d:\n%s", seed, src)
	}
}

func TestGetFindsKeysOfBigMappings(t *testing.T) {
	n := clean(t, string(tickets(100)))
	for _, e := range n.Get("tickets").Entries {
		require.Same(t, e.Value, n.Get("tickets").Get(e.Key.Value))
	}
	require.Nil(t, n.Get("tickets").Get("none"))
	require.Nil(t, (*Node)(nil).Get("x"))
	require.Equal(t, n.Get("tickets").Range, n.Get("tickets").RangeAt(0, 1))
}

func TestCRLFCommentsCountOnce(t *testing.T) {
	n := clean(t, "# c\r\n# d\r\na: b\r\n")
	require.Equal(t, 3, n.Range.Start.Line)
	require.Equal(t, 1, n.Range.Start.Column)
	require.Equal(t, 10, n.Range.Start.Offset)
}
