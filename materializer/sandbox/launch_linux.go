package sandbox

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"golang.org/x/sys/unix"
)

// launch gives the process that carries out an order. The order travels in an
// anonymous file: neither arguments nor a folder show it, and the environment
// of the program cannot change how wf itself starts (LD_PRELOAD, GODEBUG).
func (f Facts) launch(self string, o order) (process.Spec, error) {
	o.Runner = os.Getpid()
	b, err := json.Marshal(o)
	if err != nil {
		return process.Spec{}, fmt.Errorf("sandbox: write the order: %w", err)
	}
	file, err := anonymous(b)
	if err != nil {
		return process.Spec{}, fmt.Errorf("sandbox: write the order: %w", err)
	}
	p := process.Spec{
		Argv: []string{self, Subcommand, "run"}, Env: []string{}, Dir: o.Dir,
		ExtraFiles: []*os.File{file},
	}
	p.System = namespaces(f.UserNamespace, o.Private, o.Loopback)
	return p, nil
}

func anonymous(b []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("wf-order", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "wf-order")
	if _, err := f.Write(b); err != nil {
		f.Close()
		return nil, err
	}
	_, err = f.Seek(0, 0)
	return f, err
}

// everyID is the number of ids there are: root maps all, so that files of
// other users stay what they are; everybody else may map only himself.
const everyID = 1<<32 - 1

// namespaces asks for own mounts and an own network; user says whether that
// takes a user namespace, which needs no rights, or is done as root.
func namespaces(user, mounts, network bool) process.System {
	var s process.System
	if mounts {
		s.Cloneflags |= unix.CLONE_NEWNS
		s.AmbientCaps = append(s.AmbientCaps, unix.CAP_SYS_ADMIN)
	}
	if network {
		s.Cloneflags |= unix.CLONE_NEWNET
		s.AmbientCaps = append(s.AmbientCaps, unix.CAP_NET_ADMIN)
	}
	if s.Cloneflags == 0 {
		return s
	}
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 {
		s.AmbientCaps = nil // root has them, and gets them again at each start
	}
	if user {
		s.Cloneflags |= unix.CLONE_NEWUSER
		s.UserMap, s.GroupMap = idMap(uid, uid == 0), idMap(gid, uid == 0)
	}
	return s
}

func idMap(id int, all bool) []process.IDMap {
	if all {
		return []process.IDMap{{Inside: 0, Outside: 0, Size: everyID}}
	}
	return []process.IDMap{{Inside: id, Outside: id, Size: 1}}
}
