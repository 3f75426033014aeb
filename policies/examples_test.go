package policies

import (
	"context"
	"os"
	"path"
	"testing"

	"github.com/stretchr/testify/require"
)

// The examples for people who write policies compile, are tested in full, and stand in their README.
func TestExamples(t *testing.T) {
	readme, err := os.ReadFile("examples/README.md")
	require.NoError(t, err)
	folders, err := os.ReadDir("examples")
	require.NoError(t, err)
	count := 0
	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		count++
		t.Run(d.Name(), func(t *testing.T) {
			require.Contains(t, string(readme), "| `"+d.Name()+"` |")
			files := folder(t, path.Join("examples", d.Name()))
			report, err := Test(context.Background(), files, "")
			require.NoError(t, err)
			require.Empty(t, report.Findings)
			for _, c := range report.Cases {
				require.True(t, c.Passed, "%s:%d %s %s", c.File, c.Line, c.Name, c.Error)
			}
			require.True(t, report.Passed())
			require.True(t, report.Covered(), "%v", report.Files)
			requireBothWays(t, report)
			findings, err := Check([]LayerSource{BuiltIn(), {Name: LayerProject, Files: files}}, nil)
			require.NoError(t, err)
			require.Empty(t, findings)
		})
	}
	require.GreaterOrEqual(t, count, 10)
}

func folder(t *testing.T, dir string) []File {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []File
	for _, e := range entries {
		data, err := os.ReadFile(path.Join(dir, e.Name()))
		require.NoError(t, err)
		out = append(out, File{Path: path.Join("policies", dir, e.Name()), Data: data})
	}
	return out
}
