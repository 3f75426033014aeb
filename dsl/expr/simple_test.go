package expr

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// The short way of reading a scalar gives what the decoder gives, or declines.
func FuzzSimpleIsTheDecoder(f *testing.F) {
	for _, s := range []string{`true`, `false`, `null`, `""`, `"a"`, `"`, `"a\n"`, `"a"b"`, `0`, `-0`, `01`, `-`, `12`, `-7`, `999999999999999`, `9999999999999999999`, `1.5`, `1e3`, ` 1`, `"é"`, `[]`, "\"\x01\"", `"a" `, `--1`, `1-1`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := simple(text)
		if !ok || !utf8.ValidString(text) {
			return
		}
		want, err := decodeAny([]byte(text))
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, got, "%q", text)
	})
}
