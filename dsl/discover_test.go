package dsl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// PLAN-16: the nearest workflows/ wins.
func TestDiscover(t *testing.T) {
	files := mapFiles(map[string]string{
		"workflows/ship.wf.yaml": "", "workflows/report.wf.yaml": "", "services/api/workflows/ship.wf.yaml": "", "other/x.wf.yaml": "",
	})
	var paths []string
	for p := range files {
		paths = append(paths, p)
	}
	all := List(paths)
	require.Equal(t, []string{"services/api:ship", "report", "ship"}, []string{all[0].Qualified(), all[1].Qualified(), all[2].Qualified()})
	cases := []struct{ name, from, want string }{
		{"ship", "", "workflows/ship.wf.yaml"},
		{"ship", "services/api/deep/er", "services/api/workflows/ship.wf.yaml"},
		{"ship", "services", "workflows/ship.wf.yaml"},
		{"report", "services/api", "workflows/report.wf.yaml"},
		{"services/api:ship", "other", "services/api/workflows/ship.wf.yaml"},
		{"x.wf.yaml", "other", "other/x.wf.yaml"},
		{"../workflows/ship.wf.yaml", "other", "workflows/ship.wf.yaml"},
	}
	for _, c := range cases {
		got, found := Discover(c.name, c.from, files, all)
		require.Empty(t, found)
		require.Equal(t, c.want, got, "%s from %q", c.name, c.from)
	}
	wrong := map[string]string{"shp": "Did you mean `ship`?", "ship2/": "", "../../x.wf.yaml": "", "services:report": "", "services/web:ship": "services/api:ship"}
	for name, hint := range wrong {
		_, found := Discover(name, "other", files, all)
		require.Len(t, found, 1, name)
		require.Contains(t, found[0].Hint, hint)
	}
}

// FILE paths of a package are relative to the folder that holds its workflows/.
func TestPathsOfAPackage(t *testing.T) {
	text := strings.Replace(head, "writer: {mode: chat}", "writer: {mode: chat, instructions: roles/w.md}", 1) + report
	files := mapFiles(map[string]string{"services/api/workflows/x.wf.yaml": text, "services/api/roles/w.md": "Write well.\n", "services/api/workflows/x.replay.yaml": "agents: {}\n"})
	w, found := Load("services/api/workflows/x.wf.yaml", files, Settings{})
	require.False(t, found.HasErrors(), "%v", found)
	require.Equal(t, "services/api", w.Folder)
	require.Equal(t, "services/api/roles/w.md", w.Roles[0].Instructions)
	require.Equal(t, "Write well.\n", w.Roles[0].Text)
	var sources []string
	for _, s := range w.Sources {
		sources = append(sources, s.Kind+" "+s.Path)
	}
	require.Equal(t, []string{"workflow services/api/workflows/x.wf.yaml", "instructions services/api/roles/w.md", "script services/api/workflows/x.replay.yaml"}, sources)
}
