package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/stretchr/testify/require"
)

// EVID-04, EVID-05, EVID-10: the outcome is what the runner saw.
func TestOutcomes(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1", "dir/b": "2", "out": "->/etc", "in": "->dir", "plain": "not a script", "run.sh": "#!/bin/sh\nexit 3\n"})
	for name, c := range map[string]struct {
		gate   planner.Gate
		want   Outcome
		exit   int
		reason string
	}{
		"exit 0":             {sh("exit 0"), Pass, 0, "exit 0"},
		"exit 1":             {sh("echo why; exit 1"), Fail, 1, "exit 1: why"},
		"exit 255":           {sh("exit 255"), Fail, 255, "exit 255"},
		"125":                {sh("exit 125"), Broken, 125, "could not run"},
		"command not found":  {sh("nosuchthing"), Broken, 127, "could not run"},
		"program missing":    {planner.Gate{Argv: []string{"nosuchthing"}}, Broken, 0, "was not found"},
		"not executable":     {planner.Gate{Argv: []string{"./plain"}}, Broken, 0, "may not be run"},
		"in the tree":        {planner.Gate{Argv: []string{"./run.sh"}}, Fail, 3, "exit 3"},
		"no command":         {planner.Gate{}, Broken, 0, "no command"},
		"killed":             {sh("kill -KILL $$"), Broken, -1, "ended by SIGKILL"},
		"terminated":         {sh("kill -TERM $$"), Broken, -1, "ended by SIGTERM"},
		"crashed":            {sh("ulimit -c 0; kill -SEGV $$"), Fail, -1, "crashed with SIGSEGV"},
		"child killed":       {sh("sh -c 'kill -9 $$'; exit $?"), Fail, 137, "exit 137"},
		"workdir":            {planner.Gate{Shell: "sh", Script: "test -f b", Workdir: "dir"}, Pass, 0, ""},
		"workdir by a link":  {planner.Gate{Shell: "sh", Script: "test -f b", Workdir: "in"}, Pass, 0, ""},
		"workdir missing":    {planner.Gate{Shell: "sh", Script: "true", Workdir: "nowhere"}, Broken, 0, "no folder of the commit"},
		"workdir a file":     {planner.Gate{Shell: "sh", Script: "true", Workdir: "a"}, Broken, 0, "no folder of the commit"},
		"workdir leads out":  {planner.Gate{Shell: "sh", Script: "true", Workdir: "out"}, Broken, 0, "no folder of the commit"},
		"workdir above":      {planner.Gate{Shell: "sh", Script: "true", Workdir: "../.."}, Broken, 0, "no folder of the commit"},
		"named hosts":        {planner.Gate{Shell: "sh", Script: "true", Network: []string{"example.com"}}, Broken, 0, "cannot confine a network"},
		"min_tests, none":    {planner.Gate{Shell: "sh", Script: "true", Count: "tap", MinTests: 1}, Broken, 0, "0 tests ran, at least 1 must"},
		"min_tests, fewer":   {planner.Gate{Shell: "sh", Script: "echo ok 1", Count: "tap", MinTests: 2}, Broken, 0, "1 tests ran, at least 2 must"},
		"min_tests, enough":  {planner.Gate{Shell: "sh", Script: "echo ok 1; echo ok 2", Count: "tap", MinTests: 2}, Pass, 0, "2 tests"},
		"min_tests, fails":   {planner.Gate{Shell: "sh", Script: "echo ok 1; exit 1", Count: "tap", MinTests: 2}, Fail, 1, ""},
		"all skipped":        {planner.Gate{Shell: "sh", Script: "echo 'ok 1 # SKIP no'", Count: "tap"}, Broken, 0, "all 1 tests were skipped"},
		"unknown count":      {planner.Gate{Shell: "sh", Script: "true", Count: "guess"}, Broken, 0, "could not be counted"},
		"not counted at all": {planner.Gate{Shell: "sh", Script: "true", MinTests: 1}, Broken, 0, "at least 1"},
		"unknown check":      {planner.Gate{Check: "no_such_check"}, Broken, 0, "no check"},
	} {
		t.Run(name, func(t *testing.T) {
			rec, _ := h.run(h.job(h.start, c.gate))
			require.Equal(t, c.want, rec.Outcome, rec.Reason)
			require.Equal(t, c.exit, rec.Exit)
			require.Contains(t, rec.Reason, c.reason)
			require.Equal(t, c.exit == -1, rec.Signal != "")
		})
	}
}

