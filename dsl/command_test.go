package dsl

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitCommand(t *testing.T) {
	cases := []struct {
		text  string
		words []string
		sign  string
	}{
		{"go test ./...", []string{"go", "test", "./..."}, ""},
		{"  a   b\t c ", []string{"a", "b", "c"}, ""},
		{`grep -E 'a|b $c' "x y" z\ w`, []string{"grep", "-E", "a|b $c", "x y", "z w"}, ""},
		{`a "" ''`, []string{"a", "", ""}, ""},
		{`a x${{ inputs.b + "}} c" }}y d`, []string{"a", `x${{ inputs.b + "}} c" }}y`, "d"}, ""},
		{"a\n  b", []string{"a", "b"}, "the line break"},
		{"\na b\n", []string{"a", "b"}, ""},
		{"a && b", nil, "`&&`"}, {"a | b", nil, "`|`"}, {"a > b", nil, "`>`"}, {"a $B", nil, "`$`"}, {`a "$B"`, nil, "`$`"}, {"a `b`", nil, "```"},
		{"a; b", nil, "`;`"}, {"a 'b", nil, "a quote that is not closed"}, {"a $(b)", nil, "`$(`"}, {"a & b", nil, "`&`"},
	}
	for _, c := range cases {
		s := splitCommand(c.text)
		if c.sign != "" {
			require.NotEmpty(t, s.signs, c.text)
			require.Equal(t, c.sign, s.signs[0].what, c.text)
			if c.words == nil {
				continue
			}
		} else {
			require.Empty(t, s.signs, c.text)
		}
		var words []string
		for _, w := range s.words {
			words = append(words, w.text)
		}
		require.Equal(t, c.words, words, c.text)
	}
}

// A word's bytes are bytes of the text, in order; nothing is made up.
func FuzzSplitCommand(f *testing.F) {
	for _, seed := range []string{"go test ./...", `a "b c" 'd' e\ f`, "x${{ a }}y", "${{ '}}' }}", `"`, `\`, "${{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := -1
		for _, w := range splitCommand(text).words {
			if w.from != nil {
				require.Len(t, w.from, len(w.text))
			}
			for i := range len(w.text) {
				at := w.place(i)
				require.Greater(t, at, last)
				require.Equal(t, text[at], w.text[i])
				last = at
			}
		}
	})
}
