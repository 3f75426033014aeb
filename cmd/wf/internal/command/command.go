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
	"path/filepath"
	"runtime/debug"
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
func Main(p Process) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			code = crashed(p, fault, debug.Stack())
		}
	}()
	out := &writer{to: p.Stdout}
	p.Stdout = out
	app := &app{Process: p, typedIn: p.Dir}
	root := app.root()
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	if err := root.ExecuteContext(p.Soft); err != nil {
		code = app.fail(err)
	}
	if out.err != nil && code == 0 {
		fmt.Fprintf(p.Stderr, "wf: the output could not be written: %v; what the command did is done\n", out.err)
		return verb.ExitFailure
	}
	return code
}

// crashed says what a person needs to know of a fault of wf itself, and what one
// who mends it needs. What a run recorded was durable before it was acted on, so
// that nothing is lost with the process.
func crashed(p Process, fault any, stack []byte) int {
	fmt.Fprintf(p.Stderr, `wf: a fault of wf itself stopped this command; your files are not the cause.
Nothing that a run recorded is lost: the same command can be given again, and `+"`wf apply`"+` goes on.
Please report it with the lines below; read them through first, they can quote a name or a value.

wf %s: %v
%s`, p.Version, fault, stack)
	return verb.ExitFailure
}

// writer remembers the first failure, so that lost output is no success.
type writer struct {
	to  io.Writer
	err error
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// app is one invocation.
type app struct {
	Process
	typedIn string // folder
	color   string
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
	if a.Soft != nil && a.Soft.Err() != nil {
		// Whatever failed then, failed because it was told to stop.
		fmt.Fprintln(a.Stderr, "wf: interrupted; nothing recorded is lost, and the same command goes on")
		return verb.ExitInterrupted
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
		Example:           "  wf init && git add -A && git commit -m \"first workflow\"\n  wf plan first-steps\n  wf apply first-steps",
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              knownSubcommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.prepare() },
	}
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "colour: auto, always, never")
	root.PersistentFlags().StringVarP(&a.Dir, "chdir", "C", a.Dir, "run as if started in this `folder`")
	root.PersistentFlags().Lookup("chdir").DefValue = "" // help is the same in every folder
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = false
	cobra.EnableCommandSorting = false // help is in the order of a day's work
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, add := range g.commands {
			c := add(a)
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpCommandGroupID(keeping)
	root.SetCompletionCommandGroupID(keeping)
	a.completeFlags(root)
	return root
}

// prepare checks what every command shares.
func (a *app) prepare() error {
	switch a.color {
	case "auto", "always", "never":
	default:
		return usagef("--color is auto, always or never, not %q", a.color)
	}
	return nil
}

// folder is where the command works: -C is read from the folder it was typed in.
func (a *app) folder() string {
	if filepath.IsAbs(a.Dir) {
		return filepath.Clean(a.Dir)
	}
	return filepath.Join(a.typedIn, a.Dir)
}

const keeping = "Keep house"

// groups are all subcommands, in the order in which help shows them.
var groups = []struct {
	title    string
	commands []func(*app) *cobra.Command
}{
	{"Plan and apply", []func(*app) *cobra.Command{planCommand, approveCommand, applyCommand, statusCommand}},
	{"Write workflows", []func(*app) *cobra.Command{initCommand, validateCommand, fmtCommand, explainCommand, policyCommand, listCommand, lockCommand, schemaCommand, lspCommand}},
	{"Decide during a run", []func(*app) *cobra.Command{inboxCommand, answerCommand, unparkCommand, retryCommand, rejectCommand, stopCommand, deliverCommand}},
	{"Look closer", []func(*app) *cobra.Command{showCommand, graphCommand, diffCommand, evidenceCommand, logsCommand, previewCommand}},
	{keeping, []func(*app) *cobra.Command{cleanCommand, journalCommand, versionCommand}},
}

// helpCommand is cobra's, which answers a word that is no command with success.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about a command",
		Example: "  wf help plan",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return knownSubcommand(root, args)
			}
			return c.Help()
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var out []string
			for _, c := range root.Commands() {
				out = append(out, c.Name()+"\t"+c.Short)
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// env is what verbs need of the process.
func (a *app) env() verb.Env {
	return verb.Env{
		Dir: a.folder(), Self: a.Self, TempDir: a.TempDir, Now: a.Now, Version: a.Version,
		Environ: a.Environ, Getenv: a.getenv, Hard: a.Hard, Wake: a.Wake,
	}
}

// out is how this invocation writes for people.
func (a *app) out() view.Style {
	return view.Style{Colour: a.coloured(), Width: a.Width}
}

// coloured keeps the conventions: the flag first, then NO_COLOR, then what
// forces colour without a terminal, then CLICOLOR and the terminal itself.
func (a *app) coloured() bool {
	forced := func(name string) bool { v := a.getenv(name); return v != "" && v != "0" }
	switch {
	case a.color != "auto":
		return a.color == "always"
	case a.getenv("NO_COLOR") != "":
		return false
	case forced("FORCE_COLOR"), forced("CLICOLOR_FORCE"):
		return true
	}
	return a.Terminal && a.getenv("CLICOLOR") != "0" && a.getenv("FORCE_COLOR") != "0" && a.getenv("TERM") != "dumb"
}
