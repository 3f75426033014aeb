package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Unlock removes the lock files that git left when the wf that carried a run
// out was killed: of wf's own refs, and of the run's worktrees. The caller holds
// the run, so that nobody else works on its trees; refs of wf are only written
// under the lock that is taken here. A lock of anybody else's is never touched.
func (r *Repo) Unlock(ctx context.Context, run string) error {
	return r.writing(ctx, func() error {
		for _, dir := range []string{BranchSpace, "refs/wf"} {
			if err := unlockBelow(filepath.Join(r.common, filepath.FromSlash(dir))); err != nil {
				return err
			}
		}
		names, err := filepath.Glob(filepath.Join(r.scratch, recordsDir, "*.json"))
		if err != nil {
			return ioError("list worktrees", err)
		}
		for _, name := range names {
			if err := r.unlockTree(name, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// unlockTree removes the locks of one recorded worktree, if it is the run's.
func (r *Repo) unlockTree(recordFile, run string) error {
	data, err := os.ReadFile(recordFile)
	if err != nil {
		return ioError("read a worktree's record", err)
	}
	var rec record
	if json.Unmarshal(data, &rec) != nil || rec.Owner.Run != run || rec.Admin == "" {
		return nil // another's, or one that Add refuses with its reason
	}
	for _, lock := range []string{filepath.Join(r.scratch, "indexes", rec.Admin+".lock"), filepath.Join(r.adminDir(rec.Admin), "index.lock"), filepath.Join(r.adminDir(rec.Admin), "HEAD.lock")} {
		if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return ioError("remove a stale lock", err)
		}
	}
	return nil
}

func unlockBelow(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".lock") {
			return err
		}
		return ioError("remove a stale lock", os.Remove(path))
	})
}
