//go:build linux || darwin

package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const childArg = "__child"

// TestMain plays the programs that the tests start.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == childArg {
		os.Exit(child(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

func child(what string, args []string) int {
	switch what {
	case "sleep":
		time.Sleep(time.Hour)
	case "exit":
		n, _ := strconv.Atoi(args[0])
		return n
	case "env":
		fmt.Print(strings.Join(os.Environ(), "\n"))
	case "spawn":
		fmt.Println(detach(args[0]))
	case "spawn-quiet": // its own output is the pid alone, so the sleeper must not hold it
		fmt.Println(quiet())
	case "spawn-stay":
		fmt.Println(detach(args[0]))
		time.Sleep(time.Hour)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "polite":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGINT)
		fmt.Println("ready")
		<-c
		fmt.Println("bye")
	case "flood":
		flood(args[0])
	case "subreaper":
		return subreaperChild()
	case "crowd":
		return crowd()
	case "runner":
		return runnerChild(args[0])
	}
	return 0
}

// detach starts a sleeper that tries to get away, and gives its pid.
func detach(kind string) int {
	self, _ := os.Executable()
	cmd := exec.Command(self, childArg, "sleep")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // holds our pipes
	switch kind {
	case "group":
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	case "session":
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case "wiped":
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Env = []string{"NOTHING=1"}
	case "double":
		b, err := exec.Command(self, childArg, "spawn-quiet").Output()
		if err != nil {
			return 0
		}
		pid, _ := strconv.Atoi(string(bytes.TrimSpace(b)))
		return pid
	}
	if err := cmd.Start(); err != nil {
		return 0
	}
	return cmd.Process.Pid
}

func quiet() int {
	self, _ := os.Executable()
	cmd := exec.Command(self, childArg, "sleep")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0
	}
	return cmd.Process.Pid
}

func flood(bytesWanted string) {
	n, _ := strconv.Atoi(bytesWanted)
	fmt.Print("first line\n")
	line := bytes.Repeat([]byte("x"), 1<<16)
	for n > 0 {
		k, _ := os.Stdout.Write(line[:min(n, len(line))])
		n -= k
	}
	fmt.Print("\nlast line")
}

// subreaperChild runs a program that leaves a sleeper behind which has wiped
// its environment and left its session, and reports what was killed.
func subreaperChild() int {
	if err := BecomeSubreaper(); err != nil {
		return 1
	}
	self, _ := os.Executable()
	r, err := Run(context.Background(), Spec{Argv: []string{self, childArg, "spawn", "wiped"}, Marker: "sub"})
	if err != nil {
		return 1
	}
	_ = json.NewEncoder(os.Stdout).Encode(r)
	return 0
}

// crowd runs programs with and without marker and leftovers side by side.
func crowd() int {
	if err := BecomeSubreaper(); err != nil {
		return 1
	}
	self, _ := os.Executable()
	wrong := make(chan string, 64)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 12 {
				s := Spec{Argv: []string{self, childArg, "exit", "3"}}
				if worker%2 == 0 {
					s = Spec{Argv: []string{self, childArg, "spawn", "session"}, Marker: fmt.Sprintf("crowd/%d/%d", worker, i)}
				}
				r, err := Run(context.Background(), s)
				want := 3 * (worker % 2)
				if err != nil || r.Exit != want || len(r.Leftover) != 1-worker%2 {
					wrong <- fmt.Sprintf("worker %d: %v %+v", worker, err, r)
				}
			}
		})
	}
	all.Wait()
	close(wrong)
	for w := range wrong {
		fmt.Println(w)
	}
	fmt.Println("all as expected")
	return 0
}

// runnerChild starts a program that leaves a sleeper and stays, tells about
// it, and waits to be killed.
func runnerChild(marker string) int {
	self, _ := os.Executable()
	r, w, _ := os.Pipe()
	h, err := Start(context.Background(), Spec{
		Argv: []string{self, childArg, "spawn-stay", "session"}, Marker: marker, Stdout: w,
	})
	if err != nil {
		return 1
	}
	b := make([]byte, 32)
	n, _ := r.Read(b)
	sleeper, _ := strconv.Atoi(string(bytes.TrimSpace(b[:n])))
	id, _ := Of(sleeper)
	_ = json.NewEncoder(os.Stdout).Encode([]Identity{h.Identity(), id})
	time.Sleep(time.Hour)
	return 0
}
