package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
)

type result struct {
	code        int
	out, errors string
}

// wf runs a command line in a folder, without a terminal.
func wf(t *testing.T, dir string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: dir, Self: "/wf", TempDir: t.TempDir(),
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=dumb"},
		Now:     func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }, Version: "test",
		Soft: context.Background(), Hard: context.Background(),
	})
	return result{code, out.String(), errs.String()}
}

// repository makes a git repository with the first workflow in it.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	require.Equal(t, 0, wf(t, dir, "init").code)
	git(t, dir, "add", "-A")
	git(t, dir, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first")
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
}

func walk(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		walk(sub, f)
	}
}

// RPT-20: each command shows an example of itself, and its examples are command
// lines that it takes.
func TestEveryCommandHasAnExample(t *testing.T) {
	app := &app{Process: Process{}}
	seen := 0
	walk(app.root(), func(c *cobra.Command) {
		seen++
		require.NotEmpty(t, c.Short, c.CommandPath())
		require.NotEmpty(t, c.Example, c.CommandPath())
		require.False(t, strings.HasSuffix(c.Short, "."), c.CommandPath())
		for _, line := range strings.Split(c.Example, "\n") {
			require.True(t, strings.HasPrefix(line, "  wf "), "%s: %q", c.CommandPath(), line)
			for _, part := range strings.Split(line, " && ") {
				words := strings.Fields(part)
				if words[0] != "wf" {
					continue
				}
				found, _, err := app.root().Find(words[1:])
				require.NoError(t, err, line)
				for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(part, -1) {
					name := strings.TrimPrefix(flag, "--")
					require.True(t, found.Flags().Lookup(name) != nil || found.InheritedFlags().Lookup(name) != nil, "%s: %s", line, flag)
				}
			}
		}
	})
	require.Greater(t, seen, 24)
}

// Help is in the order of a day's work, and the same in every folder.
func TestHelp(t *testing.T) {
	got := wf(t, t.TempDir(), "help")
	require.Zero(t, got.code)
	last := -1
	for _, part := range []string{"Plan and apply:", "  plan ", "  approve ", "  apply ", "  status ", "Write workflows:", "  init ", "Decide during a run:", "  inbox ", "Look closer:", "Keep house:", "  help "} {
		at := strings.Index(got.out, part)
		require.Greater(t, at, last, part)
		last = at
	}
	require.Equal(t, got.out, wf(t, t.TempDir(), "help").out)
	require.Contains(t, wf(t, t.TempDir(), "help", "plan").out, "wf plan ship-features")
}

// A wrong command line is told from a wrong file: exit 64, what is wrong, and what was meant.
func TestUsage(t *testing.T) {
	for line, want := range map[string]string{
		"aply":                        "did you mean `wf apply`?",
		"fly":                         "there is no command `wf fly`",
		"help aply":                   "did you mean `wf apply`?",
		"journal verfy":               "did you mean `wf journal verify`?",
		"plan":                        "`wf plan` needs an argument",
		"plan a b":                    "takes one argument",
		"status now":                  "`wf status` takes no argument",
		"logs a b":                    "at most one argument",
		"plan x --inptu a=b":          "did you mean --input?",
		"plan x --zzzzzz":             "there is no flag --zzzzzz (see `wf plan --help`)",
		"plan x --input":              "flag needs an argument",
		"plan x -q":                   "unknown shorthand flag: 'q'",
		"answer Q-001":                "the answer in quotes",
		"approve p --expires 3days":   "not a duration such as 24h",
		"--color sometimes version":   "--color is auto, always or never",
		"validate --format yaml":      "--format is human, oneline, json, sarif or github",
		"clean --dry-run=perhaps":     "invalid argument",
		"unpark T-001 --note":         "flag needs an argument",
		"evidence --verify --nothing": "there is no flag --nothing",
	} {
		got := wf(t, repositoryOnce(t), strings.Fields(line)...)
		require.Equal(t, verb.ExitUsage, got.code, "%s: %s", line, got.errors)
		require.Contains(t, got.errors, want, line)
		require.Empty(t, got.out, line)
	}
	require.Equal(t, verb.ExitUsage, wf(t, repositoryOnce(t), "plan", "").code)
}

