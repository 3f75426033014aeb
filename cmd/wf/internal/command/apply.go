package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/cmd/wf/internal/view"
	"github.com/seed9cc7a46e/wf/materializer/run/report"
)

func applyCommand(a *app) *cobra.Command {
	var req verb.ApplyRequest
	c := &cobra.Command{
		Use:   "apply [PLAN | NAME]",
		Short: "Carry out an approved plan, or go on with a run that was stopped",
		Long: `Apply makes what the plan shows and runs it. It can be stopped or killed anywhere;
called again without an argument it goes on where it was.

Exit: 0 everything is done, 4 something waits for a person, 8 something is parked.`,
		Example: "  wf apply p.wfplan --approval p.wfsig\n  wf apply ship-features\n  wf apply",
		Args:    atMostOne("a plan file or a workflow"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && verb.IsPlanFile(a.env(), args[0]) {
				req.Plan = args[0]
			} else if len(args) == 1 {
				req.Workflow = args[0]
			}
			req.User = a.getenv("USER")
			live := a.out().Live(a.Stdout)
			req.Watch = live.Event
			req.ShowPlanned = func(p verb.Planned) {
				// What is wrong with showing it shows in the prompt below.
				_ = a.showPlanned(p, underApply, "")
			}
			req.Notice = func(said string) { a.out().Notice(a.Stderr, said) }
			if a.Asking {
				req.Confirm = func(verb.Planned) (bool, error) { return a.ask("Apply exactly this plan?") }
			}
			got, err := verb.Apply(cmd.Context(), a.env(), req)
			if err == nil && got.State != nil {
				a.out().Applied(a.Stdout, view.AppliedView{
					Status: view.StatusView{Report: report.Of(got.State), Others: got.Others, Key: got.Key},
					Exit:   got.Exit, Waiting: got.Waiting, Nothing: got.Nothing, Again: strings.Join(args, ""),
				})
			}
			if err != nil {
				return err
			}
			if got.Exit != 0 {
				return exit(got.Exit)
			}
			return nil
		},
		ValidArgsFunction: a.completePlansAndWorkflows,
	}
	f := c.Flags()
	f.StringArrayVar(&req.Approvals, "approval", nil, "approval `file` made by wf approve -o; may be repeated")
	f.BoolVar(&req.Auto, "auto-approve", false, "approve without a person, as far as policies allow that")
	f.StringArrayVar(&req.Inputs, "input", nil, "an input as `name=value`; may be repeated")
	f.StringVar(&req.InputsFile, "inputs", "", "a YAML `file` of inputs")
	f.BoolVar(&req.Again, "again", false, "run a plan once more that was carried out; needs a new approval")
	f.BoolVar(&req.New, "new", false, "begin a new run although one of this workflow is open")
	f.StringVar(&req.Run, "run", "", "go on with this `run`")
	return c
}

func runFlag(c *cobra.Command, runID *string) {
	c.Flags().StringVar(runID, "run", "", "the `run`; the only open one, else the latest, without it")
}

func statusCommand(a *app) *cobra.Command {
	var runID string
	var asJSON bool
	c := &cobra.Command{
		Use:     "status",
		Short:   "What is going on; blocked, held and parked first, each with its command",
		Example: "  wf status\n  wf status --run 0a1b2c3d-1 --json",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := verb.Statuses(cmd.Context(), a.env(), runID)
			if err != nil {
				return err
			}
			v := view.StatusView(got)
			if asJSON {
				return view.JSON(a.Stdout, v.JSON())
			}
			a.out().Status(a.Stdout, v)
			return nil
		},
	}
	runFlag(c, &runID)
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func inboxCommand(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "inbox",
		Short:   "What waits for you, in all open runs",
		Example: "  wf inbox",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := verb.Inbox(cmd.Context(), a.env())
			if err != nil {
				return err
			}
			if asJSON {
				rows := []view.StatusJSON{}
				for _, v := range got {
					rows = append(rows, view.StatusView(v).JSON())
				}
				return view.JSON(a.Stdout, rows)
			}
			var runs []view.StatusView
			for _, v := range got {
				runs = append(runs, view.StatusView(v))
			}
			a.out().Inbox(a.Stdout, runs)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func answerCommand(a *app) *cobra.Command {
	var key, runID string
	c := &cobra.Command{
		Use:               "answer QUESTION TEXT",
		Short:             "Answer a question of an agent",
		Example:           "  wf answer Q-001 \"use the v2 client\"",
		ValidArgsFunction: a.completeQuestions,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("`wf answer` takes a question or a ticket, and the answer in quotes")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			req := verb.DecideRequest{Kind: "answer", Text: args[1], Run: runID, Signer: a.signer(key)}
			if looksLikeTicket(args[0]) {
				req.Ticket = args[0]
			} else {
				req.Question = args[0]
			}
			return a.decide(cmd, req)
		},
	}
	decisionFlags(c, &key, &runID)
	return c
}

