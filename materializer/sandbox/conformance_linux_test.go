package sandbox

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/stretchr/testify/require"
)

// variants are the ways in which a host may be weaker than this one; each must
// keep what its facts promise.
func variants(t *testing.T) map[string]Facts {
	f := hostFacts(t)
	all := map[string]Facts{"host": f}
	if f.MountNamespace {
		g := f
		g.MountNamespace = false
		all["no mount namespace"] = g
	}
	if f.NetworkNamespace {
		g := f
		g.NetworkNamespace, g.MountNamespace, g.UserNamespace = false, false, false
		all["no namespaces"] = g
	}
	return all
}

func each(t *testing.T, test func(t *testing.T, f Facts)) {
	for name, f := range variants(t) {
		t.Run(name, func(t *testing.T) { test(t, f) })
	}
}

// ISO-10: writes stay within the workspace.
func TestWritesStayInside(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		for _, p := range []Posture{Write, Gate} {
			h := newHouse(t, f, p)
			require.NoError(t, os.Symlink(h.path("outside/neighbour"), h.path("work/before")))
			h.does("write", h.path("work/new"))
			h.does("write", h.path("home/new"))
			h.does("write", h.path("temp/new"))
			h.does("mkdir", h.path("work/folder"))
			h.does("rename", h.path("work/new"), h.path("work/folder/moved"))
			h.does("remove", h.path("work/folder/moved"))
			if !f.MountNamespace { // else each grant is a mount: one copies between them
				h.does("rename", h.path("temp/new"), h.path("work/moved"))
			}
			h.does("write", "/dev/null")

			h.denies("write", h.path("outside/neighbour"))
			h.denies("write", h.path("outside/new"))
			h.denies("truncate", h.path("outside/neighbour"))
			h.denies("mkdir", h.path("outside/folder"))
			h.denies("remove", h.path("outside/neighbour"))
			h.denies("write", h.path("work/../outside/new"))
			h.denies("write", "../outside/new")
			h.denies("write", h.path("work/before"))
			h.denies("symlink-write", h.path("outside/new"), h.path("work/after"))
			h.denies("symlink-write", "/proc/self/root"+h.path("outside/new"), h.path("work/via-proc"))
			h.denies("hardlink", h.path("outside/neighbour"), h.path("work/hard"))
			h.denies("hardlink", h.path("shared/doc"), h.path("work/hard"))
			h.denies("rename", h.path("outside/neighbour"), h.path("work/stolen"))
			h.denies("rename", h.path("work/source"), h.path("outside/source"))
			h.denies("write", h.path("shared/doc"))
			h.denies("remove", h.path("shared/doc"))
			h.denies("setsid", "write", h.path("outside/neighbour"))
			h.denies("write", "/etc/wf-test")
			h.denies("write", "/proc/sys/kernel/hostname")
			h.check()
			require.Equal(t, "the neighbour's", h.text("outside/neighbour"))
			require.Equal(t, "for reading", h.text("shared/doc"))
		}
	})
}

func TestReadPostureWritesNothingInTheWorkFolder(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Read)
		h.does("read", h.path("work/source"))
		h.does("list", h.path("work"))
		h.does("write", h.path("temp/new"))
		h.denies("write", h.path("work/source"))
		h.denies("write", h.path("work/new"))
		h.denies("remove", h.path("work/source"))
		h.check()
	})
}

func TestReadsStayInside(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Write)
		require.NoError(t, os.Symlink(h.path("outside/neighbour"), h.path("work/before")))
		h.does("read", h.path("shared/doc"))
		h.does("read", "/etc/passwd")
		h.denies("read", h.path("outside/neighbour"))
		h.denies("list", h.path("outside"))
		h.denies("read", h.path("work/before"))
		h.denies("read", "/proc/self/root"+h.path("outside/neighbour"))
		h.denies("read", h.path("state/journal"))
		h.denies("read", "/etc/shadow")
		h.denies("list", "/etc")
		h.denies("list", "/")
		h.denies("setsid", "read", h.path("state/journal"))
		h.check()
	})
}

