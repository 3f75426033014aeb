package command

import (
	"errors"
	"slices"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/cmd/wf/internal/view"
)

// forPrograms reports whether a format is one in which programs read findings.
func forPrograms(format string) bool { return slices.Contains(view.FindingFormats, format) }

// refusedAs writes a refusal's findings in the format that was asked for, so
// that a program reads why there is nothing else. Other errors pass.
func (a *app) refusedAs(format string, err error) error {
	var refusal *verb.Refusal
	if !forPrograms(format) || !errors.As(err, &refusal) {
		return err
	}
	if err := view.FindingsAs(a.Stdout, format, refusal.Findings, a.Version); err != nil {
		return err
	}
	return exit(refusal.Exit)
}
