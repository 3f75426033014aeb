package command

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/cmd/wf/internal/view"
	"github.com/seed9cc7a46e/wf/planner"
)

func validateCommand(a *app) *cobra.Command {
	var format string
	var fix bool
	c := &cobra.Command{
		Use:   "validate [NAME…]",
		Short: "Check workflows; all of the repository without a name",
		Long: `Validate checks workflows, their settings, roles and replay scripts, and plans what can be
planned without inputs. With --fix it makes the changes that are certain, a misspelt key or
an unquoted value, shows them, and says what is left.`,
		Example:           "  wf validate\n  wf validate ship-features --format oneline\n  wf validate --fix",
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := knownFormat(cmd, format); err != nil {
				return err
			}
			got, err := a.validated(cmd, args, fix, format)
			if err != nil {
				return a.refusedAs(format, err)
			}
			if forPrograms(format) {
				err = view.FindingsAs(a.Stdout, format, got.Findings, a.Version)
			} else {
				a.out().Findings(a.Stdout, got.Findings, got.Sources)
				if !got.Findings.HasErrors() {
					a.out().Valid(a.Stdout, got.Workflows)
				}
			}
			if err == nil && got.Findings.HasErrors() {
				return exit(verb.ExitFailure)
			}
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "human", "human, oneline, json, sarif, github")
	c.Flags().BoolVar(&fix, "fix", false, "make the changes that are certain, and show them")
	jsonFlag(c, &format)
	return c
}

// validated checks workflows, after mending what can be mended where that was asked for.
func (a *app) validated(cmd *cobra.Command, names []string, fix bool, format string) (verb.Validated, error) {
	if !fix {
		return verb.Validate(cmd.Context(), a.env(), names)
	}
	got, err := verb.Fix(cmd.Context(), a.env(), names)
	if err != nil {
		return verb.Validated{}, err
	}
	if !forPrograms(format) {
		for _, f := range got.Files {
			a.out().Mended(a.Stdout, f.Name, f.Before, f.After)
		}
	}
	return got.Left, nil
}

// jsonFlag makes --json mean --format json.
func jsonFlag(c *cobra.Command, format *string) {
	c.Flags().Bool("json", false, "the same as --format json")
	c.PreRun = func(cmd *cobra.Command, _ []string) {
		if on, err := cmd.Flags().GetBool("json"); err == nil && on {
			*format = "json"
		}
	}
}

func planCommand(a *app) *cobra.Command {
	var req verb.PlanRequest
	var output, format string
	var detailed, changed bool
	c := &cobra.Command{
		Use:   "plan NAME | --changed --base REF",
		Short: "Show everything a run could ever do; changes nothing",
		Long: `Plan type-checks the workflow, expands it, bounds it and has every policy judge it.
It reads files and git, writes nothing else, and needs no agent program and no network.

With --base the plan starts from that commit and says what differs from the same workflow
there; --changed plans every workflow that differs, as a pull request needs it.`,
		Example: "  wf plan ship-features --input goal=\"add a search box\" -o p.wfplan\n  wf plan services/api:deploy --base main --format markdown\n  wf plan --changed --base main",
		Args: func(cmd *cobra.Command, args []string) error {
			if changed {
				return none(cmd, args)
			}
			return one("a workflow; `wf list` shows them")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := knownFormat(cmd, format); err != nil {
				return err
			}
			if changed {
				return a.planChanged(cmd, req, format, output, detailed)
			}
			req.Workflow = args[0]
			planned, err := verb.Plan(cmd.Context(), a.env(), req)
			if err != nil {
				return a.refusedAs(format, err)
			}
			if output != "" {
				if err := verb.WriteFile(a.env(), output, planned.Bytes); err != nil {
					return err
				}
			}
			if err := a.showPlanned(planned, format, output); err != nil {
				return err
			}
			switch {
			case planned.Denied():
				return exit(verb.ExitDenied)
			case detailed && planned.Changes():
				return exit(verb.ExitChanges)
			}
			return nil
		},
		ValidArgsFunction: a.completeWorkflows,
	}
	c.Flags().StringVarP(&output, "out", "o", "", "save the plan to this `file`")
	c.Flags().StringArrayVar(&req.Inputs, "input", nil, "an input as `name=value`; may be repeated")
	c.Flags().StringVar(&req.InputsFile, "inputs", "", "a YAML `file` of inputs")
	c.Flags().StringArrayVar(&req.Untrusted, "untrusted-input", nil, "an input `name=value` that somebody outside wrote; it must be declared untrusted")
	c.Flags().StringVar(&req.Base, "base", "", "the `commit` tickets start from, and to compare with (default HEAD, compared with nothing)")
	c.Flags().BoolVar(&changed, "changed", false, "plan every workflow that differs from --base")
	c.Flags().StringVar(&format, "format", "human", "human, markdown, json; oneline, sarif, github: only what was found")
	c.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit 2 when the plan differs from the one applied last")
	jsonFlag(c, &format)
	return c
}

