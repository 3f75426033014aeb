//go:build linux || darwin

package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Handle is one started process.
type Handle struct {
	spec    Spec
	id      Identity
	cmd     *exec.Cmd
	streams *streams
	begun   time.Time

	exited chan struct{} // the program itself has ended
	done   chan struct{} // result is complete

	mu       sync.Mutex
	stopping bool
	known    map[int]Identity // descendants seen before the stop
	timedOut bool

	result Result
}

// Run starts a process, waits until it and everything it started has ended,
// and says how. The error is a *StartError: nothing ran. When ctx ends the
// process is stopped with Spec.Grace.
func Run(ctx context.Context, spec Spec) (Result, error) {
	h, err := Start(ctx, spec)
	if err != nil {
		return Result{}, err
	}
	return h.Wait(), nil
}

// Start starts a process in a session of its own, without a terminal. The
// caller must call Wait. When ctx ends the process is stopped with Spec.Grace.
func Start(ctx context.Context, spec Spec) (*Handle, error) {
	defer closeAll(spec.ExtraFiles)
	h, err := prepare(spec)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		h.streams.abandon()
		return nil, &StartError{Other, h.cmd.Path, err}
	}
	started := make(chan error, 1)
	go h.own(started)
	if err := <-started; err != nil {
		return nil, err
	}
	go h.follow(ctx)
	return h, nil
}

// Identity names the program itself.
func (h *Handle) Identity() Identity { return h.id }

// Done is closed when Wait would not block.
func (h *Handle) Done() <-chan struct{} { return h.done }

// Wait blocks until the program and everything it started has ended. It may be
// called more than once and from several goroutines.
func (h *Handle) Wait() Result {
	<-h.done
	return h.result
}

// Stop asks the process group to end with Spec.Interrupt, kills everything
// that is left after grace, and waits. A grace of zero or less kills at once,
// also when an earlier Stop is still waiting.
func (h *Handle) Stop(grace time.Duration) Result {
	h.remember()
	if grace > 0 {
		h.signal(h.interrupt())
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-h.exited:
			return h.Wait()
		case <-timer.C:
			h.remember() // what was started while it ended
		}
	}
	h.signal(syscall.SIGKILL)
	return h.Wait()
}

func (h *Handle) interrupt() syscall.Signal {
	if s, ok := h.spec.Interrupt.(syscall.Signal); ok {
		return s
	}
	return syscall.SIGTERM
}

// remember marks the handle as stopping and notes who descends from the
// program while the line of parents is still whole: once the program has
// ended, its children belong to somebody else.
func (h *Handle) remember() {
	all, err := table()
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.exited:
		return // it ended by itself; that is not a stop
	default:
	}
	h.stopping = true
	if err != nil {
		return // the search after the end says so, if it lasts
	}
	for _, e := range familyOf(all, map[int]bool{h.id.PID: true}) {
		h.known[e.id.PID] = e.id
	}
}

// signal reaches the whole group, unless the program was already waited for:
// its number may then name somebody else's group.
func (h *Handle) signal(s syscall.Signal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.exited:
	default:
		_ = unix.Kill(-h.id.PID, s) // ESRCH: it ended between the two lines
	}
}

// follow stops the process when the context ends first.
func (h *Handle) follow(ctx context.Context) {
	select {
	case <-h.done:
	case <-ctx.Done():
		h.mu.Lock()
		h.timedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
		h.mu.Unlock()
		h.Stop(h.grace())
	}
}

func (h *Handle) grace() time.Duration {
	if h.spec.Grace == 0 {
		return DefaultGrace
	}
	return h.spec.Grace
}

// own starts the program and stays on its thread until it has ended. The
// system kills the program when the thread that started it ends
// (PR_SET_PDEATHSIG looks at threads), and Go ends threads as it likes.
func (h *Handle) own(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := h.start(); err != nil {
		started <- err
		return
	}
	started <- nil
	h.waitProgram()
	h.finish()
}

func (h *Handle) start() error {
	children.RLock()
	defer children.RUnlock()
	h.begun = time.Now()
	if err := h.cmd.Start(); err != nil {
		h.streams.abandon()
		return &StartError{reasonFor(err), h.cmd.Path, err}
	}
	h.streams.begin()
	id, err := identify(h.cmd.Process.Pid)
	if err != nil { // no process table: the pid is ours until we wait
		id = Identity{PID: h.cmd.Process.Pid, Boot: bootID()}
	}
	h.id = id
	live.add(id)
	return nil
}

func reasonFor(err error) Reason {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, fs.ErrPermission):
		return Permission
	}
	return Other
}

// waitProgram sees the program end without taking it from the process table,
// so that nobody can signal a stranger who got its number.
func (h *Handle) waitProgram() {
	awaitExit(h)
	h.mu.Lock()
	close(h.exited)
	h.result.Stopped = h.stopping
	h.result.TimedOut = h.timedOut
	h.mu.Unlock()
	h.result.Duration = time.Since(h.begun)
}

// finish ends what is left, then reads the last output, then completes the
// result. In this order: what is left may hold our pipes open for ever.
func (h *Handle) finish() {
	h.result.Leftover = h.endFamily()
	_ = h.cmd.Wait() // the state below says more than this error
	live.remove(h.id)
	h.readState(h.cmd.ProcessState)
	h.streams.end(&h.result)
	close(h.done)
}

func (h *Handle) readState(state *os.ProcessState) {
	h.result.Exit = -1
	if state == nil {
		h.result.Signal = "unknown"
		return
	}
	ws, ok := state.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		h.result.Signal = unix.SignalName(ws.Signal())
		return
	}
	h.result.Exit = state.ExitCode()
}
