package evidence

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/materializer/evidence/gocache"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/planner"
)

// Caches are what gates of one run share without being able to write it: a Go
// build cache, and how gates fared on start commits.
//
// The build cache is filled by compiling start commits; nothing that a commit
// holds is executed then. What a fill lacks comes from the operator's own cache
// where there is one; no gate sees that. A gate reads the run's cache and writes
// to one of its own, which is thrown away, so that what an agent's code writes
// into a cache no later gate reads. (EVID-08)
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

// seed gives a gate that uses Go a build cache of its own, which begins with
// what the run's holds. shared is a folder that the gate must be able to read.
func seed(ctx context.Context, h Host, j Job, p places) (shared string, err error) {
	if h.Caches == nil {
		return "", nil
	}
	argv := compiling(j.Gate, p.tree)
	if argv == nil {
		return "", nil
	}
	if err := h.Caches.fill(ctx, h, j, argv); err != nil {
		return "", err
	}
	run := h.Caches.gocache()
	if !h.confined() {
		return "", gocache.Copy(ctx, run, p.gocache, h.Now())
	}
	return run, gocache.Lend(ctx, run, p.gocache, h.Now())
}

// confined reports whether something keeps a gate from writing where it may not.
func (h Host) confined() bool {
	return h.Sandbox.Backend != sandbox.Unconfined && h.Sandbox.Backend != ""
}

var goScript = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bgo (test|vet|build|run|install)\b`) })

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
	case g.Shell != "" && goScript().MatchString(g.Script),
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
	a := attempt{argv: argv, env: targets(j.Gate.Env), gocache: c.gocache()}
	if h.GoCache != "" && h.confined() {
		// Without a sandbox a unit could have written to the operator's cache.
		a.program, a.reads = gocache.Program(h.Self, c.gocache(), h.GoCache), []string{h.Self, h.GoCache}
	}
	spec, why := confine(h, b, p, a)
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
