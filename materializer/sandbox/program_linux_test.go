package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"golang.org/x/sys/unix"
)

const insideArg = "__inside"

// Exit statuses of program.
const (
	did    = 0
	denied = 10
	failed = 11
)

// program tries one thing from inside the sandbox. Its exit status says
// whether it was done, denied, or failed for another reason.
func program(what string, args []string) int {
	switch what {
	case "all":
		return programAll(args[0])
	case "runner":
		return runErrand(args[0])
	case "sleep":
		fmt.Println("ready")
		time.Sleep(time.Hour)
	}
	return one(what, args)
}

// errand is what a runner in a process of its own is to start.
type errand struct {
	Facts Facts
	Spec  Spec
}

// runErrand starts a confined program, names it once it runs, and waits to be
// killed.
func runErrand(text string) int {
	var e errand
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return failed
	}
	p, err := Wrap(os.Args[0], e.Facts, e.Spec)
	if err != nil {
		return failed
	}
	r, w, _ := os.Pipe()
	p.Stdout = w
	h, err := process.Start(context.Background(), p)
	if err != nil {
		return failed
	}
	if _, err := r.Read(make([]byte, 16)); err != nil {
		return failed
	}
	_ = json.NewEncoder(os.Stdout).Encode(h.Identity())
	h.Wait()
	return did
}

// programAll makes many attempts and prints a line for each that ends as wanted.
func programAll(list string) int {
	var todo []wanted
	if err := json.Unmarshal([]byte(list), &todo); err != nil {
		return failed
	}
	for _, w := range todo {
		if got := one(w.Argv[0], w.Argv[1:]); got != w.Want {
			fmt.Fprintf(os.Stderr, "%q: %d, wanted %d\n", w.Argv, got, w.Want)
			continue
		}
		fmt.Println("as wanted")
	}
	return did
}

func one(what string, args []string) int {
	err := attempt(what, args)
	switch {
	case err == nil:
		return did
	case isDenial(err):
		fmt.Fprintln(os.Stderr, "denied:", err)
		return denied
	}
	fmt.Fprintln(os.Stderr, "failed:", err)
	return failed
}

func isDenial(err error) bool {
	for _, e := range []error{unix.EACCES, unix.EPERM, unix.EXDEV, unix.ENETUNREACH, unix.EPROTONOSUPPORT, unix.ECONNREFUSED, unix.EROFS, unix.ENOSYS, unix.ENOENT} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func attempt(what string, args []string) error {
	switch what {
	case "read":
		_, err := os.ReadFile(args[0])
		return err
	case "stat":
		_, err := os.Stat(args[0])
		return err
	case "chmod":
		return os.Chmod(args[0], 0o640)
	case "readlink":
		_, err := os.Readlink(args[0])
		return err
	case "list":
		_, err := os.ReadDir(args[0])
		return err
	case "write":
		return os.WriteFile(args[0], []byte("written inside"), 0o600)
	case "truncate":
		return os.Truncate(args[0], 0)
	case "mkdir":
		return os.Mkdir(args[0], 0o700)
	case "remove":
		return os.Remove(args[0])
	case "rename":
		return os.Rename(args[0], args[1])
	case "hardlink":
		return os.Link(args[0], args[1])
	case "symlink-write":
		if err := os.Symlink(args[0], args[1]); err != nil {
			return fmt.Errorf("make the link: %v", err)
		}
		return os.WriteFile(args[1], []byte("written inside"), 0o600)
	case "setsid":
		return detached(args)
	case "env":
		fmt.Print(strings.Join(os.Environ(), "\n"))
		return nil
	case "descriptors":
		return descriptors()
	case "status":
		b, err := os.ReadFile("/proc/thread-self/status")
		fmt.Print(string(b))
		return err
	}
	return attemptOutside(what, args)
}

// attemptOutside are the attempts on processes and the network.
func attemptOutside(what string, args []string) error {
	switch what {
	case "signal", "trace":
		pid, _ := strconv.Atoi(args[0])
		if what == "signal" {
			return unix.Kill(pid, 0)
		}
		return unix.PtraceAttach(pid)
	case "connect":
		c, err := net.DialTimeout(args[0], args[1], 5*time.Second)
		if err == nil {
			c.Close()
		}
		return err
	case "udp":
		c, err := net.Dial("udp", args[0])
		if err == nil {
			_, err = c.Write([]byte("x"))
		}
		return err
	case "mptcp", "raw", "uring":
		return specialSocket(what)
	case "local-server":
		return localServer()
	}
	return fmt.Errorf("unknown attempt %s", what)
}

func specialSocket(what string) error {
	var err error
	switch what {
	case "mptcp":
		_, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
	case "raw":
		_, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
	case "uring":
		if _, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0); errno != 0 && errno != unix.EFAULT {
			err = errno
		}
	}
	return err
}

func localServer() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	return c.Close()
}

// detached does the rest of args in a session of its own.
func detached(args []string) error {
	cmd := exec.Command(os.Args[0], append([]string{insideArg}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err := cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == denied {
		return unix.EACCES
	}
	return err
}

// descriptors prints what was open when the program began: Go itself opens
// an event queue and cgroup files afterwards.
func descriptors() error {
	var open []string
	for fd := 0; fd < 64; fd++ {
		to, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if err == nil && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/sys/fs/cgroup/") {
			open = append(open, strconv.Itoa(fd))
		}
	}
	slices.Sort(open)
	fmt.Print(strings.Join(open, " "))
	return nil
}
