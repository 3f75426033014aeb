package gocache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain plays wf where go starts it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Subcommand {
		os.Exit(Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, time.Now))
	}
	os.Exit(m.Run())
}

func at(seconds int64) func() time.Time { return func() time.Time { return time.Unix(seconds, 0) } }

func id(text string) []byte { sum := sha256.Sum256([]byte(text)); return sum[:] }

// talk sends requests, each with its body, and gives the answers by ID.
func talk(t *testing.T, run, own string, lines ...string) map[int64]response {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, serve(dir(run), dir(own), strings.NewReader(strings.Join(lines, "\n")), &out, at(7)))
	got := map[int64]response{}
	for in := json.NewDecoder(&out); in.More(); {
		var r response
		require.NoError(t, in.Decode(&r))
		got[r.ID] = r
	}
	return got
}

func getLine(n int, action []byte) string {
	return fmt.Sprintf(`{"ID":%d,"Command":"get","ActionID":%q}`, n, base64.StdEncoding.EncodeToString(action))
}

func putLines(n int, action []byte, content string) string {
	b := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("{\"ID\":%d,\"Command\":\"put\",\"ActionID\":%q,\"OutputID\":%q,\"BodySize\":%d}\n%q", n, b(action), b(id(content)), len(content), b([]byte(content)))
}

// list gives every file below dir with its content.
func list(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	}))
	return files
}

// EVID-08: writes go to the run's cache, reads to both, and the operator's stays as it is.
func TestLayers(t *testing.T) {
	run, own := t.TempDir(), t.TempDir()
	require.NoError(t, dir(own).put(id("a"), entry{id("content"), 7, time.Unix(3, 0)}, strings.NewReader("content")))
	before := list(t, own)

	got := talk(t, run, own, getLine(1, id("a")), getLine(2, id("unknown")), putLines(3, id("b"), "mine"), getLine(4, id("b")), `{"ID":5,"Command":"close"}`, getLine(6, id("a")))
	require.Equal(t, []string{"get", "put", "close"}, got[0].KnownCommands)
	require.Equal(t, dir(run).file(id("content"), "d"), got[1].DiskPath)
	require.Equal(t, []any{int64(7), int64(3)}, []any{got[1].Size, got[1].Time.Unix()})
	require.True(t, got[2].Miss)
	require.Equal(t, dir(run).file(id("mine"), "d"), got[3].DiskPath)
	require.Equal(t, []any{got[3].DiskPath, int64(7)}, []any{got[4].DiskPath, got[4].Time.Unix()})
	require.NotContains(t, got, int64(6), "nothing is answered after close")
	require.Equal(t, before, list(t, own))

	got = talk(t, run, t.TempDir(), getLine(1, id("a")))
	require.False(t, got[1].Miss, "what was taken is the run's")
}

// EVID-08: what is damaged or not what its name says is not taken.
func TestDamagedIsNotTaken(t *testing.T) {
	for name, damage := range map[string]func(action, output string) error{
		"changed":     func(_, o string) error { return os.WriteFile(o, []byte("CONTENT"), 0o600) },
		"cut":         func(_, o string) error { return os.Truncate(o, 3) },
		"longer":      func(_, o string) error { return os.WriteFile(o, []byte("content and more"), 0o600) },
		"gone":        func(_, o string) error { return os.Remove(o) },
		"a link":      func(_, o string) error { return os.Rename(o, o+"x") },
		"a folder":    func(_, o string) error { return os.Rename(filepath.Dir(o), filepath.Dir(o)+"x") },
		"entry empty": func(a, _ string) error { return os.Truncate(a, 0) },
		"of another": func(a, _ string) error {
			return os.WriteFile(a, entry{id("content"), 7, time.Now()}.line(id("z")), 0o600)
		},
		"short hash": func(a, _ string) error { return os.WriteFile(a, fmt.Appendf(nil, "v1 %x 00 7 1\n", id("a")), 0o600) },
		"upwards": func(a, _ string) error {
			return os.WriteFile(a, fmt.Appendf(nil, "v1 %x ../../x 7 1\n", id("a")), 0o600)
		},
		"negative": func(a, _ string) error {
			return os.WriteFile(a, fmt.Appendf(nil, "v1 %x %x -1 1\n", id("a"), id("content")), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			run, own := t.TempDir(), dir(t.TempDir())
			require.NoError(t, own.put(id("a"), entry{id("content"), 7, time.Unix(3, 0)}, strings.NewReader("content")))
			require.NoError(t, damage(own.file(id("a"), "a"), own.file(id("content"), "d")))
			require.True(t, talk(t, run, string(own), getLine(1, id("a")))[1].Miss)
			require.Empty(t, list(t, run), "and leaves nothing behind")
		})
	}
}