func TestTimeoutIsBroken(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1"})
	rec, out := h.run(h.job(h.start, planner.Gate{Shell: "sh", Script: "echo begun; sleep 600", TimeoutSeconds: 1}))
	require.Equal(t, Broken, rec.Outcome)
	require.True(t, rec.TimedOut)
	require.Contains(t, rec.Reason, "within 1 seconds")
	require.Contains(t, out, "begun")
}

func TestBelowTheFloorNothingRuns(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1"})
	mark := filepath.Join(t.TempDir(), "ran")
	h.host.Sandbox = sandbox.Facts{Backend: sandbox.Unconfined, Floor: sandbox.FloorNone}
	rec, _ := h.script(h.start, "touch "+mark)
	require.Equal(t, Broken, rec.Outcome)
	require.Contains(t, rec.Reason, "weaker than asked for")
	require.NoFileExists(t, mark)
	h.host.Floor = ""
	rec, _ = h.script(h.start, "touch "+mark)
	require.Equal(t, Pass, rec.Outcome, rec.Reason)
	require.Equal(t, "none", rec.Sandbox)
	require.FileExists(t, mark)
}

// EVID-08: a gate runs what an agent wrote; it sees the tree and nothing of wf or the user.
func TestGateSeesNothingElse(t *testing.T) {
	t.Setenv("WF_TEST_SECRET", "canary-in-the-environment")
	h := newHouse(t, map[string]string{"a": "1"})
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "s"), []byte("canary"), 0o644))
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	other := filepath.Join(h.host.Scratch, "other") // another gate's folder
	require.NoError(t, os.MkdirAll(other, 0o755))
	defer os.Remove(other)
	h.host.Hidden = []string{filepath.Join(h.dir, ".git", "wf")}
	rec, out := h.script(h.start, fmt.Sprintf(`
test ! -e .git
for p in '%s' '%s' '%s/other' '%s' '%s'; do if ls "$p/" 2>/dev/null; then echo "sees $p"; exit 1; fi; done
if cat '%s/s'; then exit 1; fi
env
cat /proc/*/environ 2>/dev/null | tr '\0' '\n' | grep canary && exit 1
test "$HOME" != '%s' && touch "$HOME/x" "$TMPDIR/x" x
`, h.dir, h.repo.CommonDir(), h.host.Scratch, outside, home, outside, home))
	require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
	require.NotContains(t, out, "canary")
}

func TestNoNetworkUnlessDeclared(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1"})
	if h.host.Sandbox.Network(sandbox.None) != sandbox.Whole {
		t.Skip("this host does not keep the network whole")
	}
	listing := "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' ' | sort | tr '\\n' ' '"
	_, out := h.script(h.start, listing)
	if h.host.Sandbox.NetworkNamespace {
		require.Equal(t, "lo", strings.TrimSpace(out))
	}
	g := sh("true")
	g.Network = []string{"open"}
	rec, _ := h.run(h.job(h.start, g))
	require.Equal(t, Pass, rec.Outcome)
	require.Empty(t, rec.Key, "what reaches the network is not the same tomorrow")
}

func TestFloodIsBounded(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1"})
	g := sh(`echo 'ok 1 first'; i=0; while [ $i -lt 40 ]; do head -c 1000000 /dev/zero | tr '\0' x; i=$((i+1)); done; echo; echo 'ok 2 last'`)
	g.Count, g.MinTests = "tap", 2
	rec, out := h.run(h.job(h.start, g))
	require.Equal(t, Pass, rec.Outcome, rec.Reason)
	require.True(t, rec.OutputCut)
	require.Less(t, len(out), maxOutput+200)
	require.Contains(t, out, "bytes dropped")
	require.Contains(t, out, "ok 1 first")
	require.Contains(t, out, "ok 2 last")
}

