// Package sandbox defines the sandbox of a unit or gate: the folders it may
// read and write, the network it may reach and the processes it may signal,
// whoever it runs as. Probe says what this host can enforce, Wrap turns a Spec
// into the process that runs inside it.
//
// The process that Wrap describes is wf itself, as `wf __sandbox`. That body,
// Main, confines itself and then becomes the program, so that nothing between
// confinement and program is left to chance, and no privilege is needed.
//
// With an own mount namespace, what is not granted does not exist inside. With
// Landlock alone, paths outside can still be looked up, the modes and owners of
// the user's files changed, and sockets with a path connected to; Facts.Notes
// says so. Nothing here hides the command lines of other processes (so secrets
// never go into arguments), nor files that were hard links in a granted folder
// before.
package sandbox

import (
	"errors"
	"fmt"

	"github.com/seed9cc7a46e/wf/materializer/process"
)

// Posture is what a sandbox is for.
type Posture int

// The postures. Home and Temp are writable in each.
const (
	Read  Posture = iota // looks only: WorkDir is read-only
	Write                // works in WorkDir, reads the rest
	Gate                 // runs what an agent wrote, in a throwaway WorkDir
)

// String gives the posture's word.
func (p Posture) String() string {
	switch p {
	case Read:
		return "read"
	case Write:
		return "write"
	case Gate:
		return "gate"
	}
	return fmt.Sprintf("posture(%d)", int(p))
}

// Reach is how far the network goes.
type Reach int

// The reaches.
const (
	None  Reach = iota // nothing outside the sandbox
	Model              // the listed TCP ports of this host: the gateway
	Open               // everything
)

// String gives the reach's word.
func (r Reach) String() string {
	switch r {
	case None:
		return "none"
	case Model:
		return "model"
	case Open:
		return "open"
	}
	return fmt.Sprintf("reach(%d)", int(r))
}

// Network is what a sandbox may connect to. Ports are for Model.
type Network struct {
	Reach Reach
	Ports []int
}

// Backend is what confines.
type Backend string

// The backends.
const (
	Landlock   Backend = "landlock"
	Bubblewrap Backend = "bubblewrap"
	Unconfined Backend = "none"
)

// Floor is the strength that a plan may ask for, strongest first.
type Floor string

// The floors, by the words of the language.
const (
	FloorNamespace Floor = "namespace" // own mounts and network, and Landlock inside
	FloorLandlock  Floor = "landlock"  // files, and network none whole; network model as Facts.Network says
	FloorNone      Floor = "none"
)

// Meets tells whether a host of this floor satisfies a plan that wants one.
func (f Floor) Meets(want Floor) bool { return f.rank() >= want.rank() }

func (f Floor) rank() int {
	switch f {
	case FloorNamespace:
		return 2
	case FloorLandlock:
		return 1
	}
	return 0
}

// Facts is what this host can enforce, found by trying it.
type Facts struct {
	Backend Backend `json:"backend"`
	Floor   Floor   `json:"floor"`
	// LandlockABI is the kernel's version of Landlock, 0 without it.
	LandlockABI int `json:"landlock_abi"`
	// UserNamespace, NetworkNamespace and MountNamespace say that an own one
	// can be made; with the last, what is not granted does not exist.
	UserNamespace    bool `json:"user_namespace"`
	NetworkNamespace bool `json:"network_namespace"`
	MountNamespace   bool `json:"mount_namespace"`
	// SocketFilter says that system calls which make sockets can be filtered.
	SocketFilter bool `json:"socket_filter"`
	// Signals says that a unit cannot signal processes outside its sandbox.
	Signals bool `json:"signals"`
	// Notes are what an operator should know, in whole sentences, in a fixed
	// order.
	Notes []string `json:"notes,omitempty"`
}

// Strength is how well a network reach is kept: whole, partial, or not.
type Strength string

// The strengths.
const (
	Whole    Strength = "whole"
	Partial  Strength = "partial"
	NotAtAll Strength = "not at all"
)

// Network says how well this host keeps a reach.
func (f Facts) Network(r Reach) Strength {
	switch {
	case r == Open:
		return Whole
	case f.Backend == Unconfined:
		return NotAtAll
	case r == None && (f.NetworkNamespace || f.SocketFilter):
		return Whole
	case f.LandlockABI >= 4 || f.SocketFilter:
		return Partial
	}
	return NotAtAll
}

// Spec says what to run, and what it may reach. All paths are absolute.
type Spec struct {
	Posture Posture
	// Argv is the program and its arguments; the program is looked up in the
	// PATH of Env and may always be read and run.
	Argv []string
	// Env is the whole environment, as NAME=value.
	Env []string
	// WorkDir is where it starts: read-only in Read, writable else.
	WorkDir string
	// Home and Temp are private folders that the caller made, writable.
	Home, Temp string
	// ReadOnly and ReadWrite are further files and folders, which must exist.
	ReadOnly, ReadWrite []string
	// Hidden must stay out of reach. A read-only grant above a hidden path is
	// split into its parts, a writable one above it is refused, and one inside
	// a hidden folder holds: it was named on purpose.
	Hidden []string
	// Network is what it may connect to.
	Network Network
	// Required refuses to run without confinement.
	Required bool
	// Floor is the least strength; the zero value asks for none.
	Floor Floor

	path    string // where Argv[0] was found
	program string // the same with links followed
	links   []Link // names of paths above that are links
}

// ErrBelowFloor says that this host cannot give what the Spec asks for.
var ErrBelowFloor = errors.New("this host's sandbox is weaker than asked for")

// Exit statuses of the sandbox itself, as in POSIX shells and env(1). The
// program may end with the same ones: they mean that it did not do its work
// either way, and are never a success.
const (
	ExitNotConfined = 125 // the sandbox could not be set up; nothing ran
	ExitNotRunnable = 126 // the program may not be run inside it
	ExitNotFound    = 127
)

// Subcommand is the hidden name under which cmd/wf calls Main.
const Subcommand = "__sandbox"

// Wrap gives the process that runs s inside the sandbox that f describes: self
// is the path of the wf binary. The caller adds streams, grace and marker. The
// result can be started once. The error wraps ErrBelowFloor when f is too
// weak; else it names the path of s that is wrong.
func Wrap(self string, f Facts, s Spec) (process.Spec, error) {
	if err := s.admit(f); err != nil {
		return process.Spec{}, err
	}
	s, err := s.resolve()
	if err != nil {
		return process.Spec{}, err
	}
	if f.Backend == Unconfined || f.Backend == "" {
		return process.Spec{Argv: s.Argv, Env: s.Env, Dir: s.WorkDir}, nil
	}
	order, err := s.order(f)
	if err != nil {
		return process.Spec{}, err
	}
	return f.launch(self, order)
}

// admit compares what is asked for with what this host can do.
func (s Spec) admit(f Facts) error {
	if s.Required && (f.Backend == Unconfined || f.Backend == "") {
		return fmt.Errorf("%w: no backend works here", ErrBelowFloor)
	}
	if !f.Floor.Meets(s.Floor) {
		return fmt.Errorf("%w: %s is asked for, %s is here", ErrBelowFloor, s.Floor, f.Floor)
	}
	if s.Floor == FloorNamespace && f.Network(s.Network.Reach) != Whole {
		return fmt.Errorf("%w: network %s is kept only in part", ErrBelowFloor, s.Network.Reach)
	}
	for _, p := range s.Network.Ports {
		if p < 1 || p > 65535 {
			return fmt.Errorf("sandbox: %d is no TCP port", p)
		}
	}
	return nil
}
