package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Checkout writes the files of a commit or tree into dir, which must not exist
// or be empty. There is no .git in it and nothing leads back to the repository:
// gates run there.
func (r *Repo) Checkout(ctx context.Context, commit, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ioError("make "+dir, err)
	}
	dir, err := resolve(dir)
	if err != nil {
		return ioError("find "+dir, err)
	}
	// Into an empty folder no file can be written through a link: a tree cannot
	// hold a link and something below it.
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return occupied(dir, "a checkout needs an empty folder")
	}
	index, done, err := r.tempIndex()
	if err != nil {
		return err
	}
	defer done()
	return r.checkout(ctx, dir, index, commit)
}

// tempIndex names an index that nobody else uses.
func (r *Repo) tempIndex() (path string, done func(), err error) {
	if err := r.private(); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(filepath.Join(r.scratch, "indexes"), ".tmp-")
	if err != nil {
		return "", nil, ioError("make an index", err)
	}
	return filepath.Join(dir, "index"), func() { os.RemoveAll(dir) }, nil
}

// Reset brings a worktree to a commit: the .git file, HEAD, the branch, the
// unit's index and the files are as if the commit had just been checked out.
// Untracked and ignored files go, but the ignored ones keep says yes to
// (slash-separated paths; nil keeps none).
//
// What the unit made is gone afterwards; the caller salvages before.
func (r *Repo) Reset(ctx context.Context, w Worktree, commit string, keep func(path string) bool) error {
	return r.writing(ctx, func() error {
		if err := r.mendLinks(ctx, w, commit); err != nil {
			return err
		}
		if err := r.sweep(ctx, w, commit, keep); err != nil {
			return err
		}
		if err := r.checkout(ctx, w.Path, w.index, commit); err != nil {
			return err
		}
		return r.lendIndex(w)
	})
}

// mendLinks restores what ties the folder to the repository.
func (r *Repo) mendLinks(ctx context.Context, w Worktree, commit string) error {
	rec, ok, err := r.loadRecord(w.Path)
	if err != nil {
		return err
	}
	if !ok || !rec.Ready || rec.Owner != w.Owner {
		return occupied(w.Path, "wf has no record of making it")
	}
	if !w.dotGitIntact() {
		if err := removeTree(filepath.Join(w.Path, ".git")); err != nil {
			return ioError("mend "+w.Path, err)
		}
		if err := writeFile(filepath.Join(w.Path, ".git"), w.dotGit()); err != nil {
			return ioError("mend "+w.Path, err)
		}
	}
	for _, f := range []struct{ name, text string }{{"commondir", "../..\n"}, {"gitdir", filepath.Join(w.Path, ".git") + "\n"}} {
		if err := writeFile(filepath.Join(w.admin, f.name), []byte(f.text)); err != nil {
			return ioError("mend "+w.admin, err)
		}
	}
	for _, name := range []string{"index.lock", "HEAD.lock", "config.worktree", "locked", "MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply", "sequencer"} {
		if err := os.RemoveAll(filepath.Join(w.admin, name)); err != nil {
			return ioError("mend "+w.admin, err)
		}
	}
	if err := r.saveRecord(rec); err != nil {
		return err
	}
	return r.mendHead(ctx, w, commit)
}

func (r *Repo) mendHead(ctx context.Context, w Worktree, commit string) error {
	if w.Branch == "" {
		_, err := r.must(ctx, r.real(r.common, "update-ref", "--no-deref", w.headRef(), commit))
		return err
	}
	ref := "refs/heads/" + w.Branch
	if _, err := r.must(ctx, r.real(r.common, "symbolic-ref", w.headRef(), ref)); err != nil {
		return err
	}
	_, err := r.must(ctx, r.real(r.gitDir, "update-ref", "--no-deref", ref, commit))
	return err
}

// sweep removes what the commit does not have. It goes through os.Root: a link
// the unit planted leads nowhere.
func (r *Repo) sweep(ctx context.Context, w Worktree, commit string, keep func(string) bool) error {
	if _, err := r.in(ctx, w, "", "read-tree", "--reset", commit); err != nil {
		return err
	}
	s, err := r.list(ctx, w)
	if err != nil {
		return err
	}
	ignored, err := r.others(ctx, w, "--ignored", "--exclude-per-directory=.gitignore")
	if err != nil {
		return err
	}
	// Only an ignored file may stay: an untracked one that nothing ignores is
	// work, and work does not outlive a reset by a setting.
	doomed := append(s.others, s.modules...)
	for _, p := range ignored {
		if keep == nil || !keep(strings.TrimSuffix(p, "/")) {
			doomed = append(doomed, p)
		}
	}
	root, err := os.OpenRoot(w.Path)
	if err != nil {
		return ioError("clean "+w.Path, err)
	}
	defer root.Close()
	for _, p := range doomed {
		if err := removeBelow(root, strings.TrimSuffix(p, "/")); err != nil {
			return ioError("clean "+w.Path, err)
		}
	}
	return r.sweepFolders(ctx, w, root)
}

// sweepFolders removes folders that hold nothing any more.
func (r *Repo) sweepFolders(ctx context.Context, w Worktree, root *os.Root) error {
	dirs, err := r.others(ctx, w, "--directory")
	for _, d := range dirs {
		if d, ok := strings.CutSuffix(d, "/"); ok {
			pruneEmpty(root, d)
		}
	}
	return err
}

// pruneEmpty removes dir and the folders in it as far as they are empty.
func pruneEmpty(root *os.Root, dir string) {
	f, err := root.Open(dir)
	if err != nil {
		return
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			pruneEmpty(root, dir+"/"+e.Name())
		}
	}
	_ = root.Remove(dir) // refuses what is not empty
}

// removeBelow removes a path with everything in it, opening folders that chmod closed.
func removeBelow(root *os.Root, p string) error {
	if err := root.RemoveAll(p); err == nil {
		return nil
	}
	openFolders(root, p)
	return root.RemoveAll(p)
}

func openFolders(root *os.Root, dir string) {
	info, err := root.Lstat(dir)
	if err != nil || !info.IsDir() || root.Chmod(dir, 0o700) != nil {
		return
	}
	f, err := root.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	for _, e := range entries {
		openFolders(root, dir+"/"+e.Name())
	}
}
