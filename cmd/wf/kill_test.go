package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	rules "github.com/seed9cc7a46e/wf/materializer/run"
)

// kills is how often one run is killed, and killedRuns how many runs are: every
// kill is at another point, spread from before the journal begins to the end.
const kills = 3

func killedRuns() int {
	if os.Getenv("WF_TEST_FULL") != "" {
		return 60
	}
	return 9
}

// TestKillAnywhere kills `wf apply` and goes on with plain `wf apply` until the
// run ends: it must end as one that was never killed. Law 8
func TestKillAnywhere(t *testing.T) {
	base := newForge(t)
	plain := base.clone(t, "plain")
	plain.must(8, "apply", plain.plan, "--approval", plain.sig)
	want := plain.outcome()
	lines := len(plain.journal())
	n := killedRuns()
	for i := range n {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			w := base.clone(t, "k"+strconv.Itoa(i))
			seed := rand.New(rand.NewPCG(7, uint64(i)))
			before, err := fingerprint(w.repo)
			require.NoError(t, err)
			t.Cleanup(w.tell)
			for k := range kills {
				at := after{lines: (k*n + i) * lines / (kills * n), more: time.Duration(seed.IntN(40)) * time.Millisecond}
				if len(w.journal()) == 0 {
					w.kill(at, "apply", w.plan, "--approval", w.sig)
				} else {
					w.kill(at, "apply")
				}
			}
			w.finish()
			require.Equal(t, want, w.outcome())
			w.onlyOnce()
			require.Empty(t, w.processes(), "processes of the run are left")
			now, err := fingerprint(w.repo)
			require.NoError(t, err)
			if before != now {
				t.Fatalf("the checkout is not as it was:\n%s", firstDifference(before, now))
			}
		})
	}
}

// forge is a world with a signed plan.
type forge struct {
	*world
	plan, sig string
}

func newForge(t testing.TB) *forge {
	w := newWorld(t, "forge")
	key := filepath.Join(w.work, "operator")
	require.NoError(t, layOperator(w.repo, key))
	w.commit("an operator")
	f := &forge{w, filepath.Join(w.work, "forge.wfplan"), filepath.Join(w.work, "forge.wfsig")}
	f.must(0, "plan", "forge", "-o", f.plan)
	f.must(0, "approve", f.plan, "--key", key, "--yes", "-o", f.sig)
	return f
}

