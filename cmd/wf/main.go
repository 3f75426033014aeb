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
	if code, done := inside(os.Args[1:]); done {
		return code
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	interrupts := make(chan os.Signal, 8)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	hard, harder := context.WithCancel(context.Background())
	defer harder()
	go func() {
		<-interrupts
		stop() // once: no new units, running ones are asked to end
		<-interrupts
		harder() // twice: at once
	}()
	wake := make(chan os.Signal, 1)
	signal.Notify(wake, syscall.SIGUSR1)

	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return command.Main(ctx, command.Process{
		Args:    os.Args[1:],
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Environ: os.Environ(),
		Dir:     dir,
		Self:    self,
		TempDir: os.TempDir(),
		Now:     time.Now,
		Version: version,
		Hard:    hard,
		Wake:    wake,
		Width:   width(),
		Stdout_: tty(os.Stdout),
		Stdin_:  tty(os.Stdin),
	})
}

func tty(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func width() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		return w
	}
	return 0
}
