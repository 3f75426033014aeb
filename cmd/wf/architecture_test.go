package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArchitectureArrows holds that each function in the table of data's way
// stands in the file it links to.
func TestArchitectureArrows(t *testing.T) {
	text := architecture(t)
	_, table, ok := strings.Cut(text, "| arrow | function |")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	found := regexp.MustCompile(`\[(?:\w+\.)?(\w+)\]\(([^)]+\.go)\)`).FindAllStringSubmatch(table, -1)
	require.NotEmpty(t, found)
	for _, m := range found {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m[2])))
		require.NoError(t, err)
		require.Regexp(t, `(?m)^func (\([^)]*\) )?`+m[1]+`\(`, string(source), "ARCHITECTURE.md places %s in %s", m[1], m[2])
	}
}

// TestArchitectureRooms holds that every package has its line.
func TestArchitectureRooms(t *testing.T) {
	_, table, ok := strings.Cut(architecture(t), "| room | what it holds |")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	for pkg := range packages(t) {
		if strings.HasPrefix(pkg, "materializer/agent/") {
			continue // one line for the adapters
		}
		require.Contains(t, table, "| ["+pkg+"](", "room %s has no line", pkg)
	}
}

func architecture(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	return string(data)
}
