package evidence

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/planner"
)

// Caches are what gates of one run share without being able to write it: a Go
// build cache, and how gates fared on start commits.
//
// The build cache is filled by compiling start commits; nothing that a commit
// holds is executed then. A gate gets a copy and throws it away, so that what
// an agent's code writes into a cache no later gate reads. (EVID-08)
//
// The rejected design filled it by running the gate itself on the start commit:
// its tests, some of them an earlier ticket's, could then write what the gates
// of others read.
type Caches struct {
	dir  string
	turn chan struct{} // holds one: who fills

	mu        sync.Mutex
	filled    map[string]bool
	baselines map[string]*baseline
}

type baseline struct {
	done    chan struct{}
	outcome Outcome
	err     error
}

// NewCaches keeps caches below a folder that no unit and no gate can write. It
// may hold what an earlier run left there.
func NewCaches(dir string) *Caches {
	return &Caches{dir: dir, turn: make(chan struct{}, 1), filled: map[string]bool{}, baselines: map[string]*baseline{}}
}

func (c *Caches) gocache() string { return filepath.Join(c.dir, "go") }

// seed gives a gate that uses Go a copy of the build cache.
func seed(ctx context.Context, h Host, j Job, p places) error {
	if h.Caches == nil {
		return nil
	}
	argv := compiling(j.Gate, p.tree)
	if argv == nil {
		return nil
	}
	if err := h.Caches.fill(ctx, h, j, argv); err != nil {
		return err
	}
	if err := copyTree(ctx, h.Caches.gocache(), p.gocache); err != nil {
		return err
	}
	// Results of tests are never taken from a cache: go ignores those that are
	// older than this, in nanoseconds, which is the latest it can read.
	return os.WriteFile(filepath.Join(p.gocache, "testexpire.txt"), []byte("9223372036854775807\n"), 0o600)
}

var goScript = regexp.MustCompile(`\bgo (test|vet|build|run|install)\b`)

// compiling is the command that compiles what a gate will need, and runs nothing
// of it; nil where there is none. go.mod is looked for where go is not named.
func compiling(g planner.Gate, tree string) []string {
	risky := func(word string) bool {
		name := strings.TrimLeft(word, "-")
		return word != name && (strings.HasPrefix(name, "exec") || strings.HasPrefix(name, "toolexec") || strings.HasPrefix(name, "vettool") || strings.HasPrefix(name, "overlay"))
	}
	switch {
	case slices.ContainsFunc(g.Argv, risky):
		return nil
	case isGoTest(g):
		return append([]string{"go", "test", "-exec=true"}, g.Argv[2:]...)
	case g.Shell == "" && len(g.Argv) > 1 && g.Argv[0] == "go" && (g.Argv[1] == "vet" || g.Argv[1] == "build"):
		return g.Argv
	case g.Shell != "" && goScript.MatchString(g.Script),
		g.Shell == "" && len(g.Argv) > 0 && g.Argv[0] == "make":
		if _, err := os.Lstat(filepath.Join(tree, filepath.FromSlash(g.Workdir), "go.mod")); err == nil {
			return []string{"go", "test", "-exec=true", "./..."}
		}
	}
	return nil
}

// fill compiles the start commit once for each command, one at a time. Whether
// that ends well is of no account: what is missing the gate compiles itself.
func (c *Caches) fill(ctx context.Context, h Host, j Job, argv []string) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	key := strings.Join(append([]string{j.Start, j.Gate.Workdir}, argv...), "\x00")
	if c.filled[key] {
		return nil
	}
	if err := c.compile(ctx, h, j, argv); err != nil {
		return err
	}
	c.filled[key] = true
	return nil
}

func (c *Caches) compile(ctx context.Context, h Host, j Job, argv []string) error {
	if err := os.MkdirAll(c.gocache(), 0o700); err != nil {
		return err
	}
	p, err := makePlaces(h)
	defer p.remove()
	if err != nil {
		return err
	}
	if err := j.Repo.Checkout(ctx, j.Start, p.tree); err != nil {
		return err
	}
	b := j
	b.Gate.Network, b.Record = nil, j.Record+"#compile"
	spec, why := confine(h, b, p, attempt{argv: argv, env: targets(j.Gate.Env), gocache: c.gocache()})
	if why != "" {
		return nil // the gate meets the same and says so
	}
	var out stream
	spec.Stdout, spec.Stderr = &out, &out
	_, _ = start(ctx, h, spec, b)
	return ctx.Err()
}

// targets are the variables of a gate that say what is compiled for; others may
// name programs to be run.
func targets(env []planner.EnvVar) []planner.EnvVar {
	var out []planner.EnvVar
	for _, v := range env {
		if slices.Contains([]string{"GOOS", "GOARCH", "CGO_ENABLED", "GOEXPERIMENT"}, v.Name) {
			out = append(out, v)
		}
	}
	return out
}

// copyTree copies regular files. go may be filling the folder meanwhile: it
// writes so that a half-written file is not taken for a whole one.
func copyTree(ctx context.Context, from, to string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case d.Type().IsRegular():
			return copyFile(path, target)
		}
		return nil
	})
	return err
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// baseline asks once per key; who comes while it is being asked waits. An answer
// that was cut short is not remembered.
func (c *Caches) baseline(ctx context.Context, key string, ask func() (Outcome, error)) (Outcome, error) {
	for {
		c.mu.Lock()
		b, asked := c.baselines[key]
		if !asked {
			b = &baseline{done: make(chan struct{})}
			c.baselines[key] = b
		}
		c.mu.Unlock()
		if !asked {
			b.outcome, b.err = ask()
			c.forget(key, b)
			close(b.done)
			return b.outcome, b.err
		}
		select {
		case <-b.done:
			if b.err == nil {
				return b.outcome, nil
			}
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func (c *Caches) forget(key string, b *baseline) {
	if b.err == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.baselines, key)
}
