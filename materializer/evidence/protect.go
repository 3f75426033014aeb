package evidence

import (
	"context"
	"os"
	"path"
	"path/filepath"

	"github.com/seed9cc7a46e/wf/dsl/glob"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

// checkout writes the files a gate sees: a commit's, with the protected files of
// the start commit in place of its own. What defines and judges the work is
// never the candidate's. (EVID-08)
func checkout(ctx context.Context, j Job, commit string, p places) error {
	if err := j.Repo.Checkout(ctx, commit, p.tree); err != nil {
		return err
	}
	if commit == j.Start || j.Start == "" {
		return nil
	}
	changed, err := protectedChanges(ctx, j)
	if err != nil || len(changed) == 0 {
		return err
	}
	// Files are moved over from a second checkout, so that modes, links, sizes
	// and line ends are those that git writes.
	from := filepath.Join(p.root, "start")
	if err := j.Repo.Checkout(ctx, j.Start, from); err != nil {
		return err
	}
	for _, c := range changed {
		if err := restore(p, from, c.Path); err != nil {
			return err
		}
	}
	places{root: from}.remove()
	return nil
}

// protectedChanges lists what of the start commit's protected files the
// candidate changed, without what may_change lifts. New files stay: where they
// are not free, the scope contract has refused them before.
func protectedChanges(ctx context.Context, j Job) ([]worktree.Change, error) {
	protected, err := glob.CompileSet(j.Protected)
	if err != nil {
		return nil, err
	}
	lifted, err := glob.CompileSet(j.MayChange)
	if err != nil {
		return nil, err
	}
	changes, err := j.Repo.CompareTrees(ctx, j.Start, j.Commit)
	if err != nil {
		return nil, err
	}
	var out []worktree.Change
	for _, c := range changes {
		if c.Kind != worktree.Added && c.Old != worktree.Submodule && protected.Match(c.Path) && !lifted.Match(c.Path) {
			out = append(out, c)
		}
	}
	return out, nil
}

// restore puts one file of the start commit into the tree. What stands in its
// way goes: a folder of its name, a file or a link where a folder above it was.
func restore(p places, from, name string) error {
	root, err := os.OpenRoot(p.tree)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, above := range foldersOf(name) {
		if info, err := root.Lstat(above); err == nil && !info.IsDir() {
			if err := root.Remove(above); err != nil {
				return err
			}
		}
	}
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	// No link is left above the name, and nothing runs here yet that could make one.
	return os.Rename(filepath.Join(from, name), filepath.Join(p.tree, name))
}

// foldersOf lists the folders above a path, outermost first.
func foldersOf(name string) []string {
	var out []string
	for i, r := range name {
		if r == '/' {
			out = append(out, name[:i])
		}
	}
	return out
}
