package worktree

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Registration is one entry of git's own list of worktrees, ours or not.
type Registration struct {
	Path     string
	Head     string
	Branch   string // short name; empty: detached
	Bare     bool
	Locked   bool
	Prunable bool // its folder is gone
}

// Registered lists every worktree git knows of, the main checkout first.
func (r *Repo) Registered(ctx context.Context) ([]Registration, error) {
	out, err := r.must(ctx, r.real(r.common, "worktree", "list", "--porcelain", "-z"))
	if err != nil {
		return nil, err
	}
	var list []Registration
	for _, f := range fields(out) {
		key, value, _ := strings.Cut(f, " ")
		if key == "worktree" {
			list = append(list, Registration{Path: value})
			continue
		}
		if len(list) > 0 {
			list[len(list)-1].set(key, value)
		}
	}
	return list, nil
}

func (t *Registration) set(key, value string) {
	switch key {
	case "HEAD":
		t.Head = value
	case "branch":
		t.Branch = strings.TrimPrefix(value, "refs/heads/")
	case "bare":
		t.Bare = true
	case "locked":
		t.Locked = true
	case "prunable":
		t.Prunable = true
	}
}

// List gives the worktrees our records own, by path. The half-made are left out;
// the next Add with the same path rolls them back.
func (r *Repo) List() ([]Worktree, error) {
	dir := filepath.Join(r.scratch, recordsDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, ioError("list worktrees", err)
	}
	var list []Worktree
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		var rec record
		if err != nil || json.Unmarshal(data, &rec) != nil || !rec.Ready {
			continue
		}
		list = append(list, r.worktree(rec))
	}
	slices.SortFunc(list, func(a, b Worktree) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// Find gives the worktree recorded for a path; ok is false when there is none.
func (r *Repo) Find(path string) (w Worktree, ok bool, err error) {
	abs, err := absent(path)
	if err != nil {
		return Worktree{}, false, err
	}
	rec, ok, err := r.loadRecord(abs)
	if err != nil || !ok || !rec.Ready {
		return Worktree{}, false, err
	}
	return r.worktree(rec), true, nil
}