var once string

func repositoryOnce(t *testing.T) string {
	t.Helper()
	if once == "" {
		dir, err := os.MkdirTemp("", "wf-command-*")
		require.NoError(t, err)
		git(t, dir, "init", "-q")
		once = dir
	}
	return once
}

func TestMain(m *testing.M) {
	code := m.Run()
	if once != "" {
		os.RemoveAll(once)
	}
	os.Exit(code)
}

// What is bad is said with what, where and what to do; never as a bare error of
// the system, and never with another exit code than the documented one.
func TestBadInput(t *testing.T) {
	dir := repository(t)
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	put("list.yaml", "- a\n")
	put("huge.yaml", "topic: {a: 1e99999}\n")
	put("blank.yaml", "# nothing\n\n")
	put("file", "x")
	put("workflows/broken.wf.yaml", "wf: 1\nname: [\n")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "workflows/folder.wf.yaml"), 0o755))
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(dir, "workflows/out.wf.yaml")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "workflows/dangling.wf.yaml")))
	for _, c := range []struct {
		line string
		exit int
		want []string
	}{
		{"plan nope", 1, []string{"no such workflow", "first-steps"}},
		{"plan broken", 1, []string{"workflows/broken.wf.yaml:2:7"}},
		{"plan folder", 1, []string{"workflows/folder.wf.yaml", "it is a folder"}},
		{"plan out", 1, []string{"workflows/out.wf.yaml", "leads out of the repository"}},
		{"plan dangling", 1, []string{"workflows/dangling.wf.yaml", "a link to something that is not there"}},
		{"plan first-steps --inputs none.yaml", 1, []string{"none.yaml", "There is no such file."}},
		{"plan first-steps --inputs workflows", 1, []string{"It is a folder."}},
		{"plan first-steps --inputs list.yaml", 1, []string{"list.yaml:1:1", "maps their names to values"}},
		{"plan first-steps --inputs huge.yaml", 1, []string{"huge.yaml:1:8", "out of range"}},
		{"plan first-steps --inputs blank.yaml", 0, nil},
		{"plan first-steps --input topic", 64, []string{"is not NAME=VALUE"}},
		{"plan first-steps --input nope=1", 1, []string{"no such input", "topic"}},
		{"plan first-steps -o none/p.wfplan", 1, []string{"none/p.wfplan", "Its folder does not exist."}},
		{"plan first-steps -o workflows", 1, []string{"it is a folder"}},
		{"plan first-steps -o file/p.wfplan", 1, []string{"file/p.wfplan", "no folder"}},
		{"show none.wfplan", 1, []string{"There is no such file."}},
		{"show .", 1, []string{"It is a folder."}},
		{"show file", 5, []string{"this is not a plan file"}},
		{"apply none.wfplan", 1, []string{"There is no such file."}},
		{"apply", 1, []string{"no such run", "wf apply NAME"}},
		{"apply first-steps", 4, []string{"the plan is not approved"}},
		{"status", 1, []string{"no runs yet"}},
		{"unpark T-001", 1, []string{"no runs yet"}},
		{"-C none status", 1, []string{"There is no such folder."}},
		{"-C file status", 1, []string{"It is a file and no folder."}},
		{"explain WF999", 1, []string{"There is no finding WF999"}},
	} {
		got := wf(t, dir, strings.Fields(c.line)...)
		require.Equal(t, c.exit, got.code, "%s\n%s", c.line, got.errors)
		text := strings.Join(strings.Fields(got.errors), " ")
		for _, want := range c.want {
			if !strings.Contains(strings.ToLower(text), strings.ToLower(want)) {
				require.Fail(t, "not said", "%s: %q is not in\n%s", c.line, want, got.errors)
			}
		}
		for _, bad := range []string{"panic", "no such file or directory", "openat", "statat", "escapes from parent", "is a directory", "could not do its job"} {
			require.NotContains(t, text, bad, c.line)
		}
		if c.exit != 0 {
			require.Regexp(t, `error\[WF\d+\]`, got.errors, c.line)
			require.Contains(t, got.errors, "= fix: ", c.line)
		}
	}
}

