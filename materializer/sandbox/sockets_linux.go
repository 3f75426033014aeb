package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The socket filter closes what Landlock leaves open where there is no network
// namespace: it limits TCP by port, and neither UDP (before version 10) nor
// multipath TCP, nor a connection that is opened by sending (TCP fast open).
// A seccomp filter sees numbers only, which is enough to forbid whole kinds of
// socket.

// architecture is what the kernel calls ours; 0 where there is no filter.
func architecture() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

// Offsets in struct seccomp_data; arguments are 64 bits, their low halves come
// first on both architectures.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	argSize   = 8
)

// x32Bit marks calls of the x32 ABI, which the native numbers would miss.
const x32Bit = 0x40000000

// errSocketFilter says that everything but the socket filter was applied.
var errSocketFilter = errors.New("socket filter")

func filterSockets(s sockets) error {
	if s == anySocket {
		return nil
	}
	if architecture() == 0 {
		return fmt.Errorf("%w: none for %s", errSocketFilter, runtime.GOARCH)
	}
	program := socketProgram(s)
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
	runtime.KeepAlive(program)
	if err != nil {
		return fmt.Errorf("%w: %w", errSocketFilter, err)
	}
	return nil
}

func socketProgram(s sockets) []unix.SockFilter {
	p := load(offArch)
	p = append(p, unless(architecture(), fail(unix.EPERM))...)
	p = append(p, load(offNumber)...)
	if runtime.GOARCH == "amd64" {
		p = append(p, atLeast(x32Bit, fail(unix.EPERM))...)
	}
	// io_uring makes sockets without the call that is filtered.
	p = append(p, when(unix.SYS_IO_URING_SETUP, fail(unix.ENOSYS))...)
	p = append(p, when(unix.SYS_SOCKET, socketCall(s)...)...)
	if s == tcpToPorts {
		p = append(p, when(unix.SYS_SENDTO, noFastOpen(3)...)...)
		p = append(p, when(unix.SYS_SENDMSG, noFastOpen(2)...)...)
		p = append(p, when(unix.SYS_SENDMMSG, noFastOpen(3)...)...)
	}
	return append(p, pass())
}

func socketCall(s sockets) []unix.SockFilter {
	p := load(offArg0)
	p = append(p, when(unix.AF_UNIX, pass())...)
	p = append(p, when(unix.AF_NETLINK, pass())...) // reads addresses and routes
	if s == tcpToPorts {
		p = append(p, when(unix.AF_INET, plainTCP()...)...)
		p = append(p, when(unix.AF_INET6, plainTCP()...)...)
	}
	return append(p, fail(unix.EACCES))
}

func plainTCP() []unix.SockFilter {
	const typeMask = 0xf // without SOCK_CLOEXEC and SOCK_NONBLOCK
	p := load(offArg0 + argSize)
	p = append(p, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: typeMask})
	p = append(p, unless(unix.SOCK_STREAM, fail(unix.EACCES))...)
	p = append(p, load(offArg0+2*argSize)...)
	p = append(p, when(0, pass())...)
	p = append(p, when(unix.IPPROTO_TCP, pass())...)
	return append(p, fail(unix.EPROTONOSUPPORT))
}

func noFastOpen(arg uint32) []unix.SockFilter {
	p := load(offArg0 + arg*argSize)
	return append(p,
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.MSG_FASTOPEN, Jf: 1},
		fail(unix.EACCES), pass())
}

func load(offset uint32) []unix.SockFilter {
	return []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}}
}

// when runs body, which must end by itself, if the loaded number is k.
func when(k uint32, body ...unix.SockFilter) []unix.SockFilter {
	jump := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: uint8(len(body))}
	return append([]unix.SockFilter{jump}, body...)
}

func unless(k uint32, then unix.SockFilter) []unix.SockFilter {
	return []unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: 1}, then}
}

func atLeast(k uint32, then unix.SockFilter) []unix.SockFilter {
	return []unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: k, Jf: 1}, then}
}

func fail(errno syscall.Errno) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

func pass() unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
}
