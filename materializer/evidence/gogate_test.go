package evidence

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed9cc7a46e/wf/planner"
	"github.com/stretchr/testify/require"
)

const tinyTest = `package tiny

import "testing"

func TestTwo(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			if Two() != 2 {
				t.Fatal("not two\x1b[31m")
			}
		})
	}
}

func TestSkipped(t *testing.T) { t.Skip() }

func TestGroup(t *testing.T) { t.Run("none", func(t *testing.T) { t.Skip() }) }
`

func tiny() map[string]string {
	return map[string]string{
		"go.mod": "module example.test/tiny\n\ngo 1.24\n", "tiny.go": "package tiny\n\nfunc Two() int { return 2 }\n", "tiny_test.go": tinyTest,
	}
}

// warmed gives caches whose build cache outlives the test, as go's own does:
// compiling the standard library takes longer than all tests together.
func warmed(t *testing.T) *Caches {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return NewCaches(filepath.Join(base, "wf-test-gates", runtime.Version()))
}

func goHouse(t *testing.T, files map[string]string) *house {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go here")
	}
	h := newHouse(t, files)
	h.host.Caches = warmed(t)
	return h
}

func goGate(words ...string) planner.Gate {
	return planner.Gate{Argv: append([]string{"go"}, words...), TimeoutSeconds: 600}
}

// EVID-04, EVID-07: real gates, offline, counted.
func TestGoGates(t *testing.T) {
	h := goHouse(t, tiny())
	g := goGate("test", "-vet=off", "./...")
	g.MinTests = 2
	g.Env = []planner.EnvVar{{Name: "GOFLAGS", Value: "-mod=readonly"}}
	rec, out := h.run(h.job(h.start, g))
	require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
	require.Equal(t, "exit 0, 2 tests, 2 more skipped", rec.Reason)
	require.Equal(t, []string{"go", "test", "-json", "-vet=off", "./..."}, rec.Argv)
	_, out = h.run(h.job(h.start, g))
	require.NotContains(t, out, "(cached)", "tests are executed each time")

	rec, _ = h.run(h.job(h.candidate(map[string]string{"tiny.go": "package tiny\n\nfunc Two() int { return 3 }\n"}), g))
	require.Equal(t, []any{Fail, Pass, 1}, []any{rec.Outcome, rec.Baseline, rec.Exit})
	require.Contains(t, rec.Reason, "TestTwo/a: tiny_test.go:9: not two; TestTwo/b:")
	require.NotContains(t, rec.Reason, "\x1b")

	rec, _ = h.run(h.job(h.candidate(map[string]string{"tiny.go": "package tiny\n\nfunc Two() int { return x }\n"}), g))
	require.Equal(t, Fail, rec.Outcome)
	require.Contains(t, rec.Reason, "undefined: x")

	rec, _ = h.run(h.job(h.candidate(map[string]string{"tiny_test.go": "package tiny\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) { t.Skip() }\n"}), g))
	require.Equal(t, Broken, rec.Outcome)
	require.Contains(t, rec.Reason, "all 1 tests were skipped")

	rec, _ = h.run(h.job(h.candidate(map[string]string{"tiny_test.go": "-"}), g))
	require.Equal(t, Broken, rec.Outcome)
	require.Contains(t, rec.Reason, "0 tests ran, at least 2 must")

	rec, out = h.run(h.job(h.start, goGate("build", "./...")))
	require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
	script := sh("go test -v -vet=off ./...")
	script.Count, script.MinTests = "go", 2
	rec, _ = h.run(h.job(h.start, script))
	require.Equal(t, Pass, rec.Outcome, rec.Reason)
	require.Equal(t, 2, rec.Tests)
}

// EVID-08: what one gate writes into caches no later gate reads.
func TestCachesCannotBePoisoned(t *testing.T) {
	modules := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(modules, "m"), []byte("clean"), 0o644))
	h := goHouse(t, tiny())
	h.host.Reads, h.host.Env = append(h.host.Reads, modules), append(h.host.Env, "GOMODCACHE="+modules)
	poison := `# go test
test -n "$(ls "$GOCACHE")" || { echo "the cache is empty"; exit 3; }
echo poison >"$GOCACHE/poison"; for f in "$GOCACHE"/0*/*; do echo poison >"$f"; done
if echo poison >"$GOMODCACHE/m"; then exit 4; fi; if touch "$GOMODCACHE/n"; then exit 5; fi
exit 0`
	rec, out := h.script(h.start, poison)
	require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
	data, err := os.ReadFile(filepath.Join(modules, "m"))
	require.NoError(t, err)
	require.Equal(t, "clean", string(data))
	require.NoFileExists(t, filepath.Join(h.host.Caches.gocache(), "poison"))
	rec, out = h.script(h.start, `# go test
! grep -rl '^poison$' "$GOCACHE"`)
	require.Equal(t, Pass, rec.Outcome, out)
}

// Filling a cache compiles and runs nothing that the start commit holds.
func TestFillingRunsNothingOfTheCommit(t *testing.T) {
	files := tiny()
	files["tiny_test.go"] = "package tiny\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.WriteFile(os.Getenv(\"GOCACHE\")+\"/ran\", nil, 0o644) }\n"
	h := goHouse(t, files)
	rec, _ := h.run(h.job(h.start, goGate("test", "-vet=off", "./...")))
	require.Equal(t, Pass, rec.Outcome, rec.Reason)
	require.NoFileExists(t, filepath.Join(h.host.Caches.gocache(), "ran"))
	for name, g := range map[string]planner.Gate{
		"exec": goGate("test", "-exec", "./x", "./..."), "toolexec": goGate("build", "-toolexec=./x"), "vettool": goGate("vet", "--vettool=./x"),
		"run": goGate("run", "."), "generate": goGate("generate"), "other": {Argv: []string{"npm", "test"}}, "script": sh("npm test"),
	} {
		require.Nil(t, compiling(g, h.dir), name)
	}
	require.Equal(t, []string{"go", "test", "-exec=true", "./..."}, compiling(sh("set -e; go vet ./...; go test ./..."), h.dir))
}

func TestCancelledFillIsNotRemembered(t *testing.T) {
	h := goHouse(t, tiny())
	h.host.Caches = NewCaches(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := Run(ctx, h.host, h.job(h.start, goGate("build", "./...")))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, h.host.Caches.filled)
}

func TestWithJSON(t *testing.T) {
	for in, want := range map[string]string{
		"go test": "go test -json", "go test -v ./...": "go test -json -v ./...", "go test --json x": "go test --json x", "go test x -args -json": "go test -json x -args -json",
	} {
		require.Equal(t, want, strings.Join(withJSON(strings.Fields(in)), " "))
	}
}
