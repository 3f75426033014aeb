package process

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes: a session of its own, so that it has no terminal to type into or
// to ask a password at; and death with the thread that starts it (see own).
func attributes(spec Spec) (*syscall.SysProcAttr, error) {
	s := spec.System
	return &syscall.SysProcAttr{
		Setsid:      true,
		Pdeathsig:   syscall.SIGKILL,
		Cloneflags:  s.Cloneflags,
		UidMappings: idMaps(s.UserMap),
		GidMappings: idMaps(s.GroupMap),
		AmbientCaps: s.AmbientCaps,
	}, nil
}

func idMaps(maps []IDMap) []syscall.SysProcIDMap {
	var out []syscall.SysProcIDMap
	for _, m := range maps {
		out = append(out, syscall.SysProcIDMap{ContainerID: m.Inside, HostID: m.Outside, Size: m.Size})
	}
	return out
}

// awaitExit blocks until the program has ended and leaves it in the table.
func awaitExit(h *Handle) {
	for {
		err := unix.Waitid(unix.P_PID, h.id.PID, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
