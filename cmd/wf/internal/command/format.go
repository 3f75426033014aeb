package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
)

func fmtCommand(a *app) *cobra.Command {
	var check, showing bool
	c := &cobra.Command{
		Use:   "fmt [FILE…]",
		Short: "Lay out workflows, settings, replay scripts and tests in one way",
		Long: `Fmt gives files their canonical form: two spaces a level, one space between words, one empty
line at most, comments kept, keys in their order. It names the files it changes. Without a file it takes
*.wf.yaml, wf.yaml, *.replay.yaml and *.wftest.yaml below the working folder; - is standard input.
A file with syntax errors is left alone.`,
		Example: "  wf fmt\n  wf fmt --check\n  wf fmt --diff workflows/ship-features.wf.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "-" {
				return a.formatStdin(check, showing)
			}
			got, err := verb.Format(a.env(), args)
			if err != nil {
				return err
			}
			return a.formatted(got, check, showing, !check && !showing)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	c.Flags().BoolVar(&check, "check", false, "write nothing; exit 1 when a file is not in its canonical form")
	c.Flags().BoolVarP(&showing, "diff", "d", false, "write nothing; show what would change")
	return c
}

// formatted says what became of files, and writes those that changed.
func (a *app) formatted(got verb.Layouts, check, showing, write bool) error {
	changed := false
	for _, f := range got.Files {
		if !f.Changed() {
			continue
		}
		changed = true
		if write {
			if err := verb.WriteFormatted(a.env(), f); err != nil {
				return err
			}
		}
		a.out().Formatted(a.Stdout, f.Name, f.Before, f.After, showing)
	}
	if len(got.Findings) > 0 {
		a.out().Findings(a.Stderr, got.Findings, got.Sources)
	}
	if got.Findings.HasErrors() || check && changed {
		return exit(verb.ExitFailure)
	}
	return nil
}

// formatStdin is a filter: text in, its canonical form out. What has errors
// comes out as it went in, so that an editor that pipes a buffer loses nothing.
func (a *app) formatStdin(check, showing bool) error {
	data, err := io.ReadAll(io.LimitReader(a.Stdin, verb.MaxText+1))
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	if len(data) > verb.MaxText {
		return usagef("standard input is larger than %d MB", verb.MaxText>>20)
	}
	got := verb.FormatText("standard input", data)
	if !check && !showing {
		text := data
		for _, f := range got.Files {
			text = f.After
		}
		if _, err := a.Stdout.Write(text); err != nil {
			return fmt.Errorf("write the canonical form: %w", err)
		}
		got.Files = nil
	}
	return a.formatted(got, check, showing, false)
}