// planChanged plans what a pull request changes.
func (a *app) planChanged(cmd *cobra.Command, req verb.PlanRequest, format, output string, detailed bool) error {
	if req.Base == "" || output != "" {
		return usagef("`wf plan --changed` needs --base, such as --base main, and saves no plan")
	}
	got, err := verb.PlanChanged(cmd.Context(), a.env(), req)
	if err != nil {
		return err
	}
	var list []view.ChangedView
	for _, c := range got.Plans {
		list = append(list, changedView(c))
	}
	switch format {
	case "markdown":
		view.MarkdownChanged(a.Stdout, got.Base, list)
	case "json":
		if err := view.ChangedJSON(a.Stdout, got.Base, got.Exit(), list); err != nil {
			return err
		}
	case "oneline", "sarif", "github":
		if err := view.ChangedFindings(a.Stdout, format, list, a.Version); err != nil {
			return err
		}
	default:
		a.out().Changed(a.Stdout, got.Base, list)
	}
	switch {
	case got.Exit() != 0:
		return exit(got.Exit())
	case detailed && len(list) > 0:
		return exit(verb.ExitChanges)
	}
	return nil
}

func changedView(c verb.ChangedPlan) view.ChangedView {
	v := view.ChangedView{Workflow: c.Workflow, Path: c.Path, Exit: c.Exit()}
	switch {
	case c.Gone:
		v.Verdict = view.VerdictRemoved
		return v
	case c.Refused != nil:
		v.Verdict, v.Findings = view.VerdictUnplannable, c.Refused.Findings
		if v.Exit == verb.ExitUnevaluated {
			v.Verdict = view.VerdictNotJudged
		}
		return v
	case c.Planned.Denied():
		v.Verdict = view.VerdictDenied
	case len(c.Planned.Plan.Policy.Asks) > 0:
		v.Verdict = view.VerdictAsks
	default:
		v.Verdict = view.VerdictAllowed
	}
	v.Change, v.Findings = *c.Planned.Against(), c.Planned.Findings
	v.View = &view.PlanView{Plan: c.Planned.Plan, Digest: c.Planned.Digest, Change: &v.Change}
	return v
}

// showPlanned writes a plan just made, with what was found beside it.
func (a *app) showPlanned(planned verb.Planned, format, savedAs string) error {
	v := view.PlanView{Plan: planned.Plan, Digest: planned.Digest, Change: planned.Against(), SavedAs: savedAs, SayApply: "wf apply " + planned.Plan.Workflow.Name}
	if format == underApply {
		v.SayApply = "" // that is what is going on
	}
	for _, l := range planned.Host {
		v.Lacks = append(v.Lacks, "needs "+l.Need+": "+l.Why+"; "+l.Fix)
	}
	switch format {
	case "markdown":
		view.Markdown(a.Stdout, v, planned.Findings)
	case "json":
		return view.PlanJSON(a.Stdout, v, planned.Findings)
	case "oneline", "sarif", "github":
		return view.FindingsAs(a.Stdout, format, planned.Findings, a.Version)
	default:
		errs, rest := planned.Told()
		v.Findings, v.Sources = rest, planned.Sources
		a.out().Plan(a.Stdout, v)
		if len(errs) > 0 {
			a.out().Refusal(a.Stderr, errs, planned.Sources)
		}
	}
	return nil
}

// underApply is the format of a plan that `wf apply` shows before it asks.
const underApply = "apply"

func showCommand(a *app) *cobra.Command {
	var format, against string
	c := &cobra.Command{
		Use:     "show PLAN",
		Short:   "Read a saved plan; a damaged one is shown as far as it can be read",
		Example: "  wf show p.wfplan\n  wf show new.wfplan --against old.wfplan",
		Args:    one("a plan file"), ValidArgsFunction: completePlans,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := knownFormat(cmd, format); err != nil {
				return err
			}
			file, err := verb.ReadPlan(a.env(), args[0])
			if err != nil && (file.Plan == nil || file.Plan.Workflow.Name == "") {
				return err // nothing of it can be read
			}
			v := view.PlanView{Plan: file.Plan, Digest: file.Digest, SavedAs: args[0], Change: file.Plan.Change}
			if against != "" {
				other, err := verb.ReadPlan(a.env(), against)
				if err != nil {
					return err
				}
				change := planner.Diff(other.Plan, file.Plan)
				change.Against = other.Digest
				file.Plan.Change, v.Change = nil, &change // what it is compared with is asked for
			}
			switch format {
			case "markdown":
				view.Markdown(a.Stdout, v, nil)
			case "json":
				if e := view.PlanJSON(a.Stdout, v, nil); e != nil {
					return e
				}
			default:
				a.out().Plan(a.Stdout, v)
			}
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "human", "human, markdown, json")
	c.Flags().StringVar(&against, "against", "", "an older plan `file` to compare with")
	jsonFlag(c, &format)
	return c
}