func TestWrongRequests(t *testing.T) {
	run := t.TempDir()
	for name, line := range map[string]string{
		"no action":    `{"ID":1,"Command":"get"}`,
		"short action": `{"ID":1,"Command":"put","ActionID":"AA==","OutputID":"AA=="}`,
		"unknown":      strings.Replace(getLine(1, id("a")), `"get"`, `"drop"`, 1),
		"wrong hash":   strings.Replace(putLines(1, id("a"), "abcd"), base64.StdEncoding.EncodeToString([]byte("abcd")), base64.StdEncoding.EncodeToString([]byte("abce")), 1),
		"wrong size":   strings.Replace(putLines(1, id("a"), "abcd"), `"BodySize":4`, `"BodySize":5`, 1),
	} {
		require.NotEmpty(t, talk(t, run, t.TempDir(), line)[1].Err, name)
		require.Empty(t, list(t, run), name)
	}
	require.Error(t, serve(dir(run), dir(run), strings.NewReader("{"), &bytes.Buffer{}, at(1)))
	require.Equal(t, 2, Main(nil, nil, nil, &bytes.Buffer{}, time.Now))
}

func TestProgramIsQuoted(t *testing.T) {
	require.Equal(t, `'/a b/wf' '__gocache' "/it's" '/c'`, Program("/a b/wf", "/it's", "/c"))
	require.Empty(t, Program("/wf", `/'"`, "/c"))
	require.Empty(t, Program("/wf", "", "/c"))
}

// A lent cache is read through links, so that nothing of it can be written; a
// copy is a copy; of both only entries and contents are taken.
func TestLend(t *testing.T) {
	run := t.TempDir()
	require.NoError(t, dir(run).put(id("a"), entry{id("content"), 7, time.Unix(3, 0)}, strings.NewReader("content")))
	require.NoError(t, os.WriteFile(filepath.Join(run, "planted"), nil, 0o600))
	for name, lend := range map[string]func(context.Context, string, string, time.Time) error{"lend": Lend, "copy": Copy} {
		to := t.TempDir()
		require.NoError(t, lend(t.Context(), run, to, time.Unix(9, 0)), name)
		e, ok := dir(to).entry(id("a"))
		require.True(t, ok, name)
		info, err := os.Lstat(dir(to).file(e.output, "d"))
		require.NoError(t, err, name)
		require.Equal(t, name == "lend", info.Mode()&os.ModeSymlink != 0)
		info, err = os.Lstat(dir(to).file(id("a"), "a"))
		require.NoError(t, err)
		require.True(t, info.Mode().IsRegular(), "go writes an entry anew with -a")
		require.NoFileExists(t, filepath.Join(to, "planted"))
		require.FileExists(t, filepath.Join(to, "testexpire.txt"))
	}
	require.NoError(t, Lend(t.Context(), filepath.Join(run, "nowhere"), t.TempDir(), time.Now()), "nothing is filled yet")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Lend(ctx, run, t.TempDir(), time.Now()), context.Canceled)
}

// TestGoUsesIt holds wf's side of the protocol and of the layout against the go
// that is here: a second run, whose own cache is empty, compiles nothing.
func TestGoUsesIt(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	tree, operator := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.test/tiny\n\ngo 1.24\n", "tiny.go": "package tiny\n\nfunc Two() int { return 2 }\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(tree, name), []byte(text), 0o600))
	}
	build := func(env ...string) string {
		c := exec.Command("go", "build", "-x", "./...")
		c.Dir, c.Env = tree, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GOTOOLCHAIN=local", "GOFLAGS=-buildvcs=false"}, env...)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	const compile = "/compile -o"
	require.Contains(t, build("GOCACHE="+operator), compile)
	run := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.Mkdir(run, 0o700))
	require.NotContains(t, build("GOCACHE="+run, "GOCACHEPROG="+Program(self, run, operator)), compile)
	gate := t.TempDir()
	require.NoError(t, Lend(t.Context(), run, gate, time.Now()))
	require.NotContains(t, build("GOCACHE="+gate), compile)
	require.NoError(t, os.WriteFile(filepath.Join(tree, "tiny.go"), []byte("package tiny\n\nfunc Two() int { return 3 }\n"), 0o600))
	require.Contains(t, build("GOCACHE="+gate), compile)
}

func FuzzEntry(f *testing.F) {
	f.Add(entry{id("content"), 7, time.Unix(3, 0)}.line(id("a")))
	f.Add([]byte("v1 00 00 1 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, ok := parseEntry(data, id("a")); ok {
			again, ok := parseEntry(e.line(id("a")), id("a"))
			require.True(t, ok)
			require.Equal(t, e, again)
		}
	})
}
