package evidence

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/materializer/evidence/gocache"
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
	"github.com/seed9cc7a46e/wf/planner"
)

// TestMain plays the wf binary when the sandbox starts it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.Subcommand {
		os.Exit(sandbox.Main(os.Args[2:], os.Environ(), os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == gocache.Subcommand {
		os.Exit(gocache.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, time.Now))
	}
	if len(os.Args) == 3 && os.Args[1] == "remove-places" {
		places{root: os.Args[2]}.remove()
		os.Exit(0)
	}
	_ = process.BecomeSubreaper()
	code := m.Run()
	_ = os.RemoveAll(shared())
	os.Exit(code)
}

// shared is the folder of caches that tests with real go gates have in common.
var shared = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "wf-gates-")
	if err != nil {
		panic(err)
	}
	return dir
})

var facts = sync.OnceValue(func() sandbox.Facts {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return sandbox.Probe(context.Background(), self)
})

// house is a repository with a start commit, and a host that runs gates on it.
type house struct {
	t     *testing.T
	dir   string
	repo  *worktree.Repo
	host  Host
	start string
}

func newHouse(t *testing.T, files map[string]string) *house {
	t.Helper()
	if facts().Backend == sandbox.Unconfined {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no sandbox here: %v", facts().Notes)
		}
		t.Skipf("no sandbox here: %v", facts().Notes)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	h := &house{t: t, dir: filepath.Join(root, "repo")}
	require.NoError(t, os.Mkdir(h.dir, 0o755))
	h.sh("git init -q -b main .")
	h.start = h.commit(files)
	h.repo, err = worktree.Open(t.Context(), h.dir, worktree.Options{Path: os.Getenv("PATH")})
	require.NoError(t, err)
	h.host = Host{
		Self: self, Sandbox: facts(), Floor: sandbox.FloorLandlock, Path: os.Getenv("PATH"), Scratch: filepath.Join(root, "scratch"), Now: time.Now,
		Reads: []string{goEnv(t, "GOROOT")}, Env: []string{"LANG=C.UTF-8", "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod", "GOTELEMETRY=off"},
	}
	t.Cleanup(func() { require.Empty(t, h.leftovers(), "folders of gates that stayed") })
	return h
}

// leftovers are what gates left in the scratch folder.
func (h *house) leftovers() []string {
	found, err := filepath.Glob(filepath.Join(h.host.Scratch, "*"))
	require.NoError(h.t, err)
	return found
}

func (h *house) sh(script string) string {
	h.t.Helper()
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir = h.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=op", "GIT_AUTHOR_EMAIL=op@localhost", "GIT_COMMITTER_NAME=op", "GIT_COMMITTER_EMAIL=op@localhost",
		"GIT_AUTHOR_DATE=@1700000000 +0000", "GIT_COMMITTER_DATE=@1700000000 +0000",
	}
	out, err := cmd.CombinedOutput()
	require.NoError(h.t, err, "%s\n%s", script, out)
	return strings.TrimSpace(string(out))
}

// commit writes files over what is there and gives the commit; "-" as content
// deletes, a content that begins with "->" makes a link, "#!" an executable.
func (h *house) commit(files map[string]string) string {
	h.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) { // a file goes before the folder in its place
		content := files[name]
		path := filepath.Join(h.dir, name)
		require.NoError(h.t, os.RemoveAll(path))
		if content == "-" {
			continue
		}
		require.NoError(h.t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, ok := strings.CutPrefix(content, "->"); ok {
			require.NoError(h.t, os.Symlink(target, path))
			continue
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(content, "#!") {
			mode = 0o755
		}
		require.NoError(h.t, os.WriteFile(path, []byte(content), mode))
	}
	h.sh("git add -A -f .; git commit -q --allow-empty -m c")
	return h.sh("git rev-parse HEAD")
}

// candidate is a commit on top of the start commit.
func (h *house) candidate(files map[string]string) string {
	h.t.Helper()
	h.sh("git checkout -q -f --detach " + h.start)
	return h.commit(files)
}

func (h *house) job(commit string, g planner.Gate) Job {
	tree, err := h.repo.Tree(h.t.Context(), commit)
	require.NoError(h.t, err)
	if g.Name == "" {
		g.Name = "tests"
	}
	if g.TimeoutSeconds == 0 {
		g.TimeoutSeconds = 120
	}
	return Job{Repo: h.repo, Gate: g, Record: "T-001/implement/1/" + g.Name, Commit: commit, Tree: tree, Start: h.start}
}

func (h *house) run(j Job) (Record, string) {
	h.t.Helper()
	rec, out, err := Run(h.t.Context(), h.host, j)
	require.NoError(h.t, err)
	require.Equal(h.t, Digest(out), rec.Output)
	require.NotContains(h.t, rec.Reason, "\n")
	require.NotContains(h.t, rec.Reason, h.host.Scratch)
	return rec, string(out)
}

// script runs a shell script on a commit.
func (h *house) script(commit, script string) (Record, string) {
	h.t.Helper()
	return h.run(h.job(commit, sh(script)))
}

func sh(script string) planner.Gate { return planner.Gate{Shell: "sh", Script: script} }

func (h *house) check(commit, name string, args ...planner.GateArg) Record {
	h.t.Helper()
	rec, _ := h.run(h.job(commit, planner.Gate{Check: name, Args: args}))
	return rec
}

func arg(name string, values ...string) planner.GateArg {
	return planner.GateArg{Name: name, Values: values}
}

// goEnv is what the go in PATH says of itself.
func goEnv(t testing.TB, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
