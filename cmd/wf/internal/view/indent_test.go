package view

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is indented while it is written is what json.Indent makes of the whole,
// however the writes are cut.
func FuzzJSONIsIndentedAsTheLibraryDoes(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `null`, `"a"`, `{"a":[],"b":{},"c":[{}],"d":[[1,2],["x,:{}[]\"\\"]],"e":{"f":-1.5e3,"g":null,"h":true}}`, `["<&>\u2028","\\"]`, `[[[]]]`} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		var compact, want bytes.Buffer
		if json.Compact(&compact, data) != nil {
			return
		}
		require.NoError(t, json.Indent(&want, compact.Bytes(), "", "  "))
		var got bytes.Buffer
		d := &indenter{w: bufio.NewWriter(&got)}
		for rest := compact.Bytes(); len(rest) > 0; {
			n := min(max(cut, 1), len(rest))
			_, err := d.Write(rest[:n])
			require.NoError(t, err)
			rest = rest[n:]
		}
		require.NoError(t, d.w.Flush())
		require.Equal(t, want.String(), got.String())
	})
}

// A value that cannot be written writes nothing; the end of the text is a line's end.
func TestJSONWritesAllOrNothing(t *testing.T) {
	var out bytes.Buffer
	require.Error(t, JSON(&out, map[string]any{"a": func() {}}))
	require.Empty(t, out.String())
	require.NoError(t, JSON(&out, map[string]any{"a": "<b>"}))
	require.Equal(t, "{\n  \"a\": \"<b>\"\n}\n", out.String())
}