// clone copies the repository, without runs, beside the first one.
func (f *forge) clone(t testing.TB, name string) *forge {
	w := *f.world
	w.t, w.work = t, filepath.Join(f.work, name)
	w.repo = filepath.Join(w.work, "repo")
	require.NoError(t, os.MkdirAll(filepath.Join(w.work, "tmp"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(w.work, "home"), 0o700))
	w.env = append(slices.Clone(cleanEnv(w.work)), "PATH="+os.Getenv("PATH"), "TMPDIR="+filepath.Join(w.work, "tmp"))
	require.NoError(t, os.CopyFS(w.repo, os.DirFS(f.repo)))
	require.NoError(t, os.RemoveAll(filepath.Join(w.repo, ".git", "wf")))
	return &forge{&w, f.plan, f.sig}
}

// after is the point of a kill: the journal has so many lines, and then a while.
type after struct {
	lines int
	more  time.Duration
}

// kill starts wf and kills it. A wf that ends before is left as it ended.
func (f *forge) kill(at after, args ...string) {
	f.t.Helper()
	c := f.command(f.wf, args...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	require.NoError(f.t, c.Start())
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // how it ended is seen in what it left
		close(ended)
	}()
	for len(f.journal()) < at.lines {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(at.more)
	_ = c.Process.Signal(syscall.SIGKILL) // it may have ended already
	<-ended
}

// finish goes on without flags until the run is over. Only where nothing of the
// run had been written yet is the first command given again.
func (f *forge) finish() {
	f.t.Helper()
	code, out := f.run("apply")
	if code == 1 && strings.Contains(out, "WF620") && len(f.journal()) == 0 {
		code, out = f.run("apply", f.plan, "--approval", f.sig)
	}
	require.Equal(f.t, 8, code, out)
}

// journal gives the lines of the only run's journal.
func (f *forge) journal() [][]byte {
	files, err := filepath.Glob(filepath.Join(f.repo, ".git", "wf", "runs", "*", "journal.jsonl"))
	if err != nil || len(files) == 0 {
		return nil
	}
	data, err := os.ReadFile(files[0])
	require.NoError(f.t, err)
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// tell prints the journal of a run that went wrong.
func (f *forge) tell() {
	if !f.t.Failed() {
		return
	}
	for i, line := range f.journal() {
		if len(line) > 400 {
			line = line[:400]
		}
		f.t.Logf("%d %s", i+1, line)
	}
}

// outcome is everything about a run's end that a kill must not change.
func (f *forge) outcome() string {
	f.t.Helper()
	var status struct {
		Exit    int
		Closed  bool
		Alarms  []string
		Drift   []string
		Tickets []struct {
			ID, Status, Branch, Reason string
			Bounces                    int
		}
	}
	require.NoError(f.t, json.Unmarshal([]byte(f.must(0, "status", "--json")), &status))
	text, err := json.MarshalIndent(status, "", " ")
	require.NoError(f.t, err)
	lines := []string{string(text)}
	lines = append(lines, f.git("for-each-ref", "--format=%(refname) %(tree)", "refs/heads"))
	for l := range strings.Lines(f.git("worktree", "list", "--porcelain")) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(l), " "); name {
		case "worktree":
			rel, err := filepath.Rel(f.work, value)
			require.NoError(f.t, err)
			lines = append(lines, "worktree "+rel)
		case "HEAD":
			lines = append(lines, "tree "+strings.TrimSpace(f.git("rev-parse", value+"^{tree}")))
		default:
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	return strings.Join(append(lines, f.folders()...), "\n")
}

// folders are what lies beside the checkout and where git keeps worktrees.
func (f *forge) folders() []string {
	var out []string
	for _, pattern := range []string{"repo.wf/*/*", "repo/.git/worktrees/*", "repo/.git/*.lock", "repo/.git/worktrees/*/*.lock"} {
		hits, err := filepath.Glob(filepath.Join(f.work, pattern))
		require.NoError(f.t, err)
		for _, h := range hits {
			rel, err := filepath.Rel(f.work, h)
			require.NoError(f.t, err)
			out = append(out, rel)
		}
	}
	return out
}

// onlyOnce holds that no unit that came to its end ran twice, nor a gate.
func (f *forge) onlyOnce() {
	f.t.Helper()
	seen := map[string]int{}
	for _, line := range f.journal()[1:] {
		var entry struct{ Event json.RawMessage }
		require.NoError(f.t, json.Unmarshal(line, &entry), "%s", line)
		ev, err := rules.Unmarshal(entry.Event)
		require.NoError(f.t, err)
		switch ev := ev.(type) {
		case rules.Ended:
			if ev.Outcome == rules.Exited {
				seen["ended "+ev.Unit.RoundName()]++
			}
		case rules.Accepted:
			seen["accepted "+ev.Unit.RoundName()]++
		case rules.Refused:
			seen["refused "+ev.Unit.RoundName()]++
		case rules.Gated:
			seen["gated "+ev.Unit.RoundName()+" "+ev.Gate]++
		}
	}
	require.NotEmpty(f.t, seen)
	for what, n := range seen {
		require.Equal(f.t, 1, n, what)
	}
}

// processes are those that have this world's folder in their command or environment.
func (f *forge) processes() []string {
	entries, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(f.t, err)
	var out []string
	for _, dir := range entries {
		var all []byte
		for _, name := range []string{"cmdline", "environ"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil {
				all = append(all, data...)
			}
		}
		if bytes.Contains(all, []byte(f.work+"/")) && filepath.Base(dir) != fmt.Sprint(os.Getpid()) {
			out = append(out, filepath.Base(dir)+" "+string(bytes.ReplaceAll(all, []byte{0}, []byte(" "))))
		}
	}
	return out
}
