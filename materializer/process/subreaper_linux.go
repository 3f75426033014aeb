package process

import (
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

var subreaper atomic.Bool

// BecomeSubreaper makes orphans among our descendants our own children, so
// that a program which leaves group, session and environment behind is still
// found. From then on the process must start others through this package
// alone: an ended child that Start did not start is taken for an orphan and
// waited for. Linux only.
func BecomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become child subreaper: %w", err)
	}
	subreaper.Store(true)
	return nil
}

// buryOrphans waits for orphans that have ended, so that they do not stay in
// the process table as long as we run.
func buryOrphans() {
	if !subreaper.Load() {
		return
	}
	children.Lock()
	defer children.Unlock()
	all, err := table()
	if err != nil {
		return
	}
	for _, e := range all {
		if e.dead && e.parent == os.Getpid() && !live.has(e.id.PID) {
			_, _ = unix.Wait4(e.id.PID, nil, unix.WNOHANG, nil)
		}
	}
}