// A pipe that somebody left lying there makes nobody wait.
func TestPipesAreNotRead(t *testing.T) {
	dir := repository(t)
	pipe := filepath.Join(dir, "workflows", "pipe.wf.yaml")
	require.NoError(t, exec.Command("mkfifo", pipe).Run())
	for _, args := range [][]string{{"plan", "pipe"}, {"validate"}, {"list"}, {"show", pipe}, {"apply", pipe}, {"plan", "first-steps", "--inputs", pipe}} {
		done := make(chan result, 1)
		go func() { done <- wf(t, dir, args...) }()
		select {
		case got := <-done:
			if args[0] != "list" {
				require.NotZero(t, got.code, args)
				require.Contains(t, got.errors+got.out, "pipe", args)
			}
		case <-time.After(time.Minute):
			require.Fail(t, "it waits for a pipe", args)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Output that is lost is no success.
func TestLostOutputIsAFailure(t *testing.T) {
	var errs bytes.Buffer
	code := Main(Process{Args: []string{"version"}, Stdin: strings.NewReader(""), Stdout: full{}, Stderr: &errs, Dir: t.TempDir(), Soft: context.Background(), Hard: context.Background()})
	require.Equal(t, verb.ExitFailure, code)
	require.Contains(t, errs.String(), "no space left")
}

// An interrupt is no fault: exit 130, and no talk of reporting anything.
func TestInterrupt(t *testing.T) {
	dir := repository(t)
	for _, args := range [][]string{{"plan", "first-steps"}, {"apply", "first-steps"}, {"validate"}} {
		stopped, stop := context.WithCancel(context.Background())
		stop()
		var out, errs bytes.Buffer
		code := Main(Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: dir, Self: "/wf", TempDir: t.TempDir(),
			Environ: []string{"PATH=" + os.Getenv("PATH")}, Now: time.Now, Soft: stopped, Hard: context.Background()})
		require.Equal(t, verb.ExitInterrupted, code, "%v: %s", args, errs.String())
		require.Contains(t, errs.String(), "interrupted", args)
		require.NotContains(t, errs.String(), "context canceled", args)
		require.Empty(t, out.String(), args)
	}
}

// What cannot be found out offers nothing, and a shell is never told an error.
func TestCompletion(t *testing.T) {
	dir := repository(t)
	require.Contains(t, wf(t, dir, "__complete", "plan", "").out, "first-steps\t")
	require.Contains(t, wf(t, dir, "__complete", "apply", "").out, "first-steps\t")
	require.Contains(t, wf(t, dir, "__complete", "validate", "").out, "first-steps\t")
	require.Contains(t, wf(t, dir, "__complete", "explain", "WF2").out, "WF203\n")
	require.Contains(t, wf(t, dir, "__complete", "plan", "x", "--format", "").out, "markdown\n")
	require.Contains(t, wf(t, dir, "__complete", "--color", "").out, "never\n")
	require.Contains(t, wf(t, dir, "__complete", "show", "").out, "wfplan\n")
	require.Contains(t, wf(t, dir, "__complete", "help", "").out, "apply\t")
	for _, args := range [][]string{{"diff", ""}, {"answer", ""}, {"approve", "T"}, {"status", "--run", ""}, {"journal", "verify", ""}} {
		for _, in := range []string{dir, t.TempDir()} {
			got := wf(t, in, append([]string{"__complete"}, args...)...)
			require.Zero(t, got.code, args)
			require.Regexp(t, `^:\d+\n$`, got.out, args)
			require.NotContains(t, got.errors, "error[", args)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Contains(t, wf(t, dir, "completion", shell).out, "wf", shell)
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		c := exec.Command(bash, "-n")
		c.Stdin = strings.NewReader(wf(t, dir, "completion", "bash").out)
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"input", "inptu", 1}, {"verify", "verfy", 1}, {"abc", "xyz", 3}, {"run", "runs", 1}} {
		require.Equal(t, c.want, distance(c.a, c.b), "%q %q", c.a, c.b)
		require.Equal(t, c.want, distance(c.b, c.a), "%q %q", c.b, c.a)
	}
}
