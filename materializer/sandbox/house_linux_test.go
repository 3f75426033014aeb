package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/stretchr/testify/require"
)

// house is a place with a sandbox in it: work, home and temp inside, the
// neighbour and the secret outside.
type house struct {
	t     *testing.T
	self  string
	facts Facts
	root  string
	spec  Spec
	todo  []wanted
}

// hostFacts skips where a developer's machine cannot confine; in CI that is a
// failure.
func hostFacts(t *testing.T) Facts {
	self, err := os.Executable()
	require.NoError(t, err)
	f := Probe(t.Context(), self)
	if f.Backend != Unconfined {
		return f
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("no sandbox here: %v", f.Notes)
	}
	t.Skipf("no sandbox here: %v", f.Notes)
	return f
}

func newHouse(t *testing.T, f Facts, p Posture) *house {
	self, err := os.Executable()
	require.NoError(t, err)
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	h := &house{t: t, self: self, facts: f, root: root}
	for _, d := range []string{"work", "home", "temp", "outside", "state", "shared"} {
		require.NoError(t, os.Mkdir(h.path(d), 0o700))
	}
	h.file("outside/neighbour", "the neighbour's")
	h.file("state/journal", "the journal")
	h.file("shared/doc", "for reading")
	h.file("work/source", "the source")
	h.spec = Spec{
		Posture: p, WorkDir: h.path("work"), Home: h.path("home"), Temp: h.path("temp"),
		ReadOnly: []string{h.path("shared")}, Hidden: []string{h.path("state")},
		Env: []string{"PATH=/usr/bin:/bin"}, Required: true,
	}
	t.Cleanup(func() { require.Empty(t, h.todo, "attempts that were never made") })
	return h
}

func (h *house) path(name string) string { return filepath.Join(h.root, name) }

func (h *house) file(name, text string) {
	require.NoError(h.t, os.WriteFile(h.path(name), []byte(text), 0o600))
}

func (h *house) text(name string) string {
	b, err := os.ReadFile(h.path(name))
	require.NoError(h.t, err)
	return string(b)
}

// run tries one thing inside.
func (h *house) run(argv ...string) process.Result {
	s := h.spec
	s.Argv = append([]string{h.self, insideArg}, argv...)
	return h.start(s)
}

func (h *house) start(s Spec) process.Result {
	p, err := Wrap(h.self, h.facts, s)
	require.NoError(h.t, err)
	p.Marker = "test/" + strconv.Itoa(os.Getpid())
	r, err := process.Run(h.t.Context(), p)
	require.NoError(h.t, err)
	return r
}

// wanted is one attempt inside and what must come of it.
type wanted struct {
	Argv []string `json:"argv"`
	Want int      `json:"want"`
}

func (h *house) does(argv ...string)   { h.todo = append(h.todo, wanted{argv, did}) }
func (h *house) denies(argv ...string) { h.todo = append(h.todo, wanted{argv, denied}) }

// check makes the attempts noted so far, in order, in one sandbox.
func (h *house) check() {
	h.t.Helper()
	todo := h.todo
	h.todo = nil
	require.NotEmpty(h.t, todo)
	b, err := json.Marshal(todo)
	require.NoError(h.t, err)
	r := h.run("all", string(b))
	require.Equal(h.t, did, r.Exit, "%s", r.Stderr)
	require.Equal(h.t, strings.Repeat("as wanted\n", len(todo)), string(r.Stdout), "%s", r.Stderr)
}

// out gives what an attempt prints.
func (h *house) out(argv ...string) string {
	h.t.Helper()
	r := h.run(argv...)
	require.Equal(h.t, did, r.Exit, "%v: %s", argv, r.Stderr)
	return string(r.Stdout)
}
