//go:build linux || darwin

package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestByParts(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, d := range []string{"git/objects", "git/wf/runs", "git/wf/unit", "git/refs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, d), 0o700))
	}
	require.NoError(t, os.Symlink("refs", filepath.Join(root, "git/alias")))
	require.NoError(t, os.Symlink("/", filepath.Join(root, "git/trap")))
	at := func(p string) string { return filepath.Join(root, p) }
	for name, c := range map[string]struct {
		grant  string
		hidden []string
		want   []string
	}{
		"nothing hidden":   {"git", nil, []string{"git"}},
		"hidden elsewhere": {"git", []string{"gitter"}, []string{"git"}},
		"hidden below":     {"git", []string{"git/wf"}, []string{"git/objects", "git/refs"}},
		"hidden deeper":    {"git", []string{"git/wf/runs"}, []string{"git/objects", "git/refs", "git/wf/unit"}},
		"hidden itself":    {"git/wf", []string{"git/wf"}, nil},
		"inside a hidden":  {"git/wf/runs", []string{"git/wf"}, nil},
		"not there yet":    {"git", []string{"git/new"}, []string{"git/objects", "git/refs", "git/wf"}},
	} {
		t.Run(name, func(t *testing.T) {
			var hidden, got []string
			for _, p := range c.hidden {
				hidden = append(hidden, at(p))
			}
			parts, err := byParts(Grant{Path: at(c.grant)}, hidden)
			require.NoError(t, err)
			for _, g := range parts {
				rel, err := filepath.Rel(root, g.Path)
				require.NoError(t, err)
				got = append(got, rel)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestWrapRefuses(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	good := func() Spec {
		return Spec{Posture: Write, WorkDir: dir, Home: dir, Temp: dir, Argv: []string{"/bin/sh"}}
	}
	none := Facts{Backend: Unconfined, Floor: FloorNone}
	weak := Facts{Backend: Landlock, Floor: FloorLandlock, LandlockABI: 4}
	for name, c := range map[string]struct {
		facts Facts
		spec  func(*Spec)
		floor bool
	}{
		"required, and none here":    {none, func(s *Spec) { s.Required = true }, true},
		"landlock asked, none here":  {none, func(s *Spec) { s.Floor = FloorLandlock }, true},
		"namespace asked, less here": {weak, func(s *Spec) { s.Floor = FloorNamespace }, true},
		"relative folder":            {weak, func(s *Spec) { s.WorkDir = "work" }, false},
		"missing folder":             {weak, func(s *Spec) { s.Home = filepath.Join(dir, "no") }, false},
		"missing grant":              {weak, func(s *Spec) { s.ReadOnly = []string{filepath.Join(dir, "no")} }, false},
		"writable above hidden":      {weak, func(s *Spec) { s.Hidden = []string{filepath.Join(dir, "state")} }, false},
		"everything writable":        {weak, func(s *Spec) { s.ReadWrite = []string{"/"}; s.Hidden = []string{"/etc"} }, false},
		"granted and hidden":         {weak, func(s *Spec) { s.ReadOnly = []string{"/etc"}; s.Hidden = s.ReadOnly }, false},
		"no program":                 {weak, func(s *Spec) { s.Argv = nil }, false},
		"unknown program":            {weak, func(s *Spec) { s.Argv = []string{"no-such-program"} }, false},
		"a port too far":             {weak, func(s *Spec) { s.Network = Network{Model, []int{65536}} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := good()
			c.spec(&s)
			_, err := Wrap("/bin/true", c.facts, s)
			require.Error(t, err)
			if c.floor {
				require.ErrorIs(t, err, ErrBelowFloor)
			}
		})
	}
	p, err := Wrap("/bin/true", none, good())
	require.NoError(t, err)
	require.Equal(t, []string{"/bin/sh"}, p.Argv)
}

func TestFloors(t *testing.T) {
	floors := []Floor{FloorNone, FloorLandlock, FloorNamespace}
	for i, have := range floors {
		for j, want := range floors {
			require.Equal(t, i >= j, have.Meets(want), "%s for %s", have, want)
		}
	}
}

func TestNetworkStrengthIsHonest(t *testing.T) {
	none := Facts{Backend: Unconfined}
	old := Facts{Backend: Landlock, LandlockABI: 3}
	ports := Facts{Backend: Landlock, LandlockABI: 4}
	filter := Facts{Backend: Landlock, LandlockABI: 4, SocketFilter: true}
	spaces := Facts{Backend: Landlock, LandlockABI: 3, NetworkNamespace: true}
	for _, c := range []struct {
		facts             Facts
		none, model, open Strength
	}{
		{none, NotAtAll, NotAtAll, Whole},
		{old, NotAtAll, NotAtAll, Whole},
		{ports, Partial, Partial, Whole},
		{filter, Whole, Partial, Whole},
		{spaces, Whole, NotAtAll, Whole},
	} {
		require.Equal(t, c.none, c.facts.Network(None))
		require.Equal(t, c.model, c.facts.Network(Model))
		require.Equal(t, c.open, c.facts.Network(Open))
	}
}
