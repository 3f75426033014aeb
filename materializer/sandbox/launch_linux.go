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
	if o.Loopback {
		p.System = ownNetwork(f.UserNamespace, os.Geteuid(), os.Getegid())
	}
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

func ownNetwork(userNamespace bool, uid, gid int) process.System {
	s := process.System{Cloneflags: unix.CLONE_NEWNET}
	if !userNamespace {
		return s
	}
	s.Cloneflags |= unix.CLONE_NEWUSER
	if uid == 0 {
		s.UserMap = []process.IDMap{{Inside: 0, Outside: 0, Size: everyID}}
		s.GroupMap = s.UserMap
		return s
	}
	s.UserMap = []process.IDMap{{Inside: uid, Outside: uid, Size: 1}}
	s.GroupMap = []process.IDMap{{Inside: gid, Outside: gid, Size: 1}}
	s.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
	return s
}
