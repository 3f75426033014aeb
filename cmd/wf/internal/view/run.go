package view

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/report"
	"github.com/seed9cc7a46e/wf/planner"
)

// StatusView is a run with what is known beside its journal.
type StatusView struct {
	Report report.Report
	Live   bool
	Others []string
	Drift  []string
	Notice string
	Key    string // what a decision's command needs behind it to be signed: "--key FILE", or nothing
}

// run names the run in a command where more than one is open.
func (v StatusView) run() string {
	if len(v.Others) == 0 {
		return ""
	}
	return " --run " + v.Report.Run
}

// command completes the one command that moves a ticket on, so that it works as
// it is printed. (law 12)
func (v StatusView) command(t report.Ticket) string {
	if t.Command == "" {
		return ""
	}
	out := t.Command + v.run()
	if v.Key != "" && t.Status != run.Running {
		out += " " + v.Key
	}
	return out
}

// statusSign says how a status looks: what waits for a person is loud.
func statusSign(s run.Status) string {
	switch s {
	case run.Blocks, run.Parks:
		return bold + ";" + red
	case run.Held:
		return bold + ";" + yellow
	case run.Running, run.Ready:
		return cyan
	case run.Done:
		return green
	}
	return dim
}

// Status writes a run: alarms, then what waits for a person, each with its
// reason and one command, then the rest. (law 12)
func (s Style) Status(w io.Writer, v StatusView) {
	r := v.Report
	state := "open"
	switch {
	case r.Closed:
		state = "over"
	case v.Live:
		state = "running"
	}
	fmt.Fprintf(w, "%s %s, %s\n", s.paint(bold, "Run "+r.Run), Text(r.Workflow), state)
	for _, a := range r.Alarms {
		fmt.Fprintf(w, "%s %s\n", s.paint(bold+";"+red, "alarm"), Text(a))
	}
	if v.Notice != "" {
		fmt.Fprintf(w, "%s %s\n", s.paint(yellow, "notice"), Text(v.Notice))
	}
	fmt.Fprintln(w)
	s.tickets(w, v)
	for _, d := range v.Drift {
		fmt.Fprintf(w, "%s %s\n", s.paint(yellow, "drift"), wrap(Text(d), s.columns()-6, "      "))
	}
	s.counters(w, r)
	for _, id := range v.Others {
		fmt.Fprintf(w, "Also open: wf status --run %s\n", id)
	}
}

func (s Style) tickets(w io.Writer, v StatusView) {
	tickets := v.Report.Tickets
	width := 0
	for _, t := range tickets {
		if !t.Template {
			width = max(width, columns(t.ID+" "+Text(t.Address)))
		}
	}
	for _, t := range tickets {
		if t.Template {
			continue
		}
		s.ticketLine(w, t, width)
		if t.Question != "" {
			s.hanging(w, detailIndent, "asks: "+Text(t.Question))
		}
		if reason := reasonOf(t); reason != "" && reason != t.Question {
			s.hanging(w, detailIndent, reason)
		}
		if c := v.command(t); c != "" {
			fmt.Fprintf(w, "%s%s %s\n", detailIndent, s.paint(dim, "do:"), s.paint(bold, Text(c)))
		}
	}
	fmt.Fprintln(w)
}

const detailIndent = "             " // below a ticket's name

func (s Style) ticketLine(w io.Writer, t report.Ticket, width int) {
	name := t.ID + " " + Text(t.Address)
	note := ticketNote(t)
	line := "  " + s.paint(statusSign(t.Status), pad(string(t.Status), 9)) + "  "
	switch {
	case note == "":
		fmt.Fprintf(w, "%s%s\n", line, name)
	case 13+width+2+columns(note) <= s.columns():
		fmt.Fprintf(w, "%s%s  %s\n", line, pad(name, width), s.paint(dim, note))
	default:
		fmt.Fprintf(w, "%s%s\n", line, name)
		s.hanging(w, detailIndent, note)
	}
}

// reasonOf is why a ticket is where it is; of a waiting one it stands on its line.
func reasonOf(t report.Ticket) string {
	if t.Status == run.Waiting {
		return ""
	}
	return Text(t.Reason)
}

func (s Style) hanging(w io.Writer, indent, text string) {
	blank := strings.Repeat(" ", columns(indent))
	fmt.Fprintf(w, "%s%s\n", indent, wrap(text, s.columns()-len(blank), blank))
}

func ticketNote(t report.Ticket) string {
	var out []string
	if t.Status == run.Waiting && t.Reason != "" {
		out = append(out, Text(t.Reason))
	}
	if t.Unit != "" {
		out = append(out, t.Unit)
	}
	if t.Bounces > 0 {
		out = append(out, fmt.Sprintf("bounced %d of %d", t.Bounces, t.Bound))
	}
	if t.Branch != "" && t.Commits > 0 {
		out = append(out, Text(t.Branch)+" "+shortHash(t.Head))
	}
	if t.Spent > 0 {
		out = append(out, t.Spent.String())
	}
	if t.Outdated {
		out = append(out, "outdated: an upstream ticket was taken up again")
	}
	return strings.Join(out, ", ")
}

