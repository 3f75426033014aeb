//go:build linux || darwin

package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spec starts this test binary as one of the programs in child.
func spec(t *testing.T, argv ...string) Spec {
	self, err := os.Executable()
	require.NoError(t, err)
	return Spec{Argv: append([]string{self, childArg}, argv...), Marker: strings.ReplaceAll(t.Name(), "#", "-")}
}

func run(t *testing.T, s Spec) Result {
	r, err := Run(t.Context(), s)
	require.NoError(t, err)
	return r
}

// ready waits for the program's first line.
func ready(t *testing.T, s Spec) *Handle {
	r, w := io.Pipe()
	s.Stdout = w
	h, err := Start(t.Context(), s)
	require.NoError(t, err)
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return h
}

func TestExitIsReported(t *testing.T) {
	require.Equal(t, 0, run(t, spec(t, "exit", "0")).Exit)
	r := run(t, spec(t, "exit", "7"))
	require.Equal(t, 7, r.Exit)
	require.False(t, r.OK())
}

func TestEnvironmentIsExact(t *testing.T) {
	t.Setenv("WF_TEST_SECRET", "must not be inherited")
	s := spec(t, "env")
	s.Env = []string{"B=2", "A=1", MarkerVariable + "=forged"}
	require.Equal(t, "B=2\nA=1\n"+MarkerVariable+"="+t.Name(), string(run(t, s).Stdout))
	s.Marker, s.Env = "", nil
	require.Empty(t, string(run(t, s).Stdout))
}

func TestInputReachesAProgramThatNeedNotReadIt(t *testing.T) {
	s := Spec{Argv: []string{"cat"}, Env: []string{"PATH=/usr/bin:/bin"}, Stdin: strings.NewReader("hello")}
	require.Equal(t, "hello", string(run(t, s).Stdout))
	s = spec(t, "exit", "0")
	s.Stdin = bytes.NewReader(make([]byte, 1<<20))
	require.True(t, run(t, s).OK())
}

// Whatever a program leaves running is killed, and an inherited pipe does not
// keep us waiting.
func TestNothingIsLeftRunning(t *testing.T) {
	for _, kind := range []string{"plain", "group", "session", "double"} {
		t.Run(kind, func(t *testing.T) {
			r := run(t, spec(t, "spawn", kind))
			pid, err := strconv.Atoi(strings.TrimSpace(string(r.Stdout)))
			require.NoError(t, err)
			require.NoError(t, r.OutputErr)
			require.Len(t, r.Leftover, 1)
			require.Equal(t, pid, r.Leftover[0].PID)
			require.False(t, r.Leftover[0].Alive())
			require.Empty(t, r.Survivors)
		})
	}
}

func TestWithoutAMarkerTheGroupIsEnded(t *testing.T) {
	s := spec(t, "spawn", "plain")
	s.Marker = ""
	r := run(t, s)
	require.Len(t, r.Leftover, 1)
	require.False(t, r.Leftover[0].Alive())
}

func TestSubreaperFindsOneWithoutMarkerAndSession(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("child subreapers are for Linux only")
	}
	var r Result
	require.NoError(t, json.Unmarshal(run(t, spec(t, "subreaper")).Stdout, &r))
	require.Len(t, r.Leftover, 1)
	require.Equal(t, strings.TrimSpace(string(r.Stdout)), strconv.Itoa(r.Leftover[0].PID))
	require.False(t, r.Leftover[0].Alive())
}

func TestStopAsksFirst(t *testing.T) {
	s := spec(t, "polite")
	s.Interrupt = syscall.SIGINT
	r := ready(t, s).Stop(time.Minute)
	require.Equal(t, 0, r.Exit)
	require.True(t, r.Stopped)
	require.False(t, r.TimedOut)
}

func TestStopKillsWhoDoesNotListen(t *testing.T) {
	r := ready(t, spec(t, "stubborn")).Stop(50 * time.Millisecond)
	require.Equal(t, "SIGKILL", r.Signal)
	require.Equal(t, -1, r.Exit)
	require.True(t, r.Stopped)
}

func TestSecondStopDoesNotWaitForTheFirst(t *testing.T) {
	h := ready(t, spec(t, "stubborn"))
	go h.Stop(time.Hour)
	require.Equal(t, "SIGKILL", h.Stop(0).Signal)
}

func TestStopAlsoEndsWhatLeftTheSession(t *testing.T) {
	s := spec(t, "spawn-stay", "wiped") // no marker, own session: known by its parent alone
	r, w := io.Pipe()
	s.Stdout = w
	h, err := Start(t.Context(), s)
	require.NoError(t, err)
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	id, err := Of(pid)
	require.NoError(t, err)
	h.Stop(0)
	require.False(t, id.Alive())
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s := spec(t, "stubborn")
	s.Grace = -1
	r, err := Run(ctx, s)
	require.NoError(t, err)
	require.True(t, r.TimedOut)
	require.True(t, r.Stopped)
	require.False(t, r.OK())
}

func TestNothingStartsAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, spec(t, "exit", "0"))
	require.ErrorIs(t, err, context.Canceled)
}

