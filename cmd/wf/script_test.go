package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary serve as wf too: scripts, units and the
// sandbox's first process start the same file under the name wf.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"wf": func() { os.Exit(run()) }})
}

// TestScripts runs testdata/script/*.txtar over the real binary and real git.
func TestScripts(t *testing.T) {
	p := scripted()
	p.Dir, p.RequireUniqueNames = filepath.Join("..", "..", "testdata", "script"), true
	testscript.Run(t, p)
}

// TestFindingsTranscripts runs testdata/findings/CODE/CODE.txtar: how a finding
// comes about that no file shows, and what mends it.
func TestFindingsTranscripts(t *testing.T) {
	all, err := filepath.Glob(filepath.Join("..", "..", "testdata", "findings", "*", "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	p := scripted()
	p.Files, p.RequireUniqueNames = all, true
	testscript.Run(t, p)
}

// scripted is what every script may use.
func scripted() testscript.Params {
	return testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, cleanEnv(env.WorkDir)...)
			return os.Mkdir(filepath.Join(env.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"repo":     makeRepo,
			"operator": makeOperator,
			"flip":     flip,
			"until":    until,
			"same":     same,
			"alone":    alone,
		},
	}
}

// cleanEnv is what a script's processes get beside PATH: a home of their own and
// a git that reads no configuration of the host, with a fixed author and date.
func cleanEnv(work string) []string {
	return []string{
		"GOCACHE=" + goCache(), // gates take the standard library from it
		"HOME=" + filepath.Join(work, "home"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
		"NO_COLOR=1", "USER=ann", "SSH_AUTH_SOCK=",
	}
}

var goCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// exits runs a command and holds its exit status: exits 4 wf apply.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s ended with %d, not with %d", strings.Join(args[1:], " "), got, want)
	}
}

// makeRepo lays a fixture into a new folder and commits it: repo FIXTURE FOLDER.
func makeRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: repo FIXTURE FOLDER")
	}
	dir := ts.MkAbs(args[1])
	ts.Check(layFixture(args[0], dir))
	ts.Check(ts.Exec("git", "-C", dir, "init", "-q", "-b", "main"))
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "-m", "first"))
}

// makeOperator writes a fresh key to $WORK/operator and names its public half in
// a repository's policies/operators: operator FOLDER.
func makeOperator(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: operator FOLDER")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(layOperator(dir, ts.MkAbs(filepath.Join(ts.Getenv("WORK"), "operator"))))
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "-m", "an operator"))
}

// flip changes one byte in the middle of a file, or with -line N of that line.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: flip FILE")
	}
	files, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("%s names %d files", args[0], len(files))
	}
	data, err := os.ReadFile(files[0])
	ts.Check(err)
	data[len(data)/2] ^= 1
	ts.Check(os.WriteFile(files[0], data, 0o600))
}

// until waits for a file that a background process makes.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: until FILE")
	}
	for range 3000 {
		if files, err := filepath.Glob(ts.MkAbs(args[0])); err == nil && len(files) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear", args[0])
}

// same notes the fingerprint of a checkout the first time and holds it the next
// time: same FOLDER.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: same FOLDER")
	}
	got, err := fingerprint(ts.MkAbs(args[0]))
	ts.Check(err)
	note := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), ".same-"+filepath.Base(args[0])))
	before, err := os.ReadFile(note)
	if err != nil {
		ts.Check(os.WriteFile(note, []byte(got), 0o600))
		return
	}
	if string(before) != got {
		ts.Fatalf("the checkout is not as it was:\n%s", firstDifference(string(before), got))
	}
}

// alone leaves wf the only program that can be found.
func alone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: alone")
	}
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "wf")); err == nil {
			ts.Setenv("PATH", dir)
			return
		}
	}
	ts.Fatalf("wf is nowhere in PATH")
}

func firstDifference(a, b string) string {
	before, after := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(before), len(after)) {
		x, y := lineAt(before, i), lineAt(after, i)
		if x != y {
			return fmt.Sprintf("- %s\n+ %s", x, y)
		}
	}
	return "no difference"
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