func (s Style) counters(w io.Writer, r report.Report) {
	var counts []string
	for _, c := range r.Counts {
		counts = append(counts, fmt.Sprintf("%d %s", c.N, c.Status))
	}
	line := fmt.Sprintf("%s; %d of %s; %s of %s", strings.Join(counts, ", "), r.Units.Used, count(r.Units.Bound, "unit"), r.Cost.Spent, r.Cost.Bound)
	if r.Cost.Reserved > 0 {
		line += fmt.Sprintf(" (%s reserved)", r.Cost.Reserved)
	}
	if r.Cost.Unknown > 0 {
		line += fmt.Sprintf(", cost unknown for %s", count(r.Cost.Unknown, "unit"))
	}
	fmt.Fprintln(w, wrap(line, s.columns(), "  "))
	if r.Outputs != "" && r.Outputs != "null" && r.Outputs != "{}" {
		var fields map[string]json.RawMessage
		if json.Unmarshal([]byte(r.Outputs), &fields) == nil {
			for _, name := range sortedKeys(fields) {
				value := string(fields[name])
				var text string
				if json.Unmarshal(fields[name], &text) == nil {
					value = text
				}
				head := "output " + Text(name) + ":"
				fmt.Fprintf(w, "%s %s\n", s.paint(bold, head), wrap(Text(value), s.columns()-columns(head)-1, "  "))
			}
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// AppliedView is how apply left a run.
type AppliedView struct {
	Status  StatusView
	Exit    int
	Waiting []string
	Nothing bool
	Again   string // what was applied: a plan file or a workflow
}

// Applied says how apply left a run and what the next command is.
func (s Style) Applied(w io.Writer, v AppliedView) {
	if v.Nothing {
		s.nothing(w, v)
		return
	}
	fmt.Fprintln(w)
	s.Status(w, v.Status)
	again := s.paint(bold, "wf apply"+v.Status.run())
	switch v.Exit {
	case 0:
		fmt.Fprintln(w, s.paint(green, "Everything is done."))
	case 4:
		fmt.Fprintln(w, s.paint(yellow, "Nothing can move without you:"))
		for _, r := range v.Waiting {
			s.hanging(w, "  ", Text(r))
		}
		fmt.Fprintf(w, "Afterwards:\n  %s\n", again)
	case 8:
		fmt.Fprintf(w, "%s\nWhat they need stands above. Afterwards:\n  %s\n", s.paint(yellow, "The run ended with parked tickets."), again)
	case 130:
		fmt.Fprintf(w, "Stopped. Nothing is lost; go on with:\n  %s\n", again)
	}
}

// nothing says that a run is over; what is parked in it still waits for a person.
func (s Style) nothing(w io.Writer, v AppliedView) {
	if v.Exit != 0 {
		s.Status(w, v.Status)
	}
	fmt.Fprintf(w, "Run %s is over and there is nothing to do.\n", v.Status.Report.Run)
	if v.Again != "" {
		fmt.Fprintf(w, "To run it once more, with a new approval:\n  %s\n", s.paint(bold, "wf apply "+words([]string{v.Again})+" --again"))
	}
}

// Inbox writes what waits for a person, run by run.
func (s Style) Inbox(w io.Writer, runs []StatusView) {
	if len(runs) == 0 {
		fmt.Fprintln(w, "Nothing waits for you.")
		return
	}
	for _, v := range runs {
		fmt.Fprintf(w, "%s %s\n", s.paint(bold, "Run "+v.Report.Run), Text(v.Report.Workflow))
		for _, a := range v.Report.Alarms {
			fmt.Fprintf(w, "%s %s\n", s.paint(bold+";"+red, "alarm"), Text(a))
		}
		s.tickets(w, v)
	}
}

// StatusJSON is the shape of `wf status --json`.
type StatusJSON struct {
	Run      string             `json:"run"`
	Workflow string             `json:"workflow"`
	Plan     string             `json:"plan"`
	Closed   bool               `json:"closed"`
	Live     bool               `json:"live"`
	Exit     int                `json:"exit"`
	Alarms   []string           `json:"alarms"`
	Tickets  []StatusTicketJSON `json:"tickets"`
	Units    [2]int             `json:"units"` // used, bound
	Cost     [2]planner.Money   `json:"cost"`  // spent, bound; micro-dollars
	Drift    []string           `json:"drift"`
	Outputs  json.RawMessage    `json:"outputs,omitempty"`
}

// StatusTicketJSON is one ticket of it.
type StatusTicketJSON struct {
	ID      string        `json:"id"`
	Address string        `json:"address"`
	Status  string        `json:"status"`
	Reason  string        `json:"reason,omitempty"`
	Command string        `json:"command,omitempty"`
	Stage   string        `json:"stage,omitempty"`
	Branch  string        `json:"branch,omitempty"`
	Head    string        `json:"head,omitempty"`
	Bounces int           `json:"bounces"`
	Units   int           `json:"units"`
	Spent   planner.Money `json:"spent"`
}

// JSON gives a status as programs read it.
func (v StatusView) JSON() StatusJSON {
	r := v.Report
	out := StatusJSON{
		Run: r.Run, Workflow: r.Workflow, Plan: r.Plan, Closed: r.Closed, Live: v.Live, Exit: r.Exit,
		Alarms: append([]string{}, r.Alarms...), Tickets: []StatusTicketJSON{}, Drift: append([]string{}, v.Drift...),
		Units: [2]int{r.Units.Used, r.Units.Bound}, Cost: [2]planner.Money{r.Cost.Spent, r.Cost.Bound},
	}
	if r.Outputs != "" {
		out.Outputs = json.RawMessage(r.Outputs)
	}
	for _, t := range r.Tickets {
		out.Tickets = append(out.Tickets, StatusTicketJSON{
			ID: t.ID, Address: t.Address, Status: string(t.Status), Reason: t.Reason, Command: t.Command, Stage: t.Stage,
			Branch: t.Branch, Head: t.Head, Bounces: t.Bounces, Units: t.Units, Spent: t.Spent,
		})
	}
	return out
}
