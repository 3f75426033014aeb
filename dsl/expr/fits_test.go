package expr

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A text without expressions is checked the short way; the long way says the same.
func TestFitsSaysWhatTheInspectorSays(t *testing.T) {
	wants := []Type{{}, {Kind: String}, {Kind: Int}, {Kind: Number}, {Kind: Bool}, {Kind: JSON}, {Kind: Money}, {Kind: Duration}, {Kind: Path}, {Kind: Glob}, {Kind: Slug}, {Kind: Enum, Enum: []string{"a"}}, {Kind: Int, Optional: true}, ListOf(Type{Kind: String})}
	fit := 0
	for _, text := range []string{"", "a", "1", "1.5", "true", "null", "2 USD", "30s", "src/**", "../x", "é\"\\\n", "\u2028"} {
		template, err := Reparse(text)
		require.NoError(t, err)
		for _, want := range wants {
			short, ok := template.fits(want)
			c, long := typed(template, Scope{}, want, nil)
			require.Equal(t, ok, len(c.found) == 0, "%q as %s", text, want)
			if !ok {
				continue
			}
			fit++
			c.constant(template, Scope{}, want, &long)
			require.Empty(t, c.found)
			require.Equal(t, long, short, "%q as %s", text, want)
		}
	}
	require.Greater(t, fit, 40)
}

// Every single character, alone and in a text, is sealed as encoding/json writes it.
func TestPlainTextIsSealedAsJSON(t *testing.T) {
	for r := range rune(0x2100) {
		for _, text := range []string{string(r), "a" + string(r) + "b"} {
			got := Of(text)
			var back string
			require.NoError(t, json.Unmarshal(got.JSON(), &back))
			require.Equal(t, text, back)
			if plainText(text) {
				want, err := json.Marshal(text)
				require.NoError(t, err)
				if r != '<' && r != '>' && r != '&' { // Marshal escapes them for HTML, and seal does not
					require.Equal(t, string(want), got.String())
				}
			}
		}
	}
}
