package command

import (
	"github.com/spf13/cobra"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/cmd/wf/internal/view"
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

func policyCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Write, test and understand policies",
		Long: `Policies are Rego that judges plans. These commands write a first rule, test it, look for
rules that can never hold, tell why one speaks or is silent, and show what a change of
policies does to every workflow.`,
		Example: "  wf policy init few_writers\n  wf policy test\n  wf policy diff --base main",
		Args:    knownSubcommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, add := range []func(*app) *cobra.Command{policyInitCommand, policyTestCommand, policyCheckCommand, policyListCommand, policyExplainCommand, policyDiffCommand} {
		c.AddCommand(add(a))
	}
	return c
}

func policyInitCommand(a *app) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:     "init NAME",
		Short:   "Write a rule and its test to start from",
		Example: "  wf policy init few_writers\n  wf policy init few_writers --dir services/api/policies",
		Args:    one("the policy's name, such as few_writers"),
		RunE: func(cmd *cobra.Command, args []string) error {
			got, err := verb.PolicyInit(cmd.Context(), a.env(), args[0], dir)
			if err != nil {
				return err
			}
			a.out().Written(a.Stdout, got.Wrote, got.Kept, got.Next)
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", "policies", "the `folder` to write to")
	return c
}

func policyTestCommand(a *app) *cobra.Command {
	var format, only string
	var coverage float64
	c := &cobra.Command{
		Use:   "test [FOLDER]",
		Short: "Run the tests beside the rules, with what they reach",
		Long: `Test runs every test_ rule of *_test.rego, as opa test does, and tells for each rule the
conditions that the tests saw one way only. Without a folder it tests every policies/
folder of the repository. No test at all is no success.`,
		Example: "  wf policy test\n  wf policy test policies --coverage 100\n  wf policy test --run test_push --format junit",
		Args:    atMostOne("a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := knownFormat(cmd, format); err != nil {
				return err
			}
			if coverage > 100 {
				return usagef("--coverage is a share in percent, 0 to 100")
			}
			got, sources, err := verb.PolicyTest(cmd.Context(), a.env(), first(args), only)
			if err != nil {
				return err
			}
			return a.policyTested(got, sources, format, coverage)
		},
	}
	c.Flags().StringVar(&only, "run", "", "only tests whose full name matches this `expression`")
	c.Flags().Float64Var(&coverage, "coverage", -1, "fail when tests reach fewer `percent` of the lines")
	c.Flags().Lookup("coverage").DefValue = ""
	c.Flags().StringVar(&format, "format", "human", "human, json, junit")
	jsonFlag(c, &format)
	return c
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (a *app) policyTested(got []verb.PolicyTested, sources verb.Sources, format string, coverage float64) error {
	var list []view.PolicyTests
	var findings diag.Findings
	failed := false
	for _, t := range got {
		list = append(list, view.PolicyTests{Folder: t.Folder, Report: t.Report})
		findings = append(findings, t.Report.Findings...)
		failed = failed || !t.Report.Passed() || t.Report.Percent() < coverage
	}
	var err error
	switch format {
	case "json":
		err = view.PolicyTestsJSON(a.Stdout, list)
	case "junit":
		err = view.PolicyTestsJUnit(a.Stdout, list)
	default:
		a.out().Findings(a.Stdout, findings, sources)
		if !findings.HasErrors() {
			a.out().PolicyTested(a.Stdout, list, coverage)
		}
	}
	switch {
	case err != nil:
		return err
	case findings.HasErrors():
		return exit(verb.ExitUnevaluated)
	case failed:
		return exit(verb.ExitFailure)
	}
	return nil
}

func policyCheckCommand(a *app) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "check [FOLDER]",
		Short: "Find rules that can never hold",
		Long: `Check compiles policies against the schema of the plan and looks for what compiles and is
wrong: a comparison with a word that a field never has, a string against a number, data
that does not exist, a rule that nobody asks, a guard rule of a tool that does not exist,
an exception that lifts nothing. Without a folder it checks every policies/ folder.`,
		Example: "  wf policy check\n  wf policy check policies --format github",
		Args:    atMostOne("a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := knownFormat(cmd, format); err != nil {
				return err
			}
			got, err := verb.PolicyCheck(cmd.Context(), a.env(), first(args))
			if err != nil {
				return err
			}
			if forPrograms(format) {
				err = view.FindingsAs(a.Stdout, format, got.Findings, a.Version)
			} else {
				a.out().Findings(a.Stdout, got.Findings, got.Sources)
				if !got.Findings.HasErrors() {
					a.out().PolicyChecked(a.Stdout, got.Rules, got.Folders)
				}
			}
			if err == nil && got.Findings.HasErrors() {
				return exit(verb.ExitUnevaluated)
			}
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "human", "human, oneline, json, sarif, github")
	jsonFlag(c, &format)
	return c
}

