package statedir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"golang.org/x/sys/unix"
)

// Lock is the right to carry out a run. The system takes it back when the
// process ends, however it ends.
type Lock struct {
	file *os.File
	run  *Run
}

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

// Lock takes the run's lock, or answers *LockedBy at once. The lock is flock's:
// it needs no cleaning up after a kill, so a lock file that lies around never
// stops anybody; what is written in it only says who holds it.
func (r *Run) Lock() (*Lock, error) {
	rel := r.rel("lock")
	if err := r.dir.noLinks(rel); err != nil {
		return nil, err
	}
	f, err := r.dir.root.OpenFile(rel, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, fileMode)
	if err != nil {
		return nil, fmt.Errorf("lock run %s: %w", r.ID, err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		f.Close()
		return nil, &LockedBy{Run: r.ID, Holder: r.holder()}
	}
	if err == nil {
		err = announce(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock run %s: %w", r.ID, err)
	}
	return &Lock{file: f, run: r}, nil
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
	lock, err := r.Lock()
	if held, is := errors.AsType[*LockedBy](err); is {
		return held.Holder, true, nil
	}
	if err != nil {
		return Holder{}, false, err
	}
	return Holder{}, false, lock.Release()
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