// Law 4: what is hidden stays hidden under a grant above it, while the rest of
// that grant works.
func TestHiddenBelowAGrant(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Write)
		require.NoError(t, os.MkdirAll(h.path("repo/git/wf/runs"), 0o700))
		require.NoError(t, os.MkdirAll(h.path("repo/git/objects"), 0o700))
		h.file("repo/git/HEAD", "ref")
		h.file("repo/git/objects/one", "object")
		h.file("repo/git/wf/runs/journal", "the journal")
		h.spec.ReadOnly = append(h.spec.ReadOnly, h.path("repo/git"))
		h.spec.Hidden = append(h.spec.Hidden, h.path("repo/git/wf"))
		h.does("read", h.path("repo/git/HEAD"))
		h.does("read", h.path("repo/git/objects/one"))
		h.denies("read", h.path("repo/git/wf/runs/journal"))
		h.denies("list", h.path("repo/git/wf"))
		h.check()

		// An exchange folder inside the hidden one may be granted by name.
		require.NoError(t, os.Mkdir(h.path("repo/git/wf/unit"), 0o700))
		require.NoError(t, os.Mkdir(h.path("repo/git/wf/evidence"), 0o700))
		h.file("repo/git/wf/evidence/log", "a gate's log")
		h.spec.ReadWrite = []string{h.path("repo/git/wf/unit")}
		h.spec.ReadOnly = append(h.spec.ReadOnly, h.path("repo/git/wf/evidence"))
		h.does("read", h.path("repo/git/wf/evidence/log"))
		h.denies("write", h.path("repo/git/wf/evidence/log"))
		h.does("write", h.path("repo/git/wf/unit/outputs.json"))
		h.denies("read", h.path("repo/git/wf/runs/journal"))
		h.check()
	})
}

// A link that replaces a granted folder after Wrap grants nothing.
func TestALinkMadeAfterWrapIsNotFollowed(t *testing.T) {
	h := newHouse(t, hostFacts(t), Write)
	s := h.spec
	s.Argv = []string{h.self, insideArg, "read", h.path("outside/neighbour")}
	p, err := Wrap(h.self, h.facts, s)
	require.NoError(t, err)
	require.NoError(t, os.Remove(h.path("shared/doc")))
	require.NoError(t, os.Remove(h.path("shared")))
	require.NoError(t, os.Symlink(h.path("outside"), h.path("shared")))
	r, err := process.Run(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, ExitNotConfined, r.Exit)
	require.NotContains(t, string(r.Stdout), "neighbour")
}

func TestProcessesOutsideAreOutOfReach(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Write)
		me := strconv.Itoa(os.Getpid())
		if f.Signals {
			h.denies("signal", me)
			h.denies("setsid", "signal", me)
		}
		h.denies("trace", me)
		h.denies("read", "/proc/"+me+"/environ")
		h.denies("readlink", "/proc/"+me+"/fd/0")
		h.check()
	})
}

func TestNetworkNone(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer u.Close()
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Gate)
		require.Equal(t, Whole, f.Network(None))
		h.denies("connect", "tcp", l.Addr().String())
		h.denies("setsid", "connect", "tcp", l.Addr().String())
		h.denies("connect", "tcp", "192.0.2.1:80")
		h.denies("udp", "192.0.2.1:53")
		h.denies("raw")
		if f.NetworkNamespace {
			h.does("local-server")
			h.check()
			return
		}
		h.denies("udp", u.LocalAddr().String())
		h.denies("mptcp")
		h.denies("uring")
		h.denies("local-server")
		h.check()
	})
}