func TestCountsWhatTheOutputNoLongerHolds(t *testing.T) {
	var s stream
	c := newGoCounter(nil)
	s.each = c.line
	for i := range 60_000 {
		fmt.Fprintf(&s, `{"Action":"pass","Package":"p","Test":"T%d","Output":"%s"}`+"\n", i, strings.Repeat("x", 50))
	}
	s.end()
	ran, _, _ := c.result()
	require.Equal(t, 60_000, ran)
	require.Less(t, len(s.kept.bytes()), maxOutput+200)
	for line := range bytes.Lines(s.kept.bytes()) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' {
			require.True(t, bytes.HasSuffix(line, []byte("}")), "a line was cut in two")
		}
	}
}

func TestReasonIsOneCleanLine(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1"})
	rec, out := h.script(h.start, `printf '\033[31mred\033[0m \033]0;title\007 bell\007 \342\200\256rtl s3cret\r'; exit 1`)
	require.Contains(t, out, "\033[31mred", "the output keeps its bytes")
	require.Equal(t, `exit 1: red bell\u0007 \u202ertl s3cret`, rec.Reason)
	j := h.job(h.start, sh(`echo s3cret; pwd; exit 1`))
	j.Redact = func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("s3cret"), []byte("***")) }
	rec, out = h.run(j)
	require.NotContains(t, out+rec.Reason, "s3cret")
	require.Equal(t, "exit 1: .", rec.Reason, "the throwaway folder's name is of no use")
}

func TestBackgroundProcessesEnd(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1"})
	rec, _ := h.script(h.start, `sleep 987654 & (setsid sleep 987653 >/dev/null 2>&1 &) ; for i in 1 2 3 4 5 6; do sleep 987652 & done; exit 0`)
	require.Equal(t, Pass, rec.Outcome, rec.Reason)
	require.Empty(t, sleepers(t))
}

// sleepers lists the command lines of the sleeps above that still live.
func sleepers(t *testing.T) (out []string) {
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range all {
		if data, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(data), "sleep\x0098765") {
			out = append(out, string(data))
		}
	}
	return out
}

func TestUnwritableTreeIsRemoved(t *testing.T) {
	h := newHouse(t, map[string]string{"a/b/c": "1"})
	rec, _ := h.script(h.start, `mkdir -p "$HOME/x/y"; touch "$HOME/x/y/z"; chmod -R 000 a; chmod 000 "$HOME/x/y" "$HOME/x"; chmod 000 .`)
	require.Equal(t, Pass, rec.Outcome, rec.Reason) // the house looks at what is left
}