func TestFloodIsBounded(t *testing.T) {
	s := spec(t, "flood", strconv.Itoa(64<<20))
	s.OutputCap = 1000
	r := run(t, s)
	require.True(t, r.Truncated)
	require.Less(t, len(r.Stdout), 1100)
	require.Contains(t, string(r.Stdout), "first line\n")
	require.Contains(t, string(r.Stdout), "bytes dropped")
	require.True(t, bytes.HasSuffix(r.Stdout, []byte("\nlast line")))
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAWriterThatFailsIsReportedAndDoesNotKill(t *testing.T) {
	s := spec(t, "flood", strconv.Itoa(1<<20))
	s.Stdout = broken{}
	r := run(t, s)
	require.Equal(t, 0, r.Exit)
	require.EqualError(t, r.OutputErr, "disk full")
	require.False(t, r.OK())
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600))
	orphan := filepath.Join(dir, "orphan")
	require.NoError(t, os.WriteFile(orphan, []byte("#!/no/such/interpreter\n"), 0o700))
	for name, c := range map[string]struct {
		spec Spec
		want Reason
	}{
		"no program":           {Spec{}, BadSpec},
		"not in PATH":          {Spec{Argv: []string{"ls"}}, NotFound},
		"current folder":       {Spec{Argv: []string{"orphan"}, Env: []string{"PATH=:."}, Dir: dir}, NotFound},
		"missing":              {Spec{Argv: []string{"/no/such/program"}}, NotFound},
		"not executable":       {Spec{Argv: []string{plain}}, Permission},
		"missing interpreter":  {Spec{Argv: []string{orphan}}, NotFound},
		"missing folder":       {Spec{Argv: []string{"/bin/sh"}, Dir: filepath.Join(dir, "no")}, BadFolder},
		"a file for a folder":  {Spec{Argv: []string{"/bin/sh"}, Dir: plain}, BadFolder},
		"marker with a zero":   {Spec{Argv: []string{"/bin/sh"}, Marker: "a\x00b"}, BadSpec},
		"marker with an equal": {Spec{Argv: []string{"/bin/sh"}, Marker: "a=b"}, BadSpec},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Run(t.Context(), c.spec)
			got, ok := ReasonOf(err)
			require.True(t, ok, "%v", err)
			require.Equal(t, c.want, got, "%v", err)
		})
	}
}

func TestRelativeProgramIsFoundInDir(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hello"), []byte("#!/bin/sh\necho hello\n"), 0o700))
	require.Equal(t, "hello\n", string(run(t, Spec{Argv: []string{"./hello"}, Dir: dir}).Stdout))
}

// Under a subreaper, many programs at once: each ends as it would alone, and
// none is taken for another's orphan while it starts.
func TestSubreaperSparesOtherPrograms(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("child subreapers are for Linux only")
	}
	require.Equal(t, "all as expected\n", string(run(t, spec(t, "crowd")).Stdout))
}

// Law 8: no process of the old run is alive when the next one starts.
func TestReapAfterTheRunnerWasKilled(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	runner := exec.Command(self, childArg, "runner", t.Name())
	out, err := runner.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, runner.Start())
	var ids []Identity
	require.NoError(t, json.NewDecoder(out).Decode(&ids))
	unit, sleeper := ids[0], ids[1]
	require.True(t, unit.Alive())
	require.True(t, sleeper.Alive())
	require.NoError(t, runner.Process.Kill())
	_ = runner.Wait()
	if runtime.GOOS == "linux" {
		require.Eventually(t, func() bool { return !unit.Alive() }, time.Minute, time.Millisecond, "the unit outlives its runner")
	}
	killed, err := Reap(t.Name(), []Identity{unit})
	require.NoError(t, err)
	require.Contains(t, killed, sleeper)
	require.False(t, sleeper.Alive())
	require.False(t, unit.Alive())
	killed, err = Reap(t.Name(), ids)
	require.NoError(t, err)
	require.Empty(t, killed)
}

func TestReapSparesStrangers(t *testing.T) {
	h, err := Start(t.Context(), spec(t, "sleep"))
	require.NoError(t, err)
	defer h.Stop(0)
	id := h.Identity()
	for name, c := range map[string]struct {
		marker string
		id     Identity
	}{
		"another start":   {"", Identity{id.PID, id.Start + 1, id.Boot}},
		"another boot":    {"", Identity{id.PID, id.Start, "other"}},
		"marker's prefix": {t.Name()[:5], Identity{}},
		"nothing":         {"", Identity{}},
	} {
		t.Run(name, func(t *testing.T) {
			killed, err := Reap(c.marker, []Identity{c.id})
			require.NoError(t, err)
			require.Empty(t, killed)
			require.True(t, id.Alive())
		})
	}
}

func TestReapNeverEndsItself(t *testing.T) {
	killed, err := Reap("", []Identity{Self()})
	require.NoError(t, err)
	require.Empty(t, killed)
}

func TestIdentity(t *testing.T) {
	me := Self()
	require.Equal(t, os.Getpid(), me.PID)
	require.NotZero(t, me.Start)
	require.NotEmpty(t, me.Boot)
	require.True(t, me.Alive())
	require.False(t, Identity{}.Alive())
	b, err := json.Marshal(me)
	require.NoError(t, err)
	var again Identity
	require.NoError(t, json.Unmarshal(b, &again))
	require.Equal(t, me, again)
	_, err = Of(1 << 30)
	require.ErrorIs(t, err, os.ErrNotExist)
	line, err := Ancestors(os.Getpid())
	require.NoError(t, err)
	require.Equal(t, me, line[0])
	require.Equal(t, os.Getppid(), line[1].PID)
}