func TestNetworkModelReachesItsPortAlone(t *testing.T) {
	gateway, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer gateway.Close()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer other.Close()
	each(t, func(t *testing.T, f Facts) {
		if f.LandlockABI < 4 {
			t.Skip("this Landlock knows no ports")
		}
		h := newHouse(t, f, Write)
		h.spec.Network = Network{Reach: Model, Ports: []int{gateway.Addr().(*net.TCPAddr).Port}}
		h.does("connect", "tcp", gateway.Addr().String())
		h.denies("connect", "tcp", other.Addr().String())
		h.denies("udp", "127.0.0.1:53")
		h.denies("mptcp")
		h.check()
	})
}

func TestNetworkOpen(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Write)
		h.spec.Network = Network{Reach: Open}
		h.does("connect", "tcp", l.Addr().String())
		h.does("udp", l.Addr().String())
		h.check()
	})
}

func TestAbstractSocketsOutsideAreOutOfReach(t *testing.T) {
	name := "@wf-test-" + strconv.Itoa(os.Getpid())
	l, err := net.Listen("unix", name)
	require.NoError(t, err)
	defer l.Close()
	each(t, func(t *testing.T, f Facts) {
		if f.LandlockABI < 6 && !f.NetworkNamespace {
			t.Skip("this Landlock does not scope sockets")
		}
		h := newHouse(t, f, Write)
		h.denies("connect", "unix", name)
		h.check()
	})
}

// What Landlock alone leaves open, own mounts close.
func TestSocketsAndModesOutside(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Write)
		l, err := net.Listen("unix", h.path("outside/agent"))
		require.NoError(t, err)
		defer l.Close()
		if !f.MountNamespace {
			require.Contains(t, strings.Join(f.notes(), "\n"), "modes")
			h.does("chmod", h.path("outside/neighbour"))
			h.check()
			return
		}
		inside, err := net.Listen("unix", h.path("home/socket"))
		require.NoError(t, err)
		defer inside.Close()
		h.does("connect", "unix", h.path("home/socket"))
		h.denies("connect", "unix", h.path("outside/agent"))
		h.denies("chmod", h.path("outside/neighbour"))
		h.denies("chmod", h.path("shared/doc"))
		h.denies("stat", h.path("outside/neighbour"))
		h.denies("stat", h.path("state"))
		h.does("stat", h.path("work/source"))
		h.does("chmod", h.path("work/source"))
		h.check()
	})
}

// Paths that were given through links work under both names.
func TestLinkedPathsKeepTheirNames(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Write)
		require.NoError(t, os.Symlink(h.path("home"), h.path("linked")))
		h.spec.Home = h.path("linked")
		h.does("write", h.path("linked/new"))
		h.does("read", h.path("home/new"))
		h.does("read", "/dev/fd/0")
		h.check()
		s := h.spec
		s.Argv = []string{"sh", "-c", "exec 3< /dev/fd/0; echo $0 works; ls /bin/sh"}
		r := h.start(s)
		require.Equal(t, "sh works\n/bin/sh\n", string(r.Stdout), "%s", r.Stderr)
	})
}

// ISO-13: nothing of the runner's environment, descriptors or rights gets in.
func TestNothingIsInherited(t *testing.T) {
	t.Setenv("WF_TEST_SECRET", "must not be inherited")
	each(t, func(t *testing.T, f Facts) {
		secret, err := os.Open("/dev/zero")
		require.NoError(t, err)
		h := newHouse(t, f, Write)
		h.spec.Env = []string{"A=1", "LD_PRELOAD=", "GODEBUG="}
		r := h.out("env")
		want := append(h.spec.Env, process.MarkerVariable+"=test/"+strconv.Itoa(os.Getpid()))
		require.Equal(t, strings.Join(want, "\n"), r)
		h.spec.Argv = []string{h.self, insideArg, "descriptors"}
		p, err := Wrap(h.self, f, h.spec)
		require.NoError(t, err)
		p.ExtraFiles = append(p.ExtraFiles, secret)
		got, err := process.Run(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, "0 1 2", string(got.Stdout))
		require.Contains(t, h.out("status"), "NoNewPrivs:\t1")
	})
}

