package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/cmd/wf/internal/view"
)

func logsCommand(a *app) *cobra.Command {
	var runID string
	var asJSON, full bool
	c := &cobra.Command{
		Use:     "logs [TICKET]",
		Short:   "The events of a run; with a ticket, also what its units printed",
		Example: "  wf logs\n  wf logs T-002.3 --transcripts",
		Args:    atMostOne("a ticket"), ValidArgsFunction: a.completeTickets,
		RunE: func(cmd *cobra.Command, args []string) error {
			ticket := ""
			if len(args) == 1 {
				ticket = args[0]
			}
			got, err := verb.Logs(cmd.Context(), a.env(), runID, ticket)
			if err != nil {
				return err
			}
			if asJSON {
				for _, l := range got.Lines {
					if _, err := fmt.Fprintf(a.Stdout, "%s\n", l.Event); err != nil {
						return err
					}
				}
				return nil
			}
			v := view.LogView{Run: got.Run, Ticket: got.Ticket}
			for _, l := range got.Lines {
				v.Events = append(v.Events, view.LogEvent{N: l.N, Event: l.Value, JSON: l.Event})
			}
			for _, u := range got.Units {
				v.Units = append(v.Units, view.UnitView(u))
			}
			a.out().Log(a.Stdout, v, full)
			return nil
		},
	}
	runFlag(c, &runID)
	c.Flags().BoolVar(&full, "transcripts", false, "with a ticket: print the transcripts whole")
	c.Flags().BoolVar(&asJSON, "json", false, "one event a line, as in the journal")
	return c
}

func diffCommand(a *app) *cobra.Command {
	var runID string
	var stat bool
	c := &cobra.Command{
		Use:     "diff TICKET",
		Short:   "What a ticket's accepted commits changed",
		Example: "  wf diff T-002.1\n  wf diff T-002.1 --stat",
		Args:    one("a ticket"), ValidArgsFunction: a.completeTickets,
		RunE: func(cmd *cobra.Command, args []string) error {
			got, err := verb.Diff(cmd.Context(), a.env(), runID, args[0])
			if err != nil {
				return err
			}
			var stats []string
			for _, f := range got.Stat {
				stats = append(stats, fmt.Sprintf("%6d + %6d - %s", f.Added, f.Removed, f.Path))
			}
			a.out().Diff(a.Stdout, got.Ticket, got.From, got.To, stats, got.Patch, got.Cut, stat)
			return nil
		},
	}
	runFlag(c, &runID)
	c.Flags().BoolVar(&stat, "stat", false, "only files and counts")
	return c
}

