package diag

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestCapitalKeepsCharactersAndNames(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "the end": "The end", "äußerst": "Äußerst", "“works” is vague": "“works” is vague", "\xff": "\xff",
		"wf.yaml does not allow it": "wf.yaml does not allow it", "`a` is no role": "`a` is no role", "roles/x.md is gone": "roles/x.md is gone",
		"yes, it is": "Yes, it is",
	} {
		require.Equal(t, want, Capital(text))
	}
}

func TestWhatIsQuotedOfAFileIsShort(t *testing.T) {
	code := Define("WF999", Error, "test")
	for _, long := range []string{strings.Repeat("x", 1<<20), strings.Repeat("ä", 1<<19), strings.Repeat("a b ", 1<<18)} {
		f := code.At(Range{}, "No field `"+long+"`.", "Write `"+long+"`.")
		for _, text := range []string{f.Detail, f.Hint} {
			require.Less(t, len(text), 2100)
			require.True(t, utf8.ValidString(text))
			require.Contains(t, text, "…")
		}
	}
	whole := strings.Repeat("a sentence of a usual length ", 60)
	require.Equal(t, whole, code.At(Range{}, whole, "").Detail)
}
