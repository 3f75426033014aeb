package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a waiting writer asks again. flock has no wait that a
// context can end.
const lockPoll = 5 * time.Millisecond

// writing runs f under the one lock that all git writes of wf share in a common
// folder. Parallel `git worktree add` otherwise fails on git's own locks, which
// do not wait.
//
// Loose objects are written without it: git makes them under a temporary name
// and renames, and the same content gets the same name.
func (r *Repo) writing(ctx context.Context, f func() error) error {
	if err := r.private(); err != nil {
		return err
	}
	path := filepath.Join(r.scratch, "write.lock")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return ioError("take the git write lock", err)
	}
	defer file.Close()
	if err := waitLock(ctx, file); err != nil {
		return err
	}
	return f()
}

func waitLock(ctx context.Context, file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return ioError("take the git write lock", err)
		}
		select {
		case <-ctx.Done():
			return &Error{Kind: Locked, What: file.Name(), Why: "another wf writes to this repository", Err: ctx.Err()}
		case <-time.After(lockPoll):
		}
	}
}
