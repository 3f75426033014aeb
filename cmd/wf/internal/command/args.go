package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
)

func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usagef("`%s` needs an argument: %s (see `%s --help`)", cmd.CommandPath(), what, cmd.CommandPath())
		case len(args) > 1:
			return usagef("`%s` takes one argument, %s, and got %s", cmd.CommandPath(), what, quoted(args))
		case args[0] == "":
			return usagef("`%s` got an empty argument: it takes %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 1:
			return usagef("`%s` takes at most one argument, %s, and got %s", cmd.CommandPath(), what, quoted(args))
		case len(args) == 1 && args[0] == "":
			return usagef("`%s` got an empty argument: it takes %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("`%s` takes no argument, and got %s", cmd.CommandPath(), quoted(args))
	}
	return nil
}

func quoted(args []string) string { return "\"" + strings.Join(args, "\" \"") + "\"" }

// knownSubcommand refuses a word that is no command, and offers one that is like it.
func knownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var like []string
	cmd.SuggestionsMinimumDistance = 2
	for _, name := range cmd.SuggestionsFor(args[0]) {
		like = append(like, "`"+cmd.CommandPath()+" "+name+"`")
	}
	if len(like) > 0 {
		return usagef("there is no command `%s %s`; did you mean %s?", cmd.CommandPath(), args[0], strings.Join(like, " or "))
	}
	return usagef("there is no command `%s %s`", cmd.CommandPath(), args[0])
}

// flagError refuses a flag, and offers one that is like it.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		if like := nearestFlag(cmd, name); like != "" {
			return usagef("there is no flag --%s; did you mean --%s?", name, like)
		}
		return usagef("there is no flag --%s (see `%s --help`)", name, cmd.CommandPath())
	}
	return usagef("%s (see `%s --help`)", text, cmd.CommandPath())
}

func nearestFlag(cmd *cobra.Command, name string) string {
	best, least := "", len(name)/3+2
	look := func(f *pflag.Flag) {
		if d := distance(name, f.Name); d < least && !f.Hidden {
			best, least = f.Name, d
		}
	}
	cmd.Flags().VisitAll(look)
	cmd.InheritedFlags().VisitAll(look)
	return best
}

// distance is how many letters must be put in, taken out, replaced or swapped
// with their neighbour to make b of a.
func distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(next[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last = last, next
	}
	return last[len(b)]
}

// Completion. What cannot be found out offers nothing: a shell is no place for a finding.

func (a *app) completeWorkflows(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := verb.List(cmd.Context(), a.env())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, l := range list {
		out = append(out, l.Name+"\t"+l.Description)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completePlansAndWorkflows(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out, _ := a.completeWorkflows(cmd, args, typed)
	return out, cobra.ShellCompDirectiveDefault
}

func completePlans(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"wfplan"}, cobra.ShellCompDirectiveFilterFileExt
}

func (a *app) completePlansAndTickets(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.HasPrefix(typed, "T") {
		return a.completeTickets(cmd, args, typed)
	}
	return completePlans(cmd, args, typed)
}

func (a *app) completeTickets(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	id := ""
	if f := cmd.Flag("run"); f != nil {
		id = f.Value.String()
	}
	got, err := verb.Statuses(cmd.Context(), a.env(), id)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, t := range got.Report.Tickets {
		out = append(out, t.ID+"\t"+t.Address+", "+string(t.Status))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeQuestions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	got, err := verb.Inbox(cmd.Context(), a.env())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, st := range got {
		for _, t := range st.Report.Tickets {
			if words := strings.Fields(t.Command); t.Question != "" && len(words) > 2 {
				out = append(out, words[2]+"\t"+t.ID+" "+t.Address)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeRuns(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := verb.Runs(cmd.Context(), a.env())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, r := range list {
		out = append(out, r.Run+"\t"+r.Workflow+", "+r.State)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func completeCodes(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	codes, err := verb.Codes()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return codes, cobra.ShellCompDirectiveNoFileComp
}

// completeFlags gives the flags whose values are known their completion.
func (a *app) completeFlags(c *cobra.Command) {
	values := map[string][]string{"color": {"auto", "always", "never"}, "format": formats[formatKey(c)]}
	for _, name := range []string{"color", "format"} {
		if c.LocalFlags().Lookup(name) != nil {
			// It fails only for a flag that is not there, or has one.
			_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values[name], cobra.ShellCompDirectiveNoFileComp))
		}
	}
	if c.LocalFlags().Lookup("run") != nil {
		_ = c.RegisterFlagCompletionFunc("run", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return a.completeRuns(cmd, nil, typed)
		})
	}
	for _, sub := range c.Commands() {
		a.completeFlags(sub)
	}
}

// knownFormat refuses a format before any work is done.
func knownFormat(cmd *cobra.Command, format string) error {
	known := formats[formatKey(cmd)]
	if slices.Contains(known, format) {
		return nil
	}
	return usagef("--format is %s or %s, not %q", strings.Join(known[:len(known)-1], ", "), known[len(known)-1], format)
}

var formats = map[string][]string{
	"validate": {"human", "oneline", "json", "sarif", "github"},
	"plan":     {"human", "markdown", "json", "oneline", "sarif", "github"},
	"show":     {"human", "markdown", "json"},

	"policy test":    {"human", "json", "junit"},
	"policy check":   {"human", "oneline", "json", "sarif", "github"},
	"policy list":    {"human", "json"},
	"policy explain": {"human", "json"},
	"policy diff":    {"human", "json"},
	"graph":          {"svg", "dot", "mermaid", "json"},
}

// formatKey names a command below wf.
func formatKey(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), "wf ") }
