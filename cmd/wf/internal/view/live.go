package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/run"
)

// Live tells of a run while it goes on: a line for each event that a person
// cares for, ticket first, so that fifty of them can be told apart. Gates that
// pass say nothing; the stage they let through does.
type Live struct {
	style Style
	w     io.Writer
	width int // of the widest ticket told of so far
}

// Live begins to tell.
func (s Style) Live(w io.Writer) *Live { return &Live{style: s, w: w} }

// Event writes what an event means.
func (l *Live) Event(ev run.Event, st *run.State) {
	switch ev := ev.(type) {
	case run.Started:
		fmt.Fprintf(l.w, "Run %s begins, approved by %s (%s)\n", ev.Run, Text(ev.Authority), ev.Approval)
	case run.Resumed:
		fmt.Fprintln(l.w, "The run goes on")
	case run.Alarm:
		l.say(bold+";"+red, "run", "alarm", Text(ev.Text))
	case run.Decided:
		l.say("", "run", "decided", fmt.Sprintf("%s %s%s, by %s", ev.Kind, ev.Ticket, ev.Question, Text(ev.By)))
	case run.Skipped:
		l.ticket(st, ev.Ticket, dim, "skipped", Text(ev.Reason))
	case run.Expanded:
		l.ticket(st, ev.Ticket, "", "expands", "to "+count(len(ev.Children), "ticket"))
	case run.Parked:
		l.ticket(st, ev.Ticket, bold+";"+red, "parked", Text(ev.Reason))
	case run.Blocked:
		l.ticket(st, ev.Ticket, bold+";"+red, "blocked", Text(ev.Reason))
	case run.Finished:
		l.ticket(st, ev.Ticket, green, "done", progress(st))
	case run.Conflicted:
		l.ticket(st, ev.Ticket, yellow, "conflict", fmt.Sprintf("the branch of %s does not merge: %s", ev.With, few(ev.Files)))
	default:
		l.unit(ev, st)
	}
}

// unit tells what became of a unit.
func (l *Live) unit(ev run.Event, st *run.State) {
	switch ev := ev.(type) {
	case run.Launched:
		l.ticket(st, ev.Unit.Ticket, "", "starts", stageOf(ev.Unit))
	case run.Gated:
		if ev.Outcome != run.Pass {
			l.ticket(st, ev.Unit.Ticket, red, "gate", fmt.Sprintf("%s %s: %s", Text(ev.Gate), ev.Outcome, Text(ev.Summary)))
		}
	case run.Refused:
		l.ticket(st, ev.Unit.Ticket, yellow, "refused", fmt.Sprintf("%s, bounce %d, by %s: %s", stageOf(ev.Unit), ev.Bounces, refuser(ev), Text(ev.Reason)))
	case run.Rerun:
		l.ticket(st, ev.Unit.Ticket, yellow, "again", stageOf(ev.Unit)+": "+Text(ev.Reason))
	case run.Accepted:
		text := stageOf(ev.Unit)
		if ev.Verdict != "" {
			text += ", " + Text(ev.Verdict)
		}
		l.ticket(st, ev.Unit.Ticket, "", "accepted", text)
	}
}

func stageOf(u run.UnitID) string { return fmt.Sprintf("%s, round %d", Text(u.Stage), u.Round) }

// progress counts the tickets that are over.
func progress(st *run.State) string {
	over, all := 0, 0
	for t := range st.Tickets() {
		if plan, ok := st.Planned(t.ID); ok && plan.FanOut != nil && t.Parent == "" {
			continue
		}
		all++
		if t.Status == run.Done || t.Status == run.Skips || t.Status == run.Cancelled {
			over++
		}
	}
	return fmt.Sprintf("(%d of %d)", over, all)
}

func (l *Live) ticket(st *run.State, id, sign, word, text string) {
	name := id
	if t, ok := st.Ticket(id); ok {
		name += " " + Text(t.Address)
	}
	l.width = min(max(l.width, columns(name)), 40)
	l.say(sign, name, word, text)
}

// say writes one line, and what does not fit below it.
func (l *Live) say(sign, who, word, text string) {
	who = pad(who, l.width)
	indent := strings.Repeat(" ", columns(who)+12)
	body := pad(word, 8) + "  " + wrap(text, l.style.columns()-len(indent), indent)
	fmt.Fprintf(l.w, "%s  %s\n", who, l.style.paint(sign, strings.TrimRight(body, " ")))
}

func refuser(ev run.Refused) string {
	if ev.Contract == run.ByVerdict {
		return "its verdict " + Text(ev.Verdict)
	}
	return "contract " + string(ev.Contract)
}