func TestCancelEndsPromptly(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1"})
	h.host.Caches = NewCaches(filepath.Join(t.TempDir(), "caches"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(h.leftovers()) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, _, err := Run(ctx, h.host, h.job(h.candidate(map[string]string{"a": "2"}), sh("sleep 987651")))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, sleepers(t))
	_, _, err = Run(ctx, h.host, h.job(h.start, planner.Gate{Check: "clean_tree"}))
	require.ErrorIs(t, err, context.Canceled)
}

func TestBaselineIsAskedOnce(t *testing.T) {
	h := newHouse(t, map[string]string{"ok": "no", "unrelated": "1"})
	h.host.Caches = NewCaches(filepath.Join(t.TempDir(), "caches"))
	cand := h.candidate(map[string]string{"unrelated": "2"})
	g := sh(`grep -q yes ok`)
	var wg sync.WaitGroup
	recs := make([]Record, 3)
	for i := range recs {
		j := h.job(cand, g)
		j.Record = fmt.Sprintf("T-%03d/implement/1/tests", i)
		wg.Go(func() { recs[i], _, _ = Run(t.Context(), h.host, j) })
	}
	wg.Wait()
	for _, rec := range recs {
		require.Equal(t, Fail, rec.Outcome)
		require.Equal(t, Fail, rec.Baseline)
		require.Contains(t, rec.Reason, "no excuse")
	}
	require.Len(t, h.host.Caches.baselines, 1)

	worse := h.job(h.candidate(map[string]string{"new": "broken"}), sh("test ! -e new"))
	rec, _ := h.run(worse)
	require.Equal(t, []Outcome{Fail, Pass}, []Outcome{rec.Outcome, rec.Baseline})
	require.Len(t, h.host.Caches.baselines, 2)

	worse.ExpectFail = true
	rec, _ = h.run(worse)
	require.Equal(t, []Outcome{Fail, ""}, []Outcome{rec.Outcome, rec.Baseline}, "an outcome is what happened")
}

func TestCancelledBaselineIsForgotten(t *testing.T) {
	c := NewCaches(t.TempDir())
	_, err := c.baseline(t.Context(), "k", func() (Outcome, error) { return "", context.Canceled })
	require.ErrorIs(t, err, context.Canceled)
	asked := 0
	for range 3 {
		out, err := c.baseline(t.Context(), "k", func() (Outcome, error) { asked++; return Pass, nil })
		require.NoError(t, err)
		require.Equal(t, Pass, out)
	}
	require.Equal(t, 1, asked)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	block := make(chan struct{})
	go func() {
		_, _ = c.baseline(t.Context(), "slow", func() (Outcome, error) { <-block; return "", errors.New("no") })
	}()
	for {
		c.mu.Lock()
		_, there := c.baselines["slow"]
		c.mu.Unlock()
		if there {
			break
		}
	}
	_, err = c.baseline(ctx, "slow", nil)
	require.ErrorIs(t, err, context.Canceled)
	close(block)
}

func TestRecordsAreEqual(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1"})
	for _, g := range []planner.Gate{sh("echo same; pwd >&2; exit 1"), {Argv: []string{"sh", "nosuchfile"}}, {Check: "files_exist", Args: []planner.GateArg{arg("paths", "b")}}} {
		var seen []Record
		for range 2 {
			rec, _ := h.run(h.job(h.start, g))
			rec.Millis, rec.Output = 0, ""
			seen = append(seen, rec)
		}
		require.Equal(t, seen[0], seen[1])
		require.NotEmpty(t, seen[0].Key)
	}
}

func TestKeySaysWhatMatters(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1"})
	j := h.job(h.start, sh("true"))
	key := Key(h.host, j)
	other := j
	other.Record, other.Commit = "T-009/qa/1/tests", "another commit of the same tree"
	require.Equal(t, key, Key(h.host, other))
	for name, change := range map[string]func(*Host, *Job){
		"tree":      func(_ *Host, j *Job) { j.Tree = "t" },
		"start":     func(_ *Host, j *Job) { j.Start = "s" },
		"gate":      func(_ *Host, j *Job) { j.Gate.Script = "false" },
		"env":       func(_ *Host, j *Job) { j.Gate.Env = []planner.EnvVar{{Name: "A", Value: "b"}} },
		"protected": func(_ *Host, j *Job) { j.Protected = []string{"a"} },
		"lifted":    func(_ *Host, j *Job) { j.MayChange = []string{"a"} },
		"path":      func(h *Host, _ *Job) { h.Path += ":/x" },
		"variables": func(h *Host, _ *Job) { h.Env = []string{"X=1"} },
		"sandbox":   func(h *Host, _ *Job) { h.Sandbox = sandbox.Facts{} },
	} {
		host, j := h.host, j
		change(&host, &j)
		require.NotEqual(t, key, Key(host, j), name)
	}
}

func TestProgramIsKnownByItsBytes(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "tool"), []byte(fmt.Sprintf("#!/bin/sh\nexit %d\n", i)), 0o755))
	}
	j := Job{Gate: planner.Gate{Argv: []string{"tool"}}}
	require.NotEqual(t, tool(Host{Path: dirs[0]}, "tool"), tool(Host{Path: dirs[1]}, "tool"))
	require.Equal(t, environment(Host{Path: dirs[0]}, j), environment(Host{Path: dirs[0]}, j))
}
