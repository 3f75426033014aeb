package view

import (
	"fmt"
	"io"
	"strings"
)

// Valid says that workflows hold no error.
func (s Style) Valid(w io.Writer, paths []string) {
	for _, p := range paths {
		fmt.Fprintf(w, "%s %s\n", s.paint(green, "ok"), Text(p))
	}
}

// Notice says what a person may want to know and what stops nothing.
func (s Style) Notice(w io.Writer, said string) {
	fmt.Fprintf(w, "%s %s\n", s.paint(cyan, "notice:"), wrap(Text(said), s.columns()-8, "        "))
}

// Approved says who signed what, and how to go on.
func (s Style) Approved(w io.Writer, signer, key, digest, nonce, plan, output string) {
	fmt.Fprintf(w, "%s %s signed %s\n", s.paint(green, "approved"), Text(signer), digest)
	fmt.Fprintf(w, "%s\n", s.paint(dim, "key "+Text(key)+", usable once (nonce "+nonce+")"))
	next := "wf apply " + words([]string{plan})
	if output != "" {
		next += " --approval " + words([]string{output})
	}
	fmt.Fprintf(w, "Carry it out:\n  %s\n", s.paint(bold, next))
}

// Decided says what became of a decision.
func (s Style) Decided(w io.Writer, kind, what, run string, live bool) {
	if live {
		fmt.Fprintf(w, "%s %s of %s is with the process that carries the run out.\n", s.paint(green, "recorded"), kind, Text(what))
		return
	}
	fmt.Fprintf(w, "%s %s of %s. Go on with: %s\n", s.paint(green, "recorded"), kind, Text(what), s.paint(bold, "wf apply"))
}

// Stopped says that a run was asked to stop.
func (s Style) Stopped(w io.Writer, run string) {
	fmt.Fprintf(w, "Run %s was asked to stop. It stays open; go on with: %s\n", run, s.paint(bold, "wf apply --run "+run))
}

// Delivered says where work is and what brings it to the operator's branch.
func (s Style) Delivered(w io.Writer, ticket, branch, commit, command string) {
	fmt.Fprintf(w, "%s is on branch %s at %s. wf moves no branch of yours; to take it over:\n  %s\n", ticket, Text(branch), shortHash(commit), s.paint(bold, Text(command)))
}

// CleanRow is one thing that clean takes away or keeps.
type CleanRow struct {
	Ticket, Path, Branch, Why string
	Goes, Gone                bool
}

// Cleaned lists what went, what would go, and what stays and why.
func (s Style) Cleaned(w io.Writer, rows []CleanRow, dry bool) {
	if len(rows) == 0 {
		fmt.Fprintln(w, "There is nothing to clean.")
		return
	}
	for _, r := range rows {
		word, sign := "keeps", yellow
		switch {
		case r.Gone:
			word, sign = "removed", green
		case r.Goes:
			word, sign = "removes", red
		}
		what := Text(r.Path)
		if r.Branch != "" {
			what += " and branch " + Text(r.Branch)
		}
		fmt.Fprintf(w, "%s %s %s\n         %s\n", s.paint(sign, pad(word, 8)), r.Ticket, Text(r.Why), s.paint(dim, what))
	}
	if dry {
		fmt.Fprintln(w, "Nothing was removed; run it without --dry-run.")
	}
}

// ListRow is a workflow or a run.
type ListRow struct {
	Name, Path, Note string
	Bad              bool
}

// List writes the workflows and runs of a repository.
func (s Style) List(w io.Writer, workflows, runs []ListRow) {
	if len(workflows) == 0 {
		fmt.Fprintln(w, "This repository has no workflows; write one with: wf init")
	}
	width := 0
	for _, r := range append(append([]ListRow{}, workflows...), runs...) {
		width = max(width, columns(Text(r.Name)))
	}
	for _, r := range workflows {
		note := Text(r.Note)
		if r.Bad {
			note = s.paint(red, note)
		}
		fmt.Fprintf(w, "%s  %s\n", s.paint(bold, pad(Text(r.Name), width)), note)
		fmt.Fprintf(w, "%s  %s\n", pad("", width), s.paint(dim, Text(r.Path)))
	}
	if len(runs) > 0 {
		fmt.Fprintln(w, "\nRuns")
		for _, r := range runs {
			fmt.Fprintf(w, "  %s  %s\n", pad(Text(r.Name), width), Text(r.Note))
		}
	}
}

// Written lists files that were written, and the next commands.
func (s Style) Written(w io.Writer, files, kept, next []string) {
	for _, f := range files {
		fmt.Fprintf(w, "%s %s\n", s.paint(green, "wrote"), Text(f))
	}
	for _, f := range kept {
		fmt.Fprintf(w, "%s  %s\n", s.paint(dim, "kept"), Text(f))
	}
	if len(next) > 0 {
		fmt.Fprintf(w, "\nNext:\n")
		for _, n := range next {
			fmt.Fprintf(w, "  %s\n", s.paint(bold, Text(n)))
		}
	}
}

// JournalView is the state of a journal.
type JournalView struct {
	Run         string
	Lines       int
	Head        string
	Torn        int64
	DamagedLine int
	Why         string
	Aside       string
	Counted     []CountedLoss
}

// CountedLoss is what a repair counted as used up for lines it took away.
type CountedLoss struct {
	Units   int
	Charged string
	Unread  int
	Refs    []string
}

// Journal writes it.
func (s Style) Journal(w io.Writer, v JournalView) {
	switch {
	case v.Aside != "":
		fmt.Fprintf(w, "%s run %s keeps %s; what came after was moved to %s\n", s.paint(yellow, "repaired"), v.Run, count(v.Lines, "line"), Text(v.Aside))
	case len(v.Counted) > 0:
		fmt.Fprintf(w, "%s run %s: an earlier repair had not come to its end\n", s.paint(yellow, "repaired"), v.Run)
	case v.DamagedLine > 0:
		fmt.Fprintf(w, "%s run %s at line %d: %s\n", s.paint(red, "damaged"), v.Run, v.DamagedLine, Text(v.Why))
		fmt.Fprintf(w, "Keep the %s before it: %s\n", count(v.Lines, "line"), s.paint(bold, "wf journal repair "+v.Run))
	default:
		fmt.Fprintf(w, "%s run %s: %s, head %s\n", s.paint(green, "ok"), v.Run, count(v.Lines, "line"), v.Head)
		if v.Torn > 0 {
			fmt.Fprintf(w, "%s its last line is torn (%d bytes); the next apply cuts it\n", s.paint(yellow, "notice"), v.Torn)
		}
	}
	for _, c := range v.Counted {
		fmt.Fprintf(w, "Counted as used up: %s, %s", count(c.Units, "unit"), c.Charged)
		if c.Unread > 0 {
			fmt.Fprintf(w, "; %s nobody can read, so each is counted at its most", count(c.Unread, "event"))
		}
		fmt.Fprintln(w)
		for _, r := range c.Refs {
			fmt.Fprintf(w, "Kept work that the journal no longer knows: %s\n", Text(r))
		}
		fmt.Fprintf(w, "Go on: %s\n", s.paint(bold, "wf apply --run "+v.Run))
	}
}

// Version writes versions, one a line.
func (s Style) Version(w io.Writer, lines []string) { fmt.Fprintln(w, strings.Join(lines, "\n")) }
