// Package command defines the command line: flags, help and exit codes, one
// file per subcommand. What a subcommand does is verb's; what it shows is
// view's.
//
// Enter with Main, or with Inside for the hidden subcommands that run inside a
// unit's sandbox.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/cmd/wf/internal/view"
)

// Process is what only main can give.
type Process struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
	Dir            string // working folder
	Self           string // path of this binary
	TempDir        string
	Now            func() time.Time
	Version        string
	Width          int  // columns of the terminal; 0: unknown
	Terminal       bool // standard output is a terminal
	Asking         bool // somebody can be asked
	Soft, Hard     context.Context
	Wake           <-chan struct{}
}

// getenv looks a variable up in the environment the process was given.
func (p Process) getenv(name string) string {
	value := ""
	for _, entry := range p.Environ {
		if rest, ok := strings.CutPrefix(entry, name+"="); ok {
			value = rest
		}
	}
	return value
}

// Main runs the command line and gives the exit status. Errors travel here and
// are mapped once.
func Main(p Process) int {
	app := &app{Process: p}
	root := app.root()
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(p.Soft)
	if err == nil {
		return 0
	}
	return app.fail(err)
}

// app is one invocation.
type app struct {
	Process
	color string
}

// exit ends a subcommand that has said everything with a status of its own.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usage is a wrong command line.
type usage struct{ text string }

func (u usage) Error() string { return u.text }

func usagef(format string, args ...any) error { return usage{fmt.Sprintf(format, args...)} }

// fail says what went wrong and maps it to the documented exit codes.
func (a *app) fail(err error) int {
	var code exit
	if errors.As(err, &code) {
		return int(code)
	}
	var wrong usage
	if errors.As(err, &wrong) || isCobraUsage(err) {
		fmt.Fprintf(a.Stderr, "wf: %s\nRun `wf help` for the commands.\n", err)
		return verb.ExitUsage
	}
	var refusal *verb.Refusal
	if errors.As(err, &refusal) {
		a.out().Refusal(a.Stderr, refusal.Findings, refusal.Sources)
		return refusal.Exit
	}
	fmt.Fprint(a.Stderr, view.Failure(err))
	return verb.ExitFailure
}

// isCobraUsage recognises the errors cobra makes of a wrong command line; it
// has no type for them.
func isCobraUsage(err error) bool {
	text := err.Error()
	for _, begin := range []string{"unknown command", "unknown flag", "unknown shorthand", "flag needs an argument", "invalid argument", "accepts ", "requires at least", "required flag"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "wf",
		Short: "Terraform for teams of coding agents",
		Long: `wf plans, approves and carries out workflows of coding agents.

  wf plan NAME      shows everything a run could ever do, and changes nothing
  wf approve PLAN   a person signs exactly that
  wf apply PLAN     makes agents, tickets and worktrees, and runs them with evidence gates
  wf status         what is going on; blocked and parked first`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "colour: auto, always, never")
	root.PersistentFlags().StringVarP(&a.Dir, "chdir", "C", a.Dir, "run as if started in this `folder`")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%s (see `%s --help`)", err, cmd.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = false
	for _, add := range subcommands {
		root.AddCommand(add(a))
	}
	return root
}

// subcommands are all of them; cobra sorts them by name.
var subcommands = []func(*app) *cobra.Command{
	initCommand, validateCommand, planCommand, showCommand, approveCommand, rejectCommand, applyCommand,
	statusCommand, inboxCommand, answerCommand, logsCommand, diffCommand, evidenceCommand, previewCommand,
	unparkCommand, retryCommand, stopCommand, deliverCommand, cleanCommand, listCommand, lockCommand,
	journalCommand, explainCommand, versionCommand,
}

// env is what verbs need of the process.
func (a *app) env() verb.Env {
	return verb.Env{
		Dir: a.Dir, Self: a.Self, TempDir: a.TempDir, Now: a.Now, Version: a.Version,
		Environ: a.Environ, Getenv: a.getenv, Hard: a.Hard, Wake: a.Wake,
	}
}

// out is how this invocation writes for people.
func (a *app) out() view.Style {
	colour := a.color == "always" || a.color == "auto" && a.Terminal && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
	return view.Style{Colour: colour, Width: a.Width}
}
