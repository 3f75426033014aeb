package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The Go toolchain works in the gate posture, offline, with a read-only module
// cache. The build cache is this machine's, so that the test need not compile
// the standard library; a gate gets a copy.
func TestGateRunsTheGoToolchain(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go here")
	}
	env := goEnv(t, goTool, "GOROOT", "GOMODCACHE", "GOCACHE")
	f := hostFacts(t)
	h := newHouse(t, f, Gate)
	h.file("work/go.mod", "module example.test/tiny\n\ngo 1.22\n")
	h.file("work/tiny.go", "package tiny\n\nfunc Two() int { return 2 }\n")
	h.file("work/tiny_test.go", tinyTest)
	h.spec.ReadOnly = []string{env[0]}
	require.NoError(t, os.MkdirAll(env[2], 0o700))
	h.spec.ReadWrite = []string{env[2]}
	if _, err := os.Stat(env[1]); err == nil {
		h.spec.ReadOnly = append(h.spec.ReadOnly, env[1])
	}
	h.spec.Env = []string{
		"PATH=" + filepath.Join(env[0], "bin") + ":/usr/bin:/bin", "GOROOT=" + env[0], "GOMODCACHE=" + env[1],
		"HOME=" + h.path("home"), "TMPDIR=" + h.path("temp"), "GOCACHE=" + env[2], "GOTMPDIR=" + h.path("temp"),
		"GOPROXY=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GOTELEMETRY=off",
		"WF_STATE=" + h.path("state/journal"),
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-v", "./..."}} {
		s := h.spec
		s.Argv = append([]string{"go"}, args...)
		r := h.start(s)
		require.Equal(t, 0, r.Exit, "go %v:\n%s%s", args, r.Stdout, r.Stderr)
		if args[0] == "test" {
			require.Contains(t, string(r.Stdout), "PASS: TestTwo")
			require.Contains(t, string(r.Stdout), "PASS: TestStateIsHidden")
		}
	}
}

const tinyTest = `package tiny

import (
	"os"
	"testing"
)

func TestTwo(t *testing.T) {
	if Two() != 2 {
		t.Fatal("not two")
	}
	if err := os.WriteFile(t.TempDir()+"/x", nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestStateIsHidden(t *testing.T) {
	if _, err := os.ReadFile(os.Getenv("WF_STATE")); err == nil {
		t.Fatal("a test reads the journal")
	}
}
`

func goEnv(t *testing.T, goTool string, names ...string) []string {
	out, err := exec.Command(goTool, append([]string{"env"}, names...)...).Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