func policyListCommand(a *app) *cobra.Command {
	var req verb.PlanRequest
	var format string
	c := &cobra.Command{
		Use:               "list [WORKFLOW | PLAN]",
		Short:             "Every rule in force; with a workflow, how often each speaks in its plan",
		Example:           "  wf policy list\n  wf policy list ship-features --input goal=\"add a search box\"",
		Args:              atMostOne("a workflow or a plan file"),
		ValidArgsFunction: a.completePlansAndWorkflows,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := knownFormat(cmd, format); err != nil {
				return err
			}
			req.Workflow = first(args)
			got, err := verb.PolicyList(cmd.Context(), a.env(), req)
			if err != nil {
				return err
			}
			if format == "json" {
				return view.JSON(a.Stdout, got)
			}
			a.out().PolicyRules(a.Stdout, got.Rules, got.Workflow != "")
			return nil
		},
	}
	inputFlags(c, &req)
	c.Flags().StringVar(&format, "format", "human", "human, json")
	jsonFlag(c, &format)
	return c
}

func policyExplainCommand(a *app) *cobra.Command {
	var req verb.PlanRequest
	var format string
	c := &cobra.Command{
		Use:   "explain RULE | CODE",
		Short: "Tell a rule; with --plan, what it says there and why",
		Long: `Explain tells a rule by its name (wf.no_pushes.deny, no_pushes), by the code of its
rulings (PUSH-1) or by its place (policies/no_pushes.rego:6). With a plan it shows the
parts of the plan that made it speak, or the condition at which it stopped.`,
		Example: "  wf policy explain PUSH-1\n  wf policy explain no_pushes --plan ship-features",
		Args:    one("a rule or its code; `wf policy list` shows them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := knownFormat(cmd, format); err != nil {
				return err
			}
			got, err := verb.PolicyExplain(cmd.Context(), a.env(), args[0], req)
			if err != nil {
				return err
			}
			if format == "json" {
				return view.JSON(a.Stdout, got)
			}
			a.out().PolicyExplanations(a.Stdout, got.Rules, got.Workflow != "")
			return nil
		},
	}
	c.Flags().StringVar(&req.Workflow, "plan", "", "a `workflow or plan` file to ask the rule about")
	inputFlags(c, &req)
	c.Flags().StringVar(&format, "format", "human", "human, json")
	jsonFlag(c, &format)
	return c
}

func policyDiffCommand(a *app) *cobra.Command {
	var req verb.PlanRequest
	var format string
	var detailed bool
	c := &cobra.Command{
		Use:   "diff",
		Short: "Which workflows change verdict under the policies of the working tree",
		Long: `Diff plans every workflow of the working tree and has each plan judged twice: by the
policies of a commit and by those of the working tree. It shows the workflows about
which they say something else, and what.`,
		Example: "  wf policy diff\n  wf policy diff --base main --detailed-exitcode",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := knownFormat(cmd, format); err != nil {
				return err
			}
			got, err := verb.PolicyDiff(cmd.Context(), a.env(), req)
			if err != nil {
				return err
			}
			if format == "json" {
				err = view.JSON(a.Stdout, got)
			} else {
				a.out().PolicyDiff(a.Stdout, got.Base, policyChanges(got))
			}
			switch {
			case err != nil:
				return err
			case got.Undecided():
				return exit(verb.ExitUnevaluated)
			case detailed && got.Changed() > 0:
				return exit(verb.ExitChanges)
			}
			return nil
		},
	}
	c.Flags().StringVar(&req.Base, "base", "HEAD", "the `commit` whose policies are compared")
	inputFlags(c, &req)
	c.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit 2 when a workflow is judged differently")
	c.Flags().StringVar(&format, "format", "human", "human, json")
	jsonFlag(c, &format)
	return c
}

func policyChanges(d verb.PolicyDiffed) []view.PolicyChange {
	var out []view.PolicyChange
	for _, c := range d.Workflows {
		out = append(out, view.PolicyChange{Workflow: c.Workflow, Before: c.Before, After: c.After, Why: c.Why, Gained: c.Gained, Lost: c.Lost, Changed: c.Changed()})
	}
	return out
}

func inputFlags(c *cobra.Command, req *verb.PlanRequest) {
	c.Flags().StringArrayVar(&req.Inputs, "input", nil, "an input as `name=value`; may be repeated")
	c.Flags().StringVar(&req.InputsFile, "inputs", "", "a YAML `file` of inputs")
}
