package syntax

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var fence = regexp.MustCompile("(?s)```(yaml|text)\n(.*?)```")

// Each code has its page, the page's wrong file shows it and nothing else, and
// its right file shows nothing.
func TestPages(t *testing.T) {
	defined := regexp.MustCompile(`diag\.Define\("(WF\d+)", diag\.\w+, "([^"]+)"\)`)
	source, err := os.ReadFile("codes.go")
	require.NoError(t, err)
	all := defined.FindAllStringSubmatch(string(source), -1)
	require.NotEmpty(t, all)
	for _, m := range all {
		page, err := os.ReadFile(filepath.Join("..", "diag", "pages", m[1]+".md"))
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(page), "# "+m[1]+": "+m[2]+"\n"), m[1])
		fences := fence.FindAllStringSubmatch(string(page), -1)
		require.Len(t, fences, 2, m[1])
		if fences[0][1] == "text" {
			continue
		}
		_, fs := Parse("wrong", []byte(fences[0][2]))
		require.NotEmpty(t, fs, m[1])
		for _, f := range fs {
			require.Equal(t, m[1], f.Code, "%+v", f)
		}
		_, fs = Parse("right", []byte(fences[1][2]))
		require.Empty(t, fs, m[1])
	}
}
