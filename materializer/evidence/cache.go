package evidence

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Caches are the build caches that gates start from. A gate gets a copy and
// throws it away: what an agent's code writes into a cache, no later gate
// reads. The original is filled by running the same gate on the ticket's start
// commit, which also tells whether it passed there.
type Caches struct {
	dir string
	mu  sync.Mutex
	had map[string]*baseline
}

type baseline struct {
	once   sync.Once
	record Record
	err    error
}

// NewCaches keeps caches below a folder that no unit and no gate can write.
func NewCaches(dir string) *Caches { return &Caches{dir: dir, had: map[string]*baseline{}} }

// usesCache tells whether warming is worth a second run of the gate.
func usesCache(j Job) bool { return len(j.Gate.Argv) > 0 && j.Gate.Argv[0] == "go" }

// seed gives the gate a copy of the cache that its start commit left.
func seed(ctx context.Context, h Host, j Job, p places) (Record, error) {
	if h.Caches == nil || !usesCache(j) {
		return Record{}, nil
	}
	base, err := h.Caches.warm(ctx, h, j)
	if err != nil {
		return Record{}, err
	}
	if err := os.CopyFS(p.gocache, os.DirFS(h.Caches.of(j))); err != nil {
		return Record{}, fmt.Errorf("copy the build cache: %w", err)
	}
	return base, nil
}

func (c *Caches) of(j Job) string { return filepath.Join(c.dir, j.Start) }

// warm runs the gate on the start commit, once, in its turn: the caches of one
// start commit are written by one gate at a time.
func (c *Caches) warm(ctx context.Context, h Host, j Job) (Record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := j.Start + " " + j.Gate.Name
	b := c.had[key]
	if b == nil {
		b = &baseline{}
		c.had[key] = b
	}
	b.once.Do(func() { b.record, b.err = c.fill(ctx, h, j) })
	if ctx.Err() != nil {
		delete(c.had, key) // a stopped baseline says nothing
		return Record{}, ctx.Err()
	}
	return b.record, b.err
}

func (c *Caches) fill(ctx context.Context, h Host, j Job) (Record, error) {
	if err := os.MkdirAll(c.of(j), 0o700); err != nil {
		return Record{}, err
	}
	p, err := makePlaces(h)
	defer removeAll(p.root)
	if err != nil {
		return Record{}, err
	}
	if err := j.Repo.Checkout(ctx, j.Start, p.tree); err != nil {
		return Record{}, err
	}
	rec := Record{Format: 1, Name: j.Record, Gate: j.Gate.Name, Commit: j.Start, Start: j.Start, Tests: -1}
	p.gocache = c.of(j)
	spec, why := confine(h, j, p)
	if why != "" {
		rec.Outcome, rec.Reason = Broken, why
		return rec, nil
	}
	_, err = execute(ctx, spec, j, &rec)
	return rec, err
}