func evidenceCommand(a *app) *cobra.Command {
	var runID string
	var verify, asJSON bool
	c := &cobra.Command{
		Use:     "evidence [TICKET]",
		Short:   "What the runner itself saw: gates, verdicts, the rows they back",
		Example: "  wf evidence T-002.1\n  wf evidence --verify",
		Args:    atMostOne("a ticket"), ValidArgsFunction: a.completeTickets,
		RunE: func(cmd *cobra.Command, args []string) error {
			if verify {
				got, err := verb.Verify(cmd.Context(), a.env(), runID)
				if err != nil {
					return err
				}
				if asJSON {
					err = view.JSON(a.Stdout, got)
				} else {
					a.out().Verified(a.Stdout, got.Run, got.Records, got.Commits, got.Wrong)
				}
				if err == nil && len(got.Wrong) > 0 {
					return exit(verb.ExitFailure)
				}
				return err
			}
			ticket := ""
			if len(args) == 1 {
				ticket = args[0]
			}
			got, err := verb.Evidences(cmd.Context(), a.env(), runID, ticket)
			if err != nil {
				return err
			}
			if asJSON {
				return view.JSON(a.Stdout, got)
			}
			a.out().Evidence(a.Stdout, view.EvidenceView(got))
			return nil
		},
	}
	runFlag(c, &runID)
	c.Flags().BoolVar(&verify, "verify", false, "hold records against the journal and the journal against the commits")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func previewCommand(a *app) *cobra.Command {
	var runID string
	var asJSON bool
	c := &cobra.Command{
		Use:     "preview TICKET",
		Short:   "The next unit's command, environment and prompt, byte for byte; starts nothing",
		Example: "  wf preview T-003",
		Args:    one("a ticket"), ValidArgsFunction: a.completeTickets,
		RunE: func(cmd *cobra.Command, args []string) error {
			got, err := verb.PreviewUnit(cmd.Context(), a.env(), runID, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return view.JSON(a.Stdout, got)
			}
			a.out().Preview(a.Stdout, got.Unit, got.Role, got.Argv, got.Env, got.Prompt)
			return nil
		},
	}
	runFlag(c, &runID)
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func listCommand(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "The workflows of this repository, and its runs",
		Example: "  wf list",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			workflows, err := verb.List(cmd.Context(), a.env())
			if err != nil {
				return err
			}
			runs, err := verb.Runs(cmd.Context(), a.env())
			if err != nil {
				return err
			}
			if asJSON {
				return view.JSON(a.Stdout, struct {
					Workflows []verb.Listed  `json:"workflows"`
					Runs      []verb.RunLine `json:"runs"`
				}{workflows, runs})
			}
			var flows, rows []view.ListRow
			for _, l := range workflows {
				row := view.ListRow{Name: l.Name, Path: l.Path, Note: l.Description}
				if l.Errors > 0 {
					row.Note, row.Bad = fmt.Sprintf("%d errors: wf validate %s", l.Errors, l.Name), true
				}
				flows = append(flows, row)
			}
			for _, r := range runs {
				rows = append(rows, view.ListRow{Name: r.Run, Note: r.Workflow + ", " + r.State + ": " + r.Note})
			}
			a.out().List(a.Stdout, flows, rows)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func lockCommand(a *app) *cobra.Command {
	var upgrade bool
	c := &cobra.Command{
		Use:     "lock",
		Short:   "Write wf.lock: the versions this repository's workflows were planned with",
		Example: "  wf lock\n  wf lock --upgrade",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := verb.Lock(cmd.Context(), a.env(), upgrade)
			if err != nil {
				return err
			}
			a.out().Written(a.Stdout, got.Wrote, got.Kept, nil)
			return nil
		},
	}
	c.Flags().BoolVar(&upgrade, "upgrade", false, "replace what is pinned already")
	return c
}

func journalCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "journal",
		Short:   "Look at a run's journal, or mend a damaged one",
		Example: "  wf journal verify 0a1b2c3d-1\n  wf journal repair 0a1b2c3d-1",
		Args:    knownSubcommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, sub := range []struct {
		name, short string
		do          func(*cobra.Command, string) (verb.JournalReport, error)
	}{
		{"verify", "Read every line and say where the first damage is", func(cmd *cobra.Command, id string) (verb.JournalReport, error) {
			return verb.VerifyJournal(cmd.Context(), a.env(), id)
		}},
		{"repair", "Keep the lines before the first damage; the rest is moved aside, never deleted", func(cmd *cobra.Command, id string) (verb.JournalReport, error) {
			return verb.RepairJournal(cmd.Context(), a.env(), id)
		}},
	} {
		var asJSON bool
		s := &cobra.Command{
			Use: sub.name + " [RUN]", Short: sub.short, Example: "  wf journal " + sub.name + " 0a1b2c3d-1", Args: atMostOne("a run"), ValidArgsFunction: a.completeRuns,
			RunE: func(cmd *cobra.Command, args []string) error {
				id := ""
				if len(args) == 1 {
					id = args[0]
				}
				got, err := sub.do(cmd, id)
				if err != nil {
					return err
				}
				if asJSON {
					err = view.JSON(a.Stdout, got)
				} else {
					v := view.JournalView{Run: got.Header.Run, Lines: got.Lines, Head: got.Head, Torn: got.Torn, Aside: got.Aside}
					if got.Damage != nil {
						v.DamagedLine, v.Why = got.Damage.Line, got.Damage.Why
					}
					for _, c := range got.Counted {
						v.Counted = append(v.Counted, view.CountedLoss{Units: c.Units, Charged: c.Charged.String(), Unread: c.Unread, Refs: c.Refs})
					}
					a.out().Journal(a.Stdout, v)
				}
				if err == nil && got.Damage != nil && got.Aside == "" {
					return exit(verb.ExitFailure)
				}
				return err
			},
		}
		s.Flags().BoolVar(&asJSON, "json", false, "as JSON")
		c.AddCommand(s)
	}
	return c
}

func explainCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "explain CODE",
		Short:   "What a finding means, with a wrong and a right example",
		Example: "  wf explain WF203",
		Args:    one("a code such as WF203"), ValidArgsFunction: completeCodes,
		RunE: func(_ *cobra.Command, args []string) error {
			page, err := verb.Explain(args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.Stdout, page)
			return err
		},
	}
}

func versionCommand(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "The version of wf and of the formats it reads and writes",
		Example: "  wf version",
		Args:    none,
		RunE: func(*cobra.Command, []string) error {
			v := verb.VersionOf(a.env())
			if asJSON {
				return view.JSON(a.Stdout, v)
			}
			a.out().Version(a.Stdout, []string{
				"wf " + v.Version + " (" + v.Go + ", " + v.System + ")",
				fmt.Sprintf("language %d, plan %d, journal %d, rules %d, approval %d", v.Language, v.Plan, v.Journal, v.Rules, v.Approval),
			})
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func initCommand(a *app) *cobra.Command {
	var req verb.InitRequest
	var list bool
	c := &cobra.Command{
		Use:   "init [NAME]",
		Short: "Write a workflow that ships with wf, its roles and .gitignore lines",
		Long: `Init writes a workflow to start from. Without a name it is the first workflow, with a policy of its own;
--list names the others, each to be used as it is. Any other name calls the first workflow so, or with
--workflow the one that it says. Files that are there stay.`,
		Example: "  wf init && git add -A && git commit -m \"first workflow\" && wf apply first-steps --auto-approve\n  wf init --list\n  wf init bug-fix\n  wf init --workflow ship-change add-feature",
		Args:    atMostOne("a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return a.listShipped()
			}
			if len(args) == 1 {
				req.Name = args[0]
			}
			got, err := verb.Init(cmd.Context(), a.env(), req)
			if err != nil {
				return err
			}
			a.out().Written(a.Stdout, got.Wrote, got.Kept, got.Next)
			return nil
		},
	}
	c.Flags().BoolVar(&req.Force, "force", false, "replace files that are there")
	c.Flags().StringVar(&req.Workflow, "workflow", "", "the `workflow` to write, one of --list")
	c.Flags().BoolVar(&list, "list", false, "write nothing; list the workflows that ship with wf")
	return c
}

// listShipped shows a line for each workflow that init can write.
func (a *app) listShipped() error {
	all, err := verb.ListShipped()
	if err != nil {
		return err
	}
	for _, s := range all {
		fmt.Fprintf(a.Stdout, "%-20s %s\n", s.Name, s.Description)
	}
	return nil
}
