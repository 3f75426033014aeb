// Package verb defines what wf can do: Validate, Plan, Approve, Apply, Status
// and the rest, free of flags and of output. It is the one place that joins the
// stages; each verb takes an Env and a request and gives a value, or a Refusal
// where the user's files, repository or word stand against it.
package verb

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Exit codes, as documented. "Policy says no" never shares a code with "policy
// did not run".
const (
	ExitOK          = 0
	ExitFailure     = 1
	ExitChanges     = 2
	ExitDenied      = 3
	ExitWaiting     = 4
	ExitStale       = 5
	ExitLocked      = 6
	ExitUnevaluated = 7
	ExitParked      = 8
	ExitUsage       = 64
	ExitInterrupted = 130
)

// Env is what a verb needs of the process it runs in.
type Env struct {
	Dir     string // absolute working folder
	Self    string // absolute path of the wf binary
	TempDir string
	Version string
	Environ []string
	Getenv  func(string) string
	Now     func() time.Time
	Hard    context.Context // ends: everything stops at once
	Wake    <-chan struct{} // a decision may be waiting
}

// Refusal says that a verb did not do its work because of what the user gave
// it. Findings say what, where and what to do; Exit is the documented code.
type Refusal struct {
	Findings diag.Findings
	Sources  Sources
	Exit     int
}

// Sources are the bytes of files that findings point into, by their names.
type Sources map[string][]byte

func (r *Refusal) Error() string {
	var parts []string
	for _, f := range r.Findings {
		parts = append(parts, f.Code+" "+f.Detail)
	}
	return strings.Join(parts, "; ")
}

// refuse makes a refusal of one finding that has no place in a file.
func refuse(exit int, code diag.Code, detail, hint string) *Refusal {
	return &Refusal{Findings: diag.Findings{code.At(diag.Range{}, detail, hint)}, Exit: exit}
}

// refuseIn makes a refusal of one finding about a file as a whole.
func refuseIn(exit int, code diag.Code, file, detail, hint string) *Refusal {
	return &Refusal{Findings: diag.Findings{code.At(diag.Range{File: file}, detail, hint)}, Exit: exit}
}

// configHome is the user's own configuration folder for wf; nothing in a
// repository can name it.
func (e Env) configHome() (string, error) {
	if dir := e.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wf"), nil
	}
	if home := e.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "wf"), nil
	}
	return "", fmt.Errorf("neither XDG_CONFIG_HOME nor HOME names a folder")
}

// abs makes a path given by the user absolute.
func (e Env) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(e.Dir, path)
}
