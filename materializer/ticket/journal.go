package ticket

import "strings"

// Entry is one line of JOURNAL.md: what one unit left.
type Entry struct {
	Unit    string // T-003/implement/1
	Status  string // accepted, refused, rerun, blocked, parked
	Verdict string
	Commit  string
	Reason  string // by whoever Unit says; shown as a quotation
}

const maxReason = 400

// String gives the entry as one line of Markdown.
func (e Entry) String() string {
	out := "- " + line(e.Unit) + ": " + line(e.Status)
	if e.Verdict != "" {
		out += ", " + line(e.Verdict)
	}
	if e.Commit != "" {
		out += ", commit " + line(e.Commit)
	}
	if reason := line(e.Reason); reason != "" {
		if len(reason) > maxReason {
			reason = reason[:strings.LastIndexFunc(reason[:maxReason], func(rune) bool { return true })] + "…"
		}
		out += ` — "` + strings.ReplaceAll(reason, `"`, `'`) + `"`
	}
	return out
}

// Journal renders JOURNAL.md, oldest first: what happened in a run, for readers.
func Journal(run string, entries []Entry) []byte {
	var b strings.Builder
	b.WriteString("# Journal of run " + line(run) + "\n\n")
	for _, e := range entries {
		b.WriteString(e.String() + "\n")
	}
	return []byte(b.String())
}
