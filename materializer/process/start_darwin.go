package process

import (
	"errors"
	"syscall"
)

func attributes(spec Spec) (*syscall.SysProcAttr, error) {
	if !spec.System.empty() {
		return nil, errors.New("namespaces are for Linux only")
	}
	return &syscall.SysProcAttr{Setsid: true}, nil
}

// awaitExit blocks until the program has ended.
func awaitExit(h *Handle) { _ = h.cmd.Wait() }

func (s System) empty() bool {
	return s.Cloneflags == 0 && len(s.UserMap) == 0 && len(s.GroupMap) == 0 && len(s.AmbientCaps) == 0
}