func unparkCommand(a *app) *cobra.Command {
	var key, runID, note string
	c := &cobra.Command{
		Use:     "unpark TICKET",
		Short:   "Grant a parked ticket one more round, inside the plan's limits",
		Example: "  wf unpark T-002.5 --note \"the judge is right, take from the front\" && wf apply",
		Args:    one("a ticket"), ValidArgsFunction: a.completeTickets,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.decide(cmd, verb.DecideRequest{Kind: "unpark", Ticket: args[0], Text: note, Run: runID, Signer: a.signer(key)})
		},
	}
	c.Flags().StringVar(&note, "note", "", "what the next round should know")
	decisionFlags(c, &key, &runID)
	return c
}

func retryCommand(a *app) *cobra.Command {
	var key, runID, stage, note string
	c := &cobra.Command{
		Use:     "retry TICKET",
		Short:   "Grant a parked ticket one more round from a stage",
		Example: "  wf retry T-002.5 --from qa",
		Args:    one("a ticket"), ValidArgsFunction: a.completeTickets,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.decide(cmd, verb.DecideRequest{Kind: "retry", Ticket: args[0], Stage: stage, Text: note, Run: runID, Signer: a.signer(key)})
		},
	}
	c.Flags().StringVar(&stage, "from", "", "the `stage` to begin with")
	c.Flags().StringVar(&note, "note", "", "what the next round should know")
	decisionFlags(c, &key, &runID)
	return c
}

func stopCommand(a *app) *cobra.Command {
	var runID string
	c := &cobra.Command{
		Use:     "stop",
		Short:   "Stop the process that carries a run out; `wf apply` goes on later",
		Example: "  wf stop",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := verb.Stop(cmd.Context(), a.env(), runID)
			if err != nil {
				return err
			}
			a.out().Stopped(a.Stdout, id)
			return nil
		},
	}
	runFlag(c, &runID)
	return c
}

func deliverCommand(a *app) *cobra.Command {
	var key, runID string
	var asJSON bool
	c := &cobra.Command{
		Use:     "deliver TICKET",
		Short:   "Take a done ticket's branch over; wf moves no branch of yours",
		Example: "  wf deliver T-002.1",
		Args:    one("a ticket"), ValidArgsFunction: a.completeTickets,
		RunE: func(cmd *cobra.Command, args []string) error {
			got, err := verb.Deliver(cmd.Context(), a.env(), verb.DecideRequest{Ticket: args[0], Run: runID, Signer: a.signer(key), Terminal: a.Asking, User: a.getenv("USER")})
			if err != nil {
				return err
			}
			if asJSON {
				return view.JSON(a.Stdout, got)
			}
			a.out().Delivered(a.Stdout, got.Ticket, got.Branch, got.Commit, got.Command)
			return nil
		},
	}
	decisionFlags(c, &key, &runID)
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func cleanCommand(a *app) *cobra.Command {
	var req verb.CleanRequest
	var asJSON bool
	c := &cobra.Command{
		Use:     "clean",
		Short:   "Remove worktrees and branches whose work is merged or empty",
		Long:    "Clean lists what goes and what stays, removes what is merged or empty, and looks afterwards\nwhether it is gone. Other work goes only by name, with --discard.",
		Example: "  wf clean --dry-run\n  wf clean --discard T-002.5",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := verb.Clean(cmd.Context(), a.env(), req)
			if err != nil {
				return err
			}
			if asJSON {
				return view.JSON(a.Stdout, got)
			}
			var rows []view.CleanRow
			for _, r := range got {
				rows = append(rows, view.CleanRow{Ticket: r.Ticket, Path: r.Path, Branch: r.Branch, Why: r.Why, Goes: r.Goes, Gone: r.Gone})
			}
			a.out().Cleaned(a.Stdout, rows, req.DryRun)
			return nil
		},
	}
	c.Flags().BoolVar(&req.DryRun, "dry-run", false, "list only")
	c.Flags().StringArrayVar(&req.Discard, "discard", nil, "remove the work of this `ticket` although it is not merged")
	runFlag(c, &req.Run)
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}
