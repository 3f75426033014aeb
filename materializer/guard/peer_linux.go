package guard

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer gives the process at the other end, as the kernel knows it.
func peer(conn *net.UnixConn) (pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var inner error
	err = raw.Control(func(fd uintptr) {
		cred, e := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		if inner = e; e == nil {
			pid = int(cred.Pid)
		}
	})
	if err == nil {
		err = inner
	}
	return pid, err
}