func TestRootKeepsOnlyRightsOverFiles(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Gate)
		for _, line := range strings.Split(h.out("status"), "\n") {
			field, value, _ := strings.Cut(line, ":\t")
			switch field {
			case "CapEff", "CapPrm", "CapInh", "CapAmb":
				bits, err := strconv.ParseUint(value, 16, 64)
				require.NoError(t, err)
				require.Zero(t, bits&^0b11011, line) // CHOWN, DAC_OVERRIDE, FOWNER, FSETID
			}
		}
	})
}

func TestAProgramOutsideTheGrantsIsGrantedAlone(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Write)
		h.file("outside/tool", "#!/bin/sh\necho tool\n")
		require.NoError(t, os.Chmod(h.path("outside/tool"), 0o700))
		s := h.spec
		s.Argv = []string{h.path("outside/tool")}
		r := h.start(s)
		require.Equal(t, "tool\n", string(r.Stdout), "%s", r.Stderr)
		h.denies("read", h.path("outside/neighbour"))
		h.check()
	})
}

func TestTheProgramOfAnEarlierOrderIsNotRunWithLess(t *testing.T) {
	h := newHouse(t, hostFacts(t), Write)
	h.facts.LandlockABI = newestABI
	s := h.spec
	s.Argv = []string{"true"}
	if landlockABI() >= newestABI {
		t.Skip("this Landlock is the newest")
	}
	require.Equal(t, ExitNotConfined, h.start(s).Exit)
}

func TestTheHelperRefusesAnybodyElse(t *testing.T) {
	h := newHouse(t, hostFacts(t), Write)
	for _, args := range [][]string{{}, {"run", "more"}, {"other"}, {"run"}} {
		r, err := process.Run(t.Context(), process.Spec{Argv: append([]string{h.self, Subcommand}, args...)})
		require.NoError(t, err)
		require.Equal(t, ExitNotConfined, r.Exit, filepath.Join(args...))
		require.Contains(t, string(r.Stderr), "wf sandbox: ")
	}
}

// Law 8: a confined unit dies with its runner; confinement does not undo that.
func TestTheProgramDiesWithItsRunner(t *testing.T) {
	each(t, func(t *testing.T, f Facts) {
		h := newHouse(t, f, Write)
		h.spec.Argv = []string{h.self, insideArg, "sleep"}
		b, err := json.Marshal(errand{f, h.spec})
		require.NoError(t, err)
		runner := exec.Command(h.self, insideArg, "runner", string(b))
		out, err := runner.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, runner.Start())
		var unit process.Identity
		require.NoError(t, json.NewDecoder(out).Decode(&unit))
		require.True(t, unit.Alive())
		require.NoError(t, runner.Process.Kill())
		_ = runner.Wait()
		require.Eventually(t, func() bool { return !unit.Alive() }, time.Minute, time.Millisecond)
	})
}

// The attempts succeed where nothing confines: what the other tests see denied
// is denied by the sandbox.
func TestAttemptsSucceedWithoutASandbox(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	h := newHouse(t, Facts{Backend: Unconfined, Floor: FloorNone}, Write)
	h.spec.Required = false
	h.does("read", h.path("state/journal"))
	h.does("read", h.path("outside/neighbour"))
	h.does("list", h.path("outside"))
	h.does("hardlink", h.path("outside/neighbour"), h.path("work/hard"))
	h.does("symlink-write", h.path("outside/new"), h.path("work/after"))
	h.does("symlink-write", "/proc/self/root"+h.path("outside/new"), h.path("work/via-proc"))
	h.does("write", "../outside/new")
	h.does("setsid", "write", h.path("outside/neighbour"))
	h.does("rename", h.path("work/source"), h.path("outside/source"))
	h.does("signal", strconv.Itoa(os.Getpid()))
	h.does("connect", "tcp", l.Addr().String())
	h.does("udp", l.Addr().String())
	h.does("readlink", "/proc/"+strconv.Itoa(os.Getpid())+"/fd/0")
	h.check()
}
