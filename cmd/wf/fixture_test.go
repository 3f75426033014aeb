package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// fixtures are small repositories, one a txtar file.
var fixtures = filepath.Join("..", "..", "testdata", "script", "repos")

func layFixture(name, dir string) error {
	archive, err := txtar.ParseFile(filepath.Join(fixtures, name+".txtar"))
	if err != nil {
		return err
	}
	for _, f := range archive.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// layOperator makes a key pair, without any program, and names it in the repository.
func layOperator(dir, key string) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := ssh.MarshalPrivateKey(private, "ann@example.org")
	if err != nil {
		return err
	}
	if err := os.WriteFile(key, pem.EncodeToMemory(block), 0o600); err != nil {
		return err
	}
	line, err := ssh.NewPublicKey(public)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "policies"), 0o755); err != nil {
		return err
	}
	text := `ann@example.org namespaces="wf-plan,wf-decision" ` + string(bytes.TrimSpace(ssh.MarshalAuthorizedKey(line))) + " groups=security\n"
	return os.WriteFile(filepath.Join(dir, "policies", "operators"), []byte(text), 0o644)
}

// fingerprint is a checkout bit for bit: every file's mode, size, time and
// digest, the index and HEAD among them. wf's own part of .git, objects, refs
// of wf and records of worktrees are left out.
func fingerprint(dir string) (string, error) {
	var lines []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch {
		case slices.Contains([]string{".git/wf", ".git/objects", ".git/worktrees", ".git/refs/wf", ".git/refs/heads/wf", ".git/logs/refs/heads/wf", ".git/logs/refs/wf"}, rel):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		line, err := fileLine(path, rel)
		lines = append(lines, line)
		return err
	})
	slices.Sort(lines)
	return strings.Join(lines, "\n"), err
}

func fileLine(path, rel string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	var data []byte
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		data = []byte(target)
	} else if data, err = os.ReadFile(path); err != nil {
		return "", err
	}
	return fmt.Sprintf("%q %s %d %x", rel, info.Mode(), info.ModTime().UnixNano(), sha256.Sum256(data)), nil
}

// world is a repository of a Go test, with the wf of this test binary.
type world struct {
	t    testing.TB
	work string // everything lies below it
	repo string
	wf   string
	env  []string
}

func newWorld(t testing.TB, fixture string) *world {
	t.Helper()
	work := t.TempDir()
	wf, err := exec.LookPath("wf")
	require.NoError(t, err)
	w := &world{t: t, work: work, repo: filepath.Join(work, "repo"), wf: wf, env: append(cleanEnv(work), "PATH="+os.Getenv("PATH"))}
	require.NoError(t, os.MkdirAll(filepath.Join(work, "home"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(work, "tmp"), 0o700))
	w.env = append(w.env, "TMPDIR="+filepath.Join(work, "tmp"))
	require.NoError(t, layFixture(fixture, w.repo))
	w.git("init", "-q", "-b", "main")
	w.commit("first")
	return w
}

func (w *world) commit(message string) {
	w.git("add", "-A")
	w.git("commit", "-q", "-m", message)
}

func (w *world) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.Env = w.repo, w.env
	return c
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	out, err := w.command("git", args...).CombinedOutput()
	require.NoError(w.t, err, "git %s: %s", strings.Join(args, " "), out)
	return string(out)
}

// run gives the exit status and what was printed.
func (w *world) run(args ...string) (int, string) {
	w.t.Helper()
	c := w.command(w.wf, args...)
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		require.NoError(w.t, err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

// must runs wf and holds its exit status.
func (w *world) must(want int, args ...string) string {
	w.t.Helper()
	got, out := w.run(args...)
	require.Equal(w.t, want, got, "wf %s: %s", strings.Join(args, " "), out)
	return out
}
