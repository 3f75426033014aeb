package statedir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"golang.org/x/sys/unix"
)

// Lock is the right to carry out a run. The system takes it back when the
// process ends, however it ends.
type Lock struct{ file *os.File }

// Holder is who holds, or last held, a run's lock.
type Holder struct {
	Process process.Identity `json:"process"`
	Alive   bool             `json:"-"` // as far as this host can tell
}

// LockedBy says that another process carries out the run. It maps to exit code 6.
type LockedBy struct {
	Run    string
	Holder Holder
}

// Error names the holder and the ways out.
func (e *LockedBy) Error() string {
	if e.Holder.Process.PID == 0 {
		return fmt.Sprintf("run %s is being carried out by another process: wait for it, or see `wf status`", e.Run)
	}
	state := "which runs"
	if !e.Holder.Alive {
		state = "which has ended; something it started still holds the lock"
	}
	return fmt.Sprintf("run %s is held by process %d, %s: wait for it, stop it with `wf stop`, or see `wf status`", e.Run, e.Holder.Process.PID, state)
}

// Lock takes the run's lock, or answers *LockedBy. The lock is flock's: it needs
// no cleaning up after a kill, so a lock file that lies around never stops
// anybody; what is written in it only says who holds it.
func (r *Run) Lock() (*Lock, error) {
	for tries := 0; ; tries++ {
		f, err := r.flock(unix.LOCK_EX)
		if errors.Is(err, unix.EWOULDBLOCK) {
			if tries < probeTries {
				time.Sleep(probeWait)
				continue
			}
			return nil, &LockedBy{Run: r.ID, Holder: r.holder()}
		}
		if err == nil {
			if err = announce(f); err != nil {
				f.Close()
			}
		}
		if err != nil {
			return nil, fmt.Errorf("lock run %s: %w", r.ID, err)
		}
		if r.current(f) {
			return &Lock{file: f}, nil
		}
		f.Close() // ForceUnlock took the file away between opening and locking it
	}
}

// A probe by Holder takes the lock for an instant; Lock does not mistake that
// for a runner.
const (
	probeTries = 10
	probeWait  = 5 * time.Millisecond
)

func (r *Run) flock(how int) (*os.File, error) {
	rel := r.rel("lock")
	if err := r.dir.noLinks(rel); err != nil {
		return nil, err
	}
	f, err := r.dir.root.OpenFile(rel, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, fileMode)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// current reports whether the locked file is still the one under the name.
func (r *Run) current(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := r.dir.root.Lstat(r.rel("lock"))
	return err == nil && os.SameFile(mine, named)
}

// announce writes who holds the lock into its file, in place: another file under
// the name would be another lock.
func announce(f *os.File) error {
	data, err := json.Marshal(Holder{Process: process.Self()})
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.WriteAt(append(data, '\n'), 0); err != nil {
		return err
	}
	return errors.Join(f.Chmod(fileMode), f.Sync())
}

// Release gives the lock back.
func (l *Lock) Release() error { return l.file.Close() }

// Holder tells who holds the run's lock now; ok is false when nobody does.
func (r *Run) Holder() (h Holder, ok bool, err error) {
	f, err := r.flock(unix.LOCK_SH)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return r.holder(), true, nil
	}
	if err != nil {
		return Holder{}, false, fmt.Errorf("look at the lock of run %s: %w", r.ID, err)
	}
	return Holder{}, false, f.Close()
}

func (r *Run) holder() Holder {
	var h Holder
	data, err := r.dir.read(r.rel("lock"))
	if err != nil || json.Unmarshal(data, &h) != nil {
		return Holder{}
	}
	h.Alive = h.Process.Alive()
	return h
}

// ForceUnlock takes a lock from a holder that has ended: something the runner
// started inherited the lock and lives on. It answers *LockedBy while the holder
// runs, or when it cannot be told who it is. Whoever still has the old file open
// keeps a lock on nothing.
func (r *Run) ForceUnlock() error {
	h, held, err := r.Holder()
	if err != nil || !held {
		return err
	}
	if h.Alive || h.Process.PID == 0 {
		return &LockedBy{Run: r.ID, Holder: h}
	}
	if err := r.dir.root.Remove(r.rel("lock")); err != nil {
		return fmt.Errorf("unlock run %s: %w", r.ID, err)
	}
	return r.dir.sync("runs/" + r.ID)
}
