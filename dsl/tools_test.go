package dsl

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A misspelt name is told with the one that was meant; others are left alone. POL-07
func TestMisspeltTool(t *testing.T) {
	for rule, want := range map[string]string{
		"Bsh": "Bash", "bash": "Bash", "bash(rm *)": "Bash", "Raed(**/.env)": "Read", "Webfetch(domain:example.org)": "WebFetch", "MultiEdti": "MultiEdit",
		"Bash": "", "Bash(git push *)": "", "mcp__github__create": "", "mcp__*": "", "Telescope": "", "ApplyPatch": "", "NotebookRead": "", "": "",
	} {
		require.Equal(t, want, MisspeltTool(rule), rule)
	}
	require.True(t, slices.IsSorted(ToolNames), "ties go to the first")
}

func TestNamesGitFolder(t *testing.T) {
	for _, p := range []string{".git", ".git/**", "**/.git/hooks/*", "vendor/lib/.git", ".GIT/config", `\.git/**`} {
		require.True(t, NamesGitFolder(p), p)
	}
	for _, p := range []string{"**", ".github/**", ".gitignore", "src/git/**", "a.git/x"} {
		require.False(t, NamesGitFolder(p), p)
	}
}
