package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"golang.org/x/sys/unix"
)

// orderFD is the descriptor on which Wrap hands the order over.
const orderFD = 3

// run confines this thread and makes the process the program. Confinement is a
// property of a thread; exec ends all others, and the thread stays locked.
func run(environ []string) (int, error) {
	file := os.NewFile(orderFD, "order")
	o, err := readOrder(file)
	if err != nil {
		return ExitNotConfined, err
	}
	file.Close()
	runtime.LockOSThread()
	if err := confine(o); err != nil {
		return ExitNotConfined, err
	}
	if err := dieWith(o.Runner); err != nil {
		return ExitNotConfined, err
	}
	err = unix.Exec(o.Program, o.Argv, withMarker(o.Env, environ))
	status := ExitNotRunnable
	if errors.Is(err, unix.ENOENT) {
		status = ExitNotFound
	}
	return status, fmt.Errorf("run %s: %w", o.Program, err)
}

// dieWith asks again for death with the runner. The wish belongs to a thread,
// not to the process, and exec keeps the thread that calls it: ours, and not
// the first one, which process.Start has asked for.
func dieWith(runner int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("die with the runner: %w", err)
	}
	if os.Getppid() != runner {
		return errors.New("the runner has ended")
	}
	return nil
}

// confine applies everything, from the weakest to what forbids the rest.
func confine(o order) error {
	if err := closeOthers(); err != nil {
		return err
	}
	if o.Loopback {
		if err := loopbackUp(); err != nil {
			return err
		}
	}
	if o.Private {
		if err := privateRoot(o.Grants, o.Links, o.Dir); err != nil {
			return err
		}
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if err := restrict(o); err != nil {
		return err
	}
	if !o.Filter {
		return nil
	}
	return filterSockets(o.Sockets)
}

// closeOthers lets no descriptor but the three streams pass to the program.
func closeOthers() error {
	err := unix.CloseRange(orderFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err != nil {
		return fmt.Errorf("close descriptors: %w", err)
	}
	return nil
}

// withMarker adds the marker that the process was started with.
func withMarker(env, own []string) []string {
	out := append([]string{}, env...)
	for _, one := range own {
		if strings.HasPrefix(one, process.MarkerVariable+"=") {
			out = append(out, one)
		}
	}
	return out
}

// loopbackUp makes 127.0.0.1 work in a network namespace of our own: tests
// talk to servers they start.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	return nil
}

// kept are the capabilities that root keeps: those over files, which Landlock
// limits to what is granted. Without them a root that works on other users'
// files, as in many containers, could not write its own checkout.
var kept = []int{unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID}

// dropCapabilities takes the rest, for good, also from what will be started.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		if keeps(c) {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0)
		if errors.Is(err, unix.EPERM) {
			break // not root: there are none, and no new privileges follow
		}
		if err != nil && !errors.Is(err, unix.EINVAL) { // an older kernel has fewer
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	return keepOnly()
}

func keeps(c int) bool {
	for _, k := range kept {
		if k == c {
			return true
		}
	}
	return false
}

// keepOnly reduces what the thread holds now.
func keepOnly() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&head, &data[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	var mask [2]uint32
	for _, c := range kept {
		mask[c/32] |= 1 << (c % 32)
	}
	for i := range data {
		data[i].Effective &= mask[i]
		data[i].Permitted &= mask[i]
		data[i].Inheritable = 0
	}
	if err := unix.Capset(&head, &data[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}
