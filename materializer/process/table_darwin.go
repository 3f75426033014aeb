package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// bootID is the time of the boot: macOS has no boot id that survives sleep.
var bootID = sync.OnceValue(func() string {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(tv.Sec, 10)
})

func self() Identity {
	id, err := identify(os.Getpid())
	if err != nil {
		return Identity{PID: os.Getpid()}
	}
	return id
}

func identify(pid int) (Identity, error) {
	e, err := lookup(pid)
	return e.id, err
}

func lookup(pid int) (entry, error) {
	if pid <= 0 {
		return entry{}, fmt.Errorf("process %d: %w", pid, os.ErrNotExist)
	}
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(p.Proc.P_pid) != pid {
		return entry{}, fmt.Errorf("process %d: %w", pid, os.ErrNotExist)
	}
	return fromKinfo(p), nil
}

func fromKinfo(p *unix.KinfoProc) entry {
	pid := int(p.Proc.P_pid)
	session, err := unix.Getsid(pid)
	if err != nil {
		session = 0
	}
	start := uint64(p.Proc.P_starttime.Sec)*1e6 + uint64(p.Proc.P_starttime.Usec)
	return entry{
		id:      Identity{PID: pid, Start: start, Boot: bootID()},
		parent:  int(p.Eproc.Ppid),
		group:   int(p.Eproc.Pgid),
		session: session,
		dead:    p.Proc.P_stat == zombie,
	}
}

func table() ([]entry, error) {
	procs, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("process table: %w", err)
	}
	all := make([]entry, 0, len(procs))
	for i := range procs {
		if procs[i].Proc.P_pid > 0 {
			all = append(all, fromKinfo(&procs[i]))
		}
	}
	sortEntries(all)
	return all, nil
}

// marked reads the arguments area of the process: arguments and environment,
// each closed by a zero byte. System programs hide theirs.
func marked(pid int, marker string) bool {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return false
	}
	want := []byte(MarkerVariable + "=" + marker)
	for one := range bytes.SplitSeq(b, []byte{0}) {
		if bytes.Equal(one, want) {
			return true
		}
	}
	return false
}

// holdsMount finds nothing: there are no mount namespaces here.
func holdsMount(int, string) bool { return false }
