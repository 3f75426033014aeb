package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// MarkerVariable is the environment variable that carries Spec.Marker.
const MarkerVariable = "WF_UNIT_MARK"

// DefaultGrace is the time between asking and killing where Spec.Grace is zero.
const DefaultGrace = 5 * time.Second

// DefaultOutputCap is how many bytes of each stream are kept where
// Spec.OutputCap is zero.
const DefaultOutputCap = 1 << 20

// Spec says what to start. The zero value of every field but Argv is usable.
type Spec struct {
	// Argv is the program and its arguments. A program without a slash is
	// looked up in the PATH of Env, one with a relative path in Dir.
	Argv []string
	// Env is the whole environment, as NAME=value. Nothing is inherited.
	Env []string
	// Dir is where it starts; empty is the caller's own folder.
	Dir string
	// Stdin is what it reads; nil is an empty file.
	Stdin io.Reader
	// Stdout and Stderr receive its output; nil keeps up to OutputCap bytes of
	// it in the Result. The same writer given twice is written by one goroutine.
	Stdout, Stderr io.Writer
	// OutputCap bounds each kept stream in bytes: the first and the last half
	// stay, what lies between is counted, dropped, and replaced by a mark.
	OutputCap int64
	// Grace is the time it has between being asked to end and being killed.
	// Zero means DefaultGrace, a negative value none.
	Grace time.Duration
	// Interrupt is what it is asked with, SIGTERM when nil. Some programs end
	// cleanly only on SIGINT.
	Interrupt os.Signal
	// Marker is a token of this process and no other, in letters, digits and
	// ._-/: . It is added to Env. Without it only the process group and what
	// still descends from it is ended, which is enough for short tools of wf's
	// own and spares a look at every environment.
	Marker string
	// ExtraFiles become descriptors 3, 4, … of the program. Start closes them.
	ExtraFiles []*os.File
	// System holds what only some platforms can do.
	System System
}

// System asks for what Linux alone can do; elsewhere Start refuses a non-zero
// one.
type System struct {
	// Cloneflags are namespaces to start in, as CLONE_NEW… bits.
	Cloneflags uintptr
	// UserMap and GroupMap map ids of a new user namespace.
	UserMap, GroupMap []IDMap
	// AmbientCaps are capability numbers that survive the start of a program
	// which is not root in its namespace.
	AmbientCaps []uintptr
}

// IDMap maps Size ids from Inside a user namespace to Outside.
type IDMap struct{ Inside, Outside, Size int }

// Result says how a process ended.
type Result struct {
	// Exit is its exit status, or -1 when a signal ended it.
	Exit int
	// Signal names the signal that ended it ("SIGKILL"); empty otherwise.
	Signal string
	// Duration is from start to the end of the program itself.
	Duration time.Duration
	// Stdout and Stderr are what was kept, where Spec named no writer.
	Stdout, Stderr []byte
	// Truncated says that some output was dropped.
	Truncated bool
	// TimedOut says that the context's deadline passed first.
	TimedOut bool
	// Stopped says that it was asked to end: by Stop, or by the context.
	Stopped bool
	// Leftover names what the program had left running and we killed.
	Leftover []Identity
	// Survivors names what could not be ended: hung inside the kernel, or
	// another user's. While there are any, what the process held is not free.
	Survivors []Identity
	// OutputErr is set when its output could not be delivered in full: a
	// writer failed, or something we may not kill holds the pipe.
	OutputErr error
}

// OK tells whether it ended by itself with status 0 and its output arrived.
func (r Result) OK() bool {
	return r.Exit == 0 && r.Signal == "" && !r.Stopped && r.OutputErr == nil && len(r.Survivors) == 0
}

// Reason is why a process could not be started.
type Reason int

// The reasons.
const (
	Other      Reason = iota // the system refused; see the wrapped error
	NotFound                 // no such program, or its interpreter is missing
	Permission               // the program or a namespace is not permitted
	BadFolder                // Spec.Dir is no folder
	BadSpec                  // the Spec is wrong
)

// StartError says that nothing was started, and why.
type StartError struct {
	Reason  Reason
	Program string
	Err     error
}

func (e *StartError) Error() string { return fmt.Sprintf("start %s: %v", e.Program, e.Err) }

// Unwrap gives the system's own error.
func (e *StartError) Unwrap() error { return e.Err }

// ReasonOf gives the reason inside err, and false when err is no StartError.
func ReasonOf(err error) (Reason, bool) {
	var e *StartError
	if !errors.As(err, &e) {
		return Other, false
	}
	return e.Reason, true
}

// LookPath finds a program the way Start does: as given when it holds a slash
// (relative to dir), else in the PATH of env. The path it returns is absolute
// when dir is. The error is a *StartError.
func LookPath(program, dir string, env []string) (string, error) {
	if program == "" {
		return "", &StartError{BadSpec, `""`, errors.New("no program given")}
	}
	if strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		return program, executable(program)
	}
	var denied error
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue // "" and "." would run what lies in the work tree
		}
		path := filepath.Join(folder, program)
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if r, _ := ReasonOf(err); r == Permission && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", &StartError{NotFound, program, errors.New("not found in PATH")}
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrPermission):
		return &StartError{Permission, path, err}
	case err != nil:
		return &StartError{NotFound, path, err}
	case info.IsDir() || info.Mode()&0o111 == 0:
		return &StartError{Permission, path, syscall.EACCES}
	}
	return nil
}

// variable gives the value of the last entry for name, as a program sees it.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
