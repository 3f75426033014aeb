package replay

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeysAreTheDecoders holds the list of keys to what the decoder reads.
func TestKeysAreTheDecoders(t *testing.T) {
	source, err := os.ReadFile("script.go")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(source), "switch key, v := e.Key.Value, e.Value; key {")
	require.True(t, ok)
	body, _, _ = strings.Cut(body, "default:")
	var read, listed []string
	for _, m := range regexp.MustCompile(`(?m)^\s*case (.*):$`).FindAllStringSubmatch(body, -1) {
		for _, name := range strings.Split(m[1], ", ") {
			read = append(read, strings.Trim(name, `"`))
		}
	}
	for _, k := range Keys() {
		require.NotEmpty(t, k.Doc)
		listed = append(listed, k.Name)
	}
	require.ElementsMatch(t, read, listed)
}
