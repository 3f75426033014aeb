package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"golang.org/x/sys/unix"
)

// trial is what a helper process found out by confining itself. A thing that
// was not possible before either proves nothing and counts as not enforced.
type trial struct {
	ABI     int  `json:"abi"`
	Files   bool `json:"files"`   // a folder could be read before, and not after
	Signals bool `json:"signals"` // the parent could be signalled before, and not after
	Names   bool `json:"names"`   // a file could be looked up before, and not after
	Sockets bool `json:"sockets"` // an internet socket could be made before, and not after
}

// Probe says what this host can enforce, by trying it in helper processes:
// self is the path of the wf binary. It takes a few milliseconds.
func Probe(ctx context.Context, self string) Facts {
	f := Facts{Backend: Unconfined, Floor: FloorNone}
	t, err := try(ctx, self, process.System{}, "plain")
	if err != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("No sandbox: the trial failed (%v).", err))
		return f
	}
	if t.ABI < 1 || !t.Files {
		f.Notes = append(f.Notes, "No sandbox: this kernel has no Landlock, or it is switched off. Units and gates run with all your rights.")
		return f
	}
	f.Backend, f.Floor = Landlock, FloorLandlock
	f.LandlockABI, f.Signals, f.SocketFilter = t.ABI, t.Signals, t.Sockets
	f.tryNamespaces(ctx, self)
	f.Notes = append(f.Notes, f.notes()...)
	return f
}

// tryNamespaces looks for own mounts and an own network, first with an own user
// namespace, which needs no rights, then as root without one.
func (f *Facts) tryNamespaces(ctx context.Context, self string) {
	for _, user := range []bool{true, false} {
		if !user && os.Geteuid() != 0 {
			return
		}
		t, err := try(ctx, self, namespaces(user, false, true), "network")
		f.NetworkNamespace = err == nil && t.Files
		t, err = try(ctx, self, namespaces(user, true, false), "mounts")
		f.MountNamespace = err == nil && t.Files && t.Names
		if f.NetworkNamespace || f.MountNamespace {
			f.UserNamespace = user
			break
		}
	}
	switch {
	case f.NetworkNamespace && f.MountNamespace:
		f.Floor = FloorNamespace
	case f.Network(None) != Whole:
		f.Floor = FloorNone // what is cut off must be cut off: see Floor
	}
}

// notes says what is missing, in a fixed order.
func (f Facts) notes() []string {
	var n []string
	if !f.NetworkNamespace {
		n = append(n, "No network namespace: with network none, tests cannot use local servers either.")
	}
	if f.Network(None) != Whole {
		n = append(n, "Network none is partial: TCP is closed, UDP is not. That is below the floor landlock.")
	}
	if f.Network(Model) == Partial {
		n = append(n, "Network model is partial: it limits TCP ports, not hosts.")
	}
	if !f.Signals {
		n = append(n, "Units can signal other processes of this user: Landlock is older than version 6.")
	}
	if !f.MountNamespace {
		n = append(n, "No mount namespace: units can change modes and owners of your files outside their folders, though not their content.")
	}
	if !f.MountNamespace && f.LandlockABI < 9 {
		n = append(n, "Sockets with a path (ssh-agent) are in reach of units: keys whose approvals count must ask for each use.")
	}
	return append(n, "The bubblewrap backend is not built.")
}

// try runs one helper and reads what it found.
func try(ctx context.Context, self string, system process.System, more string) (trial, error) {
	r, err := process.Run(ctx, process.Spec{
		Argv: []string{self, Subcommand, "probe", more}, Env: []string{}, Dir: "/", System: system,
	})
	if err != nil {
		return trial{}, err
	}
	if !r.OK() {
		return trial{}, fmt.Errorf("exit %d %s: %s", r.Exit, r.Signal, strings.TrimSpace(string(bytes.ToValidUTF8(r.Stderr, nil))))
	}
	var t trial
	if err := json.Unmarshal(r.Stdout, &t); err != nil {
		return trial{}, fmt.Errorf("its answer: %w", err)
	}
	return t, nil
}

// probe is the helper's side.
func probe(out io.Writer, what string) error {
	runtime.LockOSThread()
	before := look()
	o := order{Dir: "/", Private: what == "mounts", Loopback: what == "network", Sockets: noInternet, Filter: true}
	if landlockABI() < 1 {
		return json.NewEncoder(out).Encode(trial{})
	}
	t := trial{ABI: landlockABI()}
	if err := confine(o); err != nil && !errors.Is(err, errSocketFilter) {
		return err
	}
	after := look()
	t.Files = before.files && !after.files
	t.Names = before.names && !after.names
	t.Signals = before.signal && !after.signal
	t.Sockets = before.socket && !after.socket && architecture() != 0
	return json.NewEncoder(out).Encode(t)
}

// seen is what the calling thread can do now.
type seen struct{ files, names, signal, socket bool }

func look() seen {
	_, err := os.ReadDir("/")
	s := seen{files: err == nil, signal: unix.Kill(os.Getppid(), 0) == nil}
	_, err = os.Stat("/etc/passwd")
	s.names = err == nil
	if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0); err == nil {
		s.socket = true
		unix.Close(fd)
	}
	return s
}
