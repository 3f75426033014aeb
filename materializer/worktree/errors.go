package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Kind classes what keeps wf from working with a repository.
type Kind int

// The kinds. Each has its own text and its own way out.
const (
	Failed        Kind = iota + 1 // git failed in a way no other kind names
	NoGit                         // there is no git program, or it is too old
	NotRepository                 // no repository holds the folder
	Bare                          // the repository has no working tree
	NoCommits                     // HEAD names no commit yet
	NoObject                      // a commit, tree or file that is not there
	Shallow                       // history is cut where it is needed
	Dubious                       // the repository belongs to another user
	Stale                         // a worktree is registered and its folder is gone, or half of it
	Locked                        // a lock is held by another program
	Occupied                      // the path or branch is in use by something our records do not own
	BadName                       // a name git does not accept as a branch
	Moved                         // a ref is not where the caller last saw it
	DiskFull                      // no space left
	Permission                    // the system refuses a read or write
	Tampering                     // wf's own git folder is not as wf left it
	Remote                        // a remote does not do what is asked of it
)

var kindNames = [...]string{
	Failed: "git failed", NoGit: "no git", NotRepository: "not a repository", Bare: "bare repository",
	NoCommits: "no commits", NoObject: "not found in the repository", Shallow: "shallow repository",
	Dubious: "another user's repository", Stale: "stale worktree", Locked: "locked", Occupied: "in use",
	BadName: "not a branch name", Moved: "ref moved", DiskFull: "disk full", Permission: "permission denied",
	Tampering: "git folder of wf changed", Remote: "the remote does not do it",
}

// String gives the kind as a reader sees it.
func (k Kind) String() string {
	if k > 0 && int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Error is a refusal with a class, so that a caller can choose a finding or an
// exit code without reading text.
type Error struct {
	Kind Kind
	What string // what was tried, with the path, branch or commit it was tried on
	Why  string // one sentence; may hold git's own words, as data
	Hint string // what to do, in the imperative; may be empty
	Err  error  // the cause, may be nil
}

// Error gives one line: kind, what, why, hint.
func (e *Error) Error() string {
	text := e.What + ": " + e.Kind.String()
	if e.Why != "" {
		text += ": " + e.Why
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf gives the kind of an error of this package, or 0.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return 0
}

// ioError wraps a file error with its class: disk full and permission have a
// way out of their own, wherever they come from.
func ioError(what string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &Error{Kind: DiskFull, What: what, Why: err.Error(), Hint: "free some space and run the command again; nothing was lost", Err: err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &Error{Kind: Permission, What: what, Why: err.Error(), Hint: "give this user write access to the path", Err: err}
	}
	return fmt.Errorf("%s: %w", what, err)
}
