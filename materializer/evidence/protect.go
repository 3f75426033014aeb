package evidence

import (
	"context"
	"os"
	"path/filepath"

	"github.com/seed9cc7a46e/wf/dsl/glob"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

// protect puts the protected files of the start commit into a gate's checkout:
// what defines and judges the work is never the candidate's. (STAGE, EVID-08)
func protect(ctx context.Context, j Job, dir string) error {
	protected, err := glob.CompileSet(j.Protected)
	if err != nil {
		return err
	}
	lifted, err := glob.CompileSet(j.MayChange)
	if err != nil {
		return err
	}
	changes, err := j.Repo.CompareTrees(ctx, j.Start, j.Commit)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, c := range changes {
		if c.Kind == worktree.Added || !protected.Match(c.Path) || lifted.Match(c.Path) {
			continue
		}
		if err := restore(ctx, j, root, c); err != nil {
			return err
		}
	}
	return nil
}

func restore(ctx context.Context, j Job, root *os.Root, c worktree.Change) error {
	data, err := j.Repo.ReadFile(ctx, j.Start, c.Path)
	if err != nil {
		return err
	}
	name := filepath.FromSlash(c.Path)
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if c.Old == worktree.Link {
		return root.Symlink(string(data), name)
	}
	mode := os.FileMode(0o644)
	if c.Old == worktree.Executable {
		mode = 0o755
	}
	return root.WriteFile(name, data, mode)
}
