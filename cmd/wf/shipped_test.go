package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/workflows"
)

// TestShippedWorkflows lays each workflow that ships into a repository that
// knows nothing of it, and validates, formats and plans it; those with a script
// are rehearsed to their end. (DSL-01)
func TestShippedWorkflows(t *testing.T) {
	bin, err := builtBinary()
	require.NoError(t, err)
	names, err := workflows.Names()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 9)
	planned := map[string]string{"review-pull-request": "WF705", "propose-and-build": "WF705"} // not carried out yet
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReader(t, bin)
			makefile := ".PHONY: test\ntest:\n\t@for t in test/*.sh; do sh $$t || exit 1; done\n"
			require.NoError(t, os.WriteFile(filepath.Join(r.dir, "Makefile"), []byte(makefile), 0o644))
			r.run("git init -q && mkdir test && echo true > test/one.sh && echo hi > README.md && git add -A && git commit -qm first", 0)
			r.run("wf init "+name, 0)
			r.run("wf fmt --check", 0)
			said := r.run("wf validate "+name, 0)
			require.NotContains(t, said, "error[")
			require.NotContains(t, said, "warning[")
			r.run("git add -A && git commit -qm workflow", 0)
			require.NotContains(t, r.run("wf plan "+name, 0), "warning[")
			if code := planned[name]; code != "" {
				require.Contains(t, said, code, "it runs now: write its script, and take it out of the table")
				return
			}
			require.Contains(t, r.run("wf apply "+name+" --auto-approve", 0), "Everything is done.")
		})
	}
}

// TestTutorialBuildsWhatShips holds that the tutorial ends at the workflow that ships.
func TestTutorialBuildsWhatShips(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "tutorial.md"))
	require.NoError(t, err)
	files, err := workflows.Files("ship-change")
	require.NoError(t, err)
	for _, f := range files {
		if f.Path == "workflows/ship-change.wf.yaml" {
			_, text, ok := strings.Cut(string(f.Data), "\nwf: 1\n")
			require.True(t, ok)
			require.Contains(t, string(page), "```yaml\nwf: 1\n"+text+"```\n")
			return
		}
	}
	t.Fatal("ship-change does not ship")
}
