package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// surroundings are what must not show in a plan: who plans, where, when and on
// what machine.
var surroundings = [][]string{
	{"TZ=Asia/Tokyo", "LANG=de_DE.UTF-8", "LC_ALL=de_DE.UTF-8"},
	{"GOMAXPROCS=1", "USER=bob", "LOGNAME=bob"},
	{"GOMAXPROCS=2", "TZ=America/Lima", "LC_ALL=tr_TR.UTF-8"},
	{"TERM=xterm", "COLUMNS=40", "NO_COLOR="},
}

// TestSameInputSameBytes plans the same commit again and again, in other
// surroundings. Law 2
func TestSameInputSameBytes(t *testing.T) {
	w := newWorld(t, "relay")
	first := filepath.Join(w.work, "first.wfplan")
	w.must(0, "plan", "relay", "-o", first)
	want := readFile(t, first)
	rounds := 12
	if os.Getenv("WF_TEST_FULL") != "" {
		rounds = 100
	}
	for i := range rounds {
		v := w.elsewhere(i)
		out := filepath.Join(v.work, "again.wfplan")
		v.must(0, "plan", "relay", "-o", out)
		require.Equal(t, want, readFile(t, out), "round %d", i)
	}
}

// TestSameUnits holds the identity of tickets, the prompts, commands and
// environments of units in two folders. Law 2, PLAN-12
func TestSameUnits(t *testing.T) {
	w := newWorld(t, "relay")
	// One unit at a time: what a prompt tells of others comes in the order it happened.
	file := filepath.Join(w.repo, "workflows", "relay.wf.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(readFile(t, file), "  width: large\n", "  width: large\n  concurrency: 1\n", 1)), 0o644))
	w.commit("one at a time")
	v := w.elsewhere(1)
	for _, one := range []*world{w, v} {
		one.must(4, "apply", "relay", "--auto-approve")
	}
	require.Equal(t, tickets(w), tickets(v))
	for _, id := range []string{"T-004", "T-002.3"} {
		require.Equal(t, w.shown(id), v.shown(id))
	}
}

// elsewhere is the same repository under another folder, home, umask and environment.
func (w *world) elsewhere(i int) *world {
	v := *w
	v.work = w.t.TempDir()
	v.repo = filepath.Join(v.work, "repo")
	for _, dir := range []string{"home", "tmp"} {
		require.NoError(w.t, os.MkdirAll(filepath.Join(v.work, dir), 0o700))
	}
	v.env = slices.Concat(cleanEnv(v.work), []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(v.work, "tmp")}, surroundings[i%len(surroundings)])
	c := exec.Command("sh", "-c", "umask 077; git clone -q \"$0\" \"$1\"", w.repo, v.repo)
	c.Env = v.env
	out, err := c.CombinedOutput()
	require.NoError(w.t, err, "%s", out)
	return &v
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// tickets are IDs, addresses and branches of the run.
func tickets(w *world) string {
	return w.git("for-each-ref", "--format=%(refname) %(tree)", "refs/heads/wf")
}

// shown is what the next unit of a ticket would get, without this world's folder
// and without commits, whose dates differ.
func (w *world) shown(id string) string {
	text := strings.ReplaceAll(w.must(0, "preview", id), w.work, "WORK")
	for _, hash := range strings.Fields(w.git("for-each-ref", "--format=%(objectname) %(objectname:short=12) %(objectname:short=10)")) {
		text = strings.ReplaceAll(text, hash, "COMMIT")
	}
	return text
}
