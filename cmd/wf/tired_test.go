package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/view"
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// testdata/tired holds workflows as a tired person writes them: keys of other
// tools, wrong kinds, names of the wrong thing, accidents of YAML. Each has the
// messages it gets, and each message says what to type instead. (PLAN-13)
func TestTiredWorkflows(t *testing.T) {
	dir := filepath.Join(root, "testdata", "tired")
	all, err := filepath.Glob(filepath.Join(dir, "*.wf.yaml"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), 30)
	for _, file := range all {
		name := strings.TrimSuffix(filepath.Base(file), ".wf.yaml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			found := check(t, "WF3", fstest.MapFS{exampleWorkflow: {Data: data}})
			require.True(t, found.HasErrors())
			for _, f := range found {
				require.NotEmpty(t, f.Hint, "%s says nothing to do: %s", f.Code, f.Detail)
			}
			var out bytes.Buffer
			view.Style{Width: 100}.Findings(&out, found, map[string][]byte{exampleWorkflow: data})
			golden := filepath.Join(dir, name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o644))
				return
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), out.String(), "run make generate, and read what changed")
			settles(t, data)
		})
	}
}

// settles holds that edits come to an end, mend what they are offered for, and
// leave fewer errors than there were.
func settles(t *testing.T, data []byte) {
	t.Helper()
	found := check(t, "WF3", fstest.MapFS{exampleWorkflow: {Data: data}})
	for range 12 {
		next, made := found.Apply(exampleWorkflow, data)
		if len(made) == 0 {
			return
		}
		require.NotEqual(t, string(data), string(next))
		data = next
		after := check(t, "WF3", fstest.MapFS{exampleWorkflow: {Data: data}})
		for _, f := range made {
			require.NotContains(t, sites(after), f.Code+" "+f.Detail, "the edit of %s does not mend it", f.Code)
		}
		found = after
	}
	t.Fatal("edits do not come to an end")
}

func sites(found diag.Findings) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Code+" "+f.Detail)
	}
	return out
}
