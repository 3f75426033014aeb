package evidence

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/evidence/gocache"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
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

func goHouse(t *testing.T, files map[string]string) *house {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go here")
	}
	h := newHouse(t, files)
	// One for all tests, as a run has one for all gates; none can write it.
	h.host.Caches, h.host.GoCache = NewCaches(shared()), goEnv(t, "GOCACHE")
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

// EVID-08: what one gate writes into caches no later gate reads, whatever it tries.
func TestCachesCannotBePoisoned(t *testing.T) {
	modules := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(modules, "m"), []byte("clean"), 0o644))
	h := goHouse(t, tiny())
	h.host.Reads, h.host.Env = append(h.host.Reads, modules), append(h.host.Env, "GOMODCACHE="+modules)
	rec, out := h.script(h.start, "# go test\nexit 0")
	require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
	run := h.host.Caches.gocache()
	before := listing(t, run)
	require.NotEmpty(t, before)
	rec, out = h.script(h.start, `# go test
test -n "$(ls "$GOCACHE")" || { echo "the cache is empty"; exit 3; }
run=`+run+` operator=`+h.host.GoCache+`
if ls "$operator" 2>/dev/null; then echo "sees the operator's"; exit 4; fi
if touch "$run/x" || mkdir "$run/00/x" || mv "$run/00" "$run/x" || mv "$run" "$run.x" || ln -s / "$run/x"; then echo "writes to the run's"; exit 5; fi
mount -o remount,rw "$run"; mount -o remount,rw,bind "$run"; umount "$run"; chmod -R a+w "$run"
mkdir links
for f in "$GOCACHE"/0[0-3]/*; do
  to=$(readlink "$f") && { chmod a+w "$to"; (echo poison >"$to"); rm -f "$to"; truncate -s 0 "$to"; touch "$to"; cp /bin/sh "$to"; ln "$to" links/ && echo poison >>"links/${to##*/}"; }
  (echo poison >"$f"); rm -f "$f"; echo poison >"$f"
done
echo poison >"$GOCACHE/poison"
if echo poison >"$GOMODCACHE/m"; then exit 6; fi; if touch "$GOMODCACHE/n"; then exit 7; fi
exit 0`)
	require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
	data, err := os.ReadFile(filepath.Join(modules, "m"))
	require.NoError(t, err)
	require.Equal(t, "clean", string(data))
	require.Equal(t, before, listing(t, run))
	rec, out = h.script(h.start, `# go test
! grep -Rl '^poison$' "$GOCACHE"`)
	require.Equal(t, Pass, rec.Outcome, out)
}

// EVID-08: a gate that makes its go believe that everything is built and passed
// is believed by nobody else.
func TestForgedResultsStayWithTheirGate(t *testing.T) {
	h := goHouse(t, tiny())
	broken := h.candidate(map[string]string{"tiny.go": "package tiny\n\nfunc Two() int { return 3 }\n"})
	// It writes one entry under every name there is, the passing test's too.
	rec, out := h.script(h.start, `go test -vet=off ./... && one=$(ls "$GOCACHE"/*/*-a | head -1) && cp "$one" kept && for f in "$GOCACHE"/*/*-a; do cat kept >"$f"; done; true`)
	require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
	rec, out = h.run(h.job(broken, goGate("test", "-vet=off", "./...")))
	require.Equal(t, []any{Fail, Pass}, []any{rec.Outcome, rec.Baseline}, "%s\n%s", rec.Reason, out)
}

// EVID-08: the operator's cache is read by a fill, and written by nobody.
func TestOperatorsCacheIsOnlyRead(t *testing.T) {
	h := goHouse(t, tiny())
	g := goGate("test", "-vet=off", "./...")
	h.run(h.job(h.start, g))
	operator := t.TempDir()
	require.NoError(t, gocache.Copy(t.Context(), shared()+"/go", operator, time.Now()))
	h.host.Caches, h.host.GoCache = NewCaches(t.TempDir()), operator
	before := listing(t, operator)
	rec, out := h.run(h.job(h.start, g))
	require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
	require.Equal(t, before, listing(t, operator))
	entries, err := filepath.Glob(filepath.Join(h.host.Caches.gocache(), "*", "*-a"))
	require.NoError(t, err)
	taken := 0
	for _, entry := range entries {
		rel, err := filepath.Rel(h.host.Caches.gocache(), entry)
		require.NoError(t, err)
		if fileDigest(entry) == fileDigest(filepath.Join(operator, rel)) {
			taken++
		}
	}
	require.NotZero(t, taken, "a fill takes what is there, with the time it was made")
}

// EVID-08: where nothing confines a gate, its cache shares no file with the
// run's, and the operator's, which a unit could have written, is not read.
func TestUnconfinedGateGetsACopy(t *testing.T) {
	h := goHouse(t, tiny())
	h.host.Sandbox, h.host.Floor = sandbox.Facts{Backend: sandbox.Unconfined, Floor: sandbox.FloorNone}, ""
	h.host.Caches = NewCaches(t.TempDir())
	require.NoError(t, gocache.Copy(t.Context(), shared()+"/go", h.host.Caches.gocache(), time.Now()))
	rec, out := h.script(h.start, `# go test
test -z "$GOCACHEPROG" && test -n "$(find "$GOCACHE" -name '*-d')" && test -z "$(find "$GOCACHE" -type l)"`)
	require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
}

// listing gives each file below dir with its mode, length, time and content's digest.
func listing(t *testing.T, dir string) (out []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		require.NoError(t, err)
		line := fmt.Sprintf("%s %s %s", path, info.Mode(), fileDigest(path))
		if !d.IsDir() {
			line += fmt.Sprintf(" %d %s", info.Size(), info.ModTime())
		}
		out = append(out, line)
		return nil
	}))
	return out
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
