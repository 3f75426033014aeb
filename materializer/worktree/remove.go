package worktree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Remove takes a worktree away, with everything in it. Its branch stays, so that
// recorded work is never lost by it; UpdateRef deletes a branch. Removing what
// is gone succeeds. It verifies afterwards.
//
// git is not asked to do it: `git worktree remove` reads the tree's .git file,
// which a unit may have rewritten, and starts `git status` there.
func (r *Repo) Remove(ctx context.Context, w Worktree) error {
	return r.writing(ctx, func() error {
		rec, ok, err := r.loadRecord(w.Path)
		if err != nil {
			return err
		}
		if !ok {
			if exists(w.Path) {
				return occupied(w.Path, "wf has no record of making it")
			}
			return nil
		}
		if rec.Owner != w.Owner {
			return occupied(w.Path, "wf made it for "+rec.Owner.Run+" "+rec.Owner.Ticket)
		}
		return r.unmake(rec)
	})
}

// rollBack takes back what an Add half made, with the branch when it was made
// for it and holds nothing yet.
func (r *Repo) rollBack(ctx context.Context, rec record) error {
	if rec.Admin == "" {
		// Killed between git's effect and the record of its name: the folder is ours
		// if git links it to us and nothing was written to it.
		if name, err := r.adminOf(rec.Path); err == nil {
			rec.Admin = name
		}
	}
	if rec.Admin == "" {
		rec.Admin = r.adminFor(rec.Path)
	}
	if rec.NewBranch && !rec.Ready {
		ref := "refs/heads/" + rec.Branch
		at, err := r.ReadRef(ctx, ref)
		if err != nil {
			return err
		}
		if at == rec.Commit {
			if err := r.updateRef(ctx, ref, at, ""); err != nil {
				return err
			}
		}
	}
	if rec.Admin == "" {
		// git had not begun: what lies at the path now, if anything, is not ours.
		_ = os.Remove(rec.Path) // only when empty
		return r.dropRecord(rec.Path)
	}
	return r.unmake(rec)
}

func (r *Repo) unmake(rec record) error {
	if err := removeTree(rec.Path); err != nil {
		return ioError("remove "+rec.Path, err)
	}
	if rec.Admin != "" {
		if err := removeTree(r.adminDir(rec.Admin)); err != nil {
			return ioError("remove the git folder of "+rec.Path, err)
		}
		if err := os.RemoveAll(filepath.Join(r.scratch, "indexes", rec.Admin)); err != nil {
			return ioError("remove the index of "+rec.Path, err)
		}
		_ = os.Remove(filepath.Join(r.common, "worktrees")) // as git does: only when empty
	}
	if exists(rec.Path) {
		return &Error{Kind: Stale, What: rec.Path, Why: "it is still there after removing it"}
	}
	return r.dropRecord(rec.Path)
}

// adminFor finds the admin folder whose gitdir file names path: what a killed
// `git worktree add` leaves when it got no further.
func (r *Repo) adminFor(path string) string {
	entries, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(r.adminDir(e.Name()), "gitdir"))
		if err == nil && strings.TrimSuffix(string(data), "\n") == filepath.Join(path, ".git") {
			return e.Name()
		}
	}
	return ""
}

// removeTree removes a folder whose own folders may have been closed with chmod.
// It follows no link.
func removeTree(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}
