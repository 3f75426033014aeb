package view

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/evidence"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/report"
)

// LogView is what was told of a run.
type LogView struct {
	Run    string
	Ticket string
	Events []LogEvent
	Units  []UnitView
}

// LogEvent is one line of the journal.
type LogEvent struct {
	N     int
	Event run.Event
	JSON  []byte
}

// UnitView is what one unit left.
type UnitView struct{ Unit, Transcript, Folder string }

// Log writes events one a line, and the transcripts of a ticket's units.
func (s Style) Log(w io.Writer, v LogView, whole bool) {
	for _, l := range v.Events {
		var fields map[string]json.RawMessage
		if json.Unmarshal(l.JSON, &fields) != nil {
			continue
		}
		var rest []string
		for _, k := range sortedKeys(fields) {
			if k == "type" || k == "observed" || k == "process" {
				continue
			}
			rest = append(rest, k+"="+shortened(Text(string(fields[k])), 120))
		}
		fmt.Fprintf(w, "%s %s %s\n", s.paint(dim, fmt.Sprintf("%5d", l.N)), s.paint(cyan, pad(l.Event.Type(), 10)), strings.Join(rest, " "))
		if ended, ok := l.Event.(run.Ended); ok {
			s.guarded(w, ended.Observed)
		}
	}
	for _, u := range v.Units {
		fmt.Fprintf(w, "\n%s\n", s.paint(bold, "── "+u.Unit))
		lines := Lines(u.Transcript)
		const most = 20
		if !whole && len(lines) > most {
			fmt.Fprintf(w, "%s\n", s.paint(dim, fmt.Sprintf("… %d lines before; --transcripts shows all", len(lines)-most)))
			lines = lines[len(lines)-most:]
		}
		for _, line := range lines {
			fmt.Fprintln(w, line)
		}
	}
}

// guarded writes what a unit was refused, each with its reason, and what it did
// without asking. POL-15
func (s Style) guarded(w io.Writer, o run.Observed) {
	for _, d := range o.Denied {
		fmt.Fprintf(w, "      %s %s\n", s.paint(red, pad("denied", 10)), Text(d))
	}
	for _, u := range o.Unguarded {
		fmt.Fprintf(w, "      %s %s\n", s.paint(red, pad("unasked", 10)), Text(u))
	}
}

func shortened(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}

// EvidenceView is what the runner saw.
type EvidenceView struct {
	Run     string
	Tickets []report.Ticket
	Records map[string]evidence.Record
	Folder  string
}

// Evidence writes records per ticket, and which acceptance row each backs.
func (s Style) Evidence(w io.Writer, v EvidenceView) {
	shown := false
	for _, t := range v.Tickets {
		if t.Template || len(t.Evidence)+len(t.Rows) == 0 {
			continue
		}
		shown = true
		fmt.Fprintf(w, "%s %s, %s\n", s.paint(bold, t.ID+" "+Text(t.Address)), Text(t.Title), s.paint(statusSign(t.Status), string(t.Status)))
		for _, g := range t.Evidence {
			sign := map[run.GateOutcome]string{run.Pass: green, run.Fail: red, run.Broken: red}[g.Outcome]
			fmt.Fprintf(w, "  %s %s %s\n", s.paint(sign, pad(string(g.Outcome), 6)), pad(Text(g.Record), 28), Text(g.Summary))
			fmt.Fprintf(w, "         %s\n", s.paint(dim, "commit "+shortHash(g.Commit)+", tree "+shortHash(g.Tree)+", "+ms(g.Millis)+", sandbox "+Text(g.Sandbox)))
		}
		for _, h := range t.Handoffs {
			if h.Verdict != "" {
				fmt.Fprintf(w, "  %s %s %s\n", pad("says", 6), pad(h.Unit.RoundName(), 28), Text(h.Verdict)+": "+Text(h.Reason))
			}
		}
		for _, row := range t.Rows {
			fmt.Fprintf(w, "  %s %s ← %s\n", s.paint(green, "backed"), Text(row.What), Text(row.Record))
		}
		fmt.Fprintln(w)
	}
	if !shown {
		fmt.Fprintln(w, "No gate has run yet.")
		return
	}
	fmt.Fprintf(w, "%s\n", s.paint(dim, "Records and outputs: "+v.Folder))
}

func ms(n int64) string { return (time.Duration(n) * time.Millisecond).String() }

// Verified says whether the evidence still fits.
func (s Style) Verified(w io.Writer, run string, records, commits int, wrong []string) {
	for _, line := range wrong {
		fmt.Fprintf(w, "%s %s\n", s.paint(red, "wrong"), Text(line))
	}
	if len(wrong) == 0 {
		fmt.Fprintf(w, "%s %s and %s of run %s fit its journal.\n", s.paint(green, "ok"), count(records, "record"), count(commits, "commit"), run)
	}
}

// Diff writes a ticket's change.
func (s Style) Diff(w io.Writer, ticket string, from, to string, stats []string, patch string, cut, statOnly bool) {
	if patch == "" {
		fmt.Fprintf(w, "%s has changed nothing that was accepted.\n", ticket)
		return
	}
	if statOnly {
		for _, line := range stats {
			fmt.Fprintln(w, Text(line))
		}
		return
	}
	s.patch(w, patch)
	if cut {
		fmt.Fprintf(w, "… the rest: git diff %s %s\n", shortHash(from), shortHash(to))
	}
}

// patch writes a difference in colours.
func (s Style) patch(w io.Writer, patch string) {
	for _, line := range Lines(patch) {
		sign := ""
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
			sign = bold
		case strings.HasPrefix(line, "+"):
			sign = green
		case strings.HasPrefix(line, "-"):
			sign = red
		case strings.HasPrefix(line, "@@"):
			sign = cyan
		}
		fmt.Fprintln(w, s.paint(sign, line))
	}
}

// Preview writes the next unit: ticket file and prompt as they are, between marks.
func (s Style) Preview(w io.Writer, unit, role string, argv, env []string, prompt string) {
	fmt.Fprintf(w, "%s as %s; nothing was started\n\n", s.paint(bold, "Next unit "+unit), Text(role))
	fmt.Fprintf(w, "%s\n  %s\n\n%s\n", s.paint(bold, "Command"), words(argv), s.paint(bold, "Environment"))
	for _, e := range env {
		fmt.Fprintf(w, "  %s\n", Text(e))
	}
	fmt.Fprintf(w, "\n%s\n", s.paint(bold, fmt.Sprintf("Prompt (%d bytes)", len(prompt))))
	for _, line := range Lines(prompt) {
		fmt.Fprintln(w, line)
	}
}