func approveCommand(a *app) *cobra.Command {
	var key, output, expires, runID string
	var yes bool
	c := &cobra.Command{
		Use:   "approve PLAN | TICKET",
		Short: "Sign a plan, or let a held ticket go on",
		Long: `Approve shows a plan and signs its digest with your SSH key, once. With a ticket's ID
it lets a ticket go on that waits for an operator.`,
		Example: "  wf approve p.wfplan --key ~/.ssh/id_ed25519 -o p.wfsig\n  wf approve T-005",
		Args:    one("a plan file or a ticket"), ValidArgsFunction: a.completePlansAndTickets,
		RunE: func(cmd *cobra.Command, args []string) error {
			if looksLikeTicket(args[0]) {
				return a.decide(cmd, verb.DecideRequest{Kind: "approve", Ticket: args[0], Run: runID, Signer: a.signer(key)})
			}
			req := verb.ApproveRequest{Plan: args[0], Signer: a.signer(key), Output: output}
			if expires != "" {
				d, err := time.ParseDuration(expires)
				if err != nil || d <= 0 {
					return usagef("--expires %q is not a duration such as 24h", expires)
				}
				req.Expires = d
			}
			got, err := verb.Approve(cmd.Context(), a.env(), req, func(p verb.Approvable) (bool, error) {
				if yes {
					return true, nil
				}
				a.out().Plan(a.Stdout, view.PlanView{Plan: p.Plan, Digest: p.Digest, Change: p.Plan.Change})
				return a.ask("Sign exactly this plan?")
			})
			if err != nil {
				return err
			}
			a.out().Approved(a.Stdout, got.Signer, got.Key, got.Digest, got.Nonce, args[0], output)
			return nil
		},
	}
	c.Flags().StringVar(&key, "key", "", "private SSH key `file` (default: the keys of ssh-agent)")
	c.Flags().StringVarP(&output, "out", "o", "", "write the approval to this `file`, to be carried elsewhere")
	c.Flags().StringVar(&expires, "expires", "", "how long it is good, such as `24h`")
	c.Flags().StringVar(&runID, "run", "", "the `run`, for a ticket")
	c.Flags().BoolVar(&yes, "yes", false, "sign without asking; you have looked at it with wf show")
	return c
}

func rejectCommand(a *app) *cobra.Command {
	var key, runID, reason string
	c := &cobra.Command{
		Use:     "reject TICKET",
		Short:   "Cancel a held ticket",
		Example: "  wf reject T-005 --reason \"not this quarter\"",
		Args:    one("a ticket"), ValidArgsFunction: a.completeTickets,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.decide(cmd, verb.DecideRequest{Kind: "reject", Ticket: args[0], Text: reason, Run: runID, Signer: a.signer(key)})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, for the record")
	decisionFlags(c, &key, &runID)
	return c
}

func decisionFlags(c *cobra.Command, key, runID *string) {
	c.Flags().StringVar(key, "key", "", "private SSH key `file`, where the repository names operators")
	c.Flags().StringVar(runID, "run", "", "the `run`; the only open one, else the latest, without it")
}

func (a *app) signer(key string) verb.Signer {
	s := verb.Signer{KeyFile: key, AgentSock: a.getenv("SSH_AUTH_SOCK")}
	if a.Asking {
		s.Passphrase = a.passphrase
	}
	return s
}

// decide records a decision and says what became of it.
func (a *app) decide(cmd *cobra.Command, req verb.DecideRequest) error {
	req.Terminal, req.User = a.Asking, a.getenv("USER")
	got, err := verb.Decide(cmd.Context(), a.env(), req)
	if err != nil {
		return err
	}
	what := got.Decided.Ticket
	if what == "" {
		what = got.Decided.Question
	}
	a.out().Decided(a.Stdout, got.Decided.Kind, what, got.Run, got.Live)
	return nil
}

func looksLikeTicket(arg string) bool {
	if _, err := os.Stat(arg); err == nil {
		return false
	}
	rest, ok := strings.CutPrefix(arg, "T-")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// ask puts a question to the person at the terminal; only "yes" is yes. An
// interrupt is a no, and does not wait for a line to be typed.
func (a *app) ask(question string) (bool, error) {
	if !a.Asking {
		return false, usagef("nobody can be asked here: run it at a terminal, or with --yes after reading the plan with `wf show`")
	}
	fmt.Fprintf(a.Stderr, "\n%s Only 'yes' is accepted: ", question)
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(a.Stdin).ReadString('\n')
		if err != nil {
			line = "" // the terminal went away: that is a no
		}
		answer <- line
	}()
	select {
	case line := <-answer:
		return strings.TrimSpace(line) == "yes", nil
	case <-a.Soft.Done():
		fmt.Fprintln(a.Stderr)
		return false, exit(verb.ExitInterrupted)
	}
}
