package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system calls are made directly: go-landlock links libpsx into every cgo
// build of wf, to reach all threads, and we confine one thread and exec.

const (
	readRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

	writeRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX

	// fileRights are those that make sense for what is not a folder; the kernel
	// refuses the others.
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX

	ruleNetPort = 2 // LANDLOCK_RULE_NET_PORT; x/sys has only the first
)

// newestABI is the last version of Landlock that this code knows.
const newestABI = 10

// netPort is struct landlock_net_port_attr.
type netPort struct{ allowed, port uint64 }

// landlockABI is the kernel's version, 0 without Landlock.
func landlockABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// handled is everything that a version of Landlock can deny.
func handled(abi int) unix.LandlockRulesetAttr {
	a := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	if abi >= 2 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 5 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	if abi >= 9 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	return a
}

// netRights is what a version of Landlock can deny of the network.
func netRights(abi int) uint64 {
	var r uint64
	if abi >= 4 {
		r |= unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 10 {
		r |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	}
	return r
}

// restrict applies the grants to the calling thread and all it starts.
func restrict(o order) error {
	abi := min(landlockABI(), newestABI)
	if abi < 1 || abi < min(o.ABI, newestABI) {
		return fmt.Errorf("landlock version %d is here, %d was found before", abi, o.ABI)
	}
	attr := handled(abi)
	if o.Sockets != anySocket {
		attr.Handled_access_net = netRights(abi)
	}
	ruleset, err := createRuleset(attr, abi)
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
	for _, g := range o.Grants {
		if err := addGrant(ruleset, attr.Handled_access_fs, g); err != nil {
			return err
		}
	}
	if err := addPorts(ruleset, attr.Handled_access_net, o); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("landlock: restrict: %w", errno)
	}
	return nil
}

func createRuleset(attr unix.LandlockRulesetAttr, abi int) (int, error) {
	// An older kernel refuses a longer structure unless the rest is zero,
	// which it is: the fields were chosen by version.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, fmt.Errorf("landlock version %d: create: %w", abi, errno)
	}
	return int(fd), nil
}

// addGrant opens the path and grants what it names. Wrap has followed the
// links; one that appeared since is somebody's trap.
func addGrant(ruleset int, limit uint64, g Grant) error {
	fd, err := openGrant(g.Path)
	if passOver(g, err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("grant %s: %w", g.Path, err)
	}
	defer unix.Close(fd)
	rights, err := rightsFor(fd, g)
	if err != nil {
		return fmt.Errorf("grant %s: %w", g.Path, err)
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights & limit, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("grant %s: %w", g.Path, errno)
	}
	return nil
}

// openGrant opens a path that holds no links.
func openGrant(path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	return unix.Openat2(unix.AT_FDCWD, path, &how)
}

// passOver tells whether a grant that cannot be opened may be left out.
func passOver(g Grant, err error) bool {
	return g.Optional && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR))
}

func rightsFor(fd int, g Grant) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	rights := uint64(readRights)
	if g.Write {
		rights = writeRights
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	return rights, nil
}

func addPorts(ruleset int, limit uint64, o order) error {
	allowed := limit & (unix.LANDLOCK_ACCESS_NET_CONNECT_TCP)
	if allowed == 0 {
		return nil
	}
	for _, p := range o.Ports {
		rule := netPort{allowed: allowed, port: uint64(p)}
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), ruleNetPort,
			uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
		if errno != 0 {
			return fmt.Errorf("grant port %d: %w", p, errno)
		}
	}
	return nil
}
