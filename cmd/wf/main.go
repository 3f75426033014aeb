// Command wf is Terraform for teams of coding agents.
//
// main holds what only a process has: streams, signals, the environment and
// the exit status. Everything else is reached through internal/command.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/command"
)

// version is set at build time.
var version = "dev"

func main() { os.Exit(run()) }

func run() int {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	p := command.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(), Dir: dir, Self: self, TempDir: os.TempDir(),
		Now: time.Now, Version: version, Width: width(),
		Terminal: terminal(os.Stdout), Asking: terminal(os.Stdin) && terminal(os.Stderr),
	}
	if code, done := command.Inside(p); done {
		return code
	}
	soft, hard := signals(&p)
	defer soft()
	defer hard()
	return command.Main(p)
}

// signals sets the two contexts of a stop: the first interrupt starts nothing
// new and asks running units to end, the second ends everything at once.
func signals(p *command.Process) (soft, hard context.CancelFunc) {
	p.Soft, soft = context.WithCancel(context.Background())
	p.Hard, hard = context.WithCancel(context.Background())
	interrupts := make(chan os.Signal, 8)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-interrupts
		soft()
		<-interrupts
		hard()
	}()
	wake := make(chan os.Signal, 1)
	signal.Notify(wake, syscall.SIGUSR1)
	woken := make(chan struct{}, 1)
	p.Wake = woken
	go func() {
		for range wake {
			select {
			case woken <- struct{}{}:
			default: // one is waiting already
			}
		}
	}()
	return soft, hard
}

func terminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func width() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		return w
	}
	return 0
}
