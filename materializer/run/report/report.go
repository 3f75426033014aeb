// Package report is a run as a reader sees it: what waits for a person first,
// each with its reason and the one command that moves it on.
//
// Enter with Of, which folds a run.State into a Report. It holds values only;
// view renders them, and escapes the words of agents in them.
package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/planner"
)

// Report is one run, for a reader. Lists are in the order they are to be shown.
type Report struct {
	Run       string // digest, 8 hex digits, "-" and the attempt
	Plan      string // digest
	Workflow  string
	Attempt   int
	Approval  string
	Authority string
	Executor  string

	Alarms   []string // shown before anything else
	Facts    []run.HostFact
	Tickets  []Ticket // blocked, held, parked; running, ready, waiting; done; skipped, cancelled
	Counts   []Count  // by status, in that order, those that occur
	Handoffs []run.Handoff
	Next     []string // commands that move the run on

	Units    Use
	Cost     Money
	Closed   bool
	Stopping bool
	Exit     int    // what apply ends with if nothing else happens: 0, 4 or 8; of a closed run, its exit
	Outputs  string // JSON, of a closed run
	Problem  string
}

// Count is how many tickets have a status.
type Count struct {
	Status run.Status
	N      int
}

// Use is sessions started against their bound.
type Use struct{ Used, Bound, Live int }

// Money is the run's cost against its bound. Unknown units were charged whole.
type Money struct {
	Spent, Reserved, Bound planner.Money
	Unknown                int
}

// Ticket is one ticket, for a reader.
type Ticket struct {
	ID, Address, Title string
	Status             run.Status
	Template           bool   // its children follow in the list by their own status
	Code               string // of parked
	Reason             string // of blocked, held, parked, skipped, cancelled; of waiting: what it waits for
	Command            string // moves it on; empty where nothing is needed
	Question           string // the open question's text
	Says               string // the last claim of its unit, kept as such

	Stage   string
	Unit    string // under way
	Round   int
	Branch  string
	Base    string
	Head    string
	Commits int
	Bounces int
	Bound   int // of bounces
	Units   int
	Spent   planner.Money
	Share   planner.Money

	Rows      []run.Backed
	Evidence  []run.Gated
	Handoffs  []run.Handoff
	Delivered string
	Outdated  bool
}

// order is how a reader needs them: a person's time is the scarcest thing. Law 12
var order = []run.Status{run.Blocks, run.Held, run.Parks, run.Running, run.Ready, run.Waiting, run.Done, run.Skips, run.Cancelled}

// Of folds a state into a report.
func Of(s *run.State) Report {
	started, totals, plan := s.Run(), s.Totals(), s.Plan()
	r := Report{
		Run: started.Run, Plan: started.Plan, Workflow: plan.Workflow.Name, Attempt: started.Attempt, Approval: started.Approval,
		Authority: started.Authority, Executor: started.Executor, Alarms: s.Alarms(), Facts: s.Facts(),
		Units:  Use{Used: totals.Units, Bound: plan.Limits.Units, Live: totals.Live},
		Cost:   Money{Spent: totals.Spent, Reserved: totals.Reserved, Bound: plan.Limits.Budget},
		Closed: totals.Closed, Stopping: totals.Stopping, Exit: totals.Exit,
	}
	if r.Closed {
		r.Outputs, r.Problem = s.Outputs().String(), s.Problem()
	}
	for t := range s.Tickets() {
		r.Tickets = append(r.Tickets, ticket(s, t))
		r.Handoffs = append(r.Handoffs, t.Handoffs...)
	}
	slices.SortFunc(r.Handoffs, func(a, b run.Handoff) int { return a.Seq - b.Seq })
	for _, h := range r.Handoffs {
		if !h.Known && h.Outcome != "" {
			r.Cost.Unknown++
		}
	}
	r.arrange()
	return r
}

// arrange sorts by urgency, counts, and collects what is to be done. IDs keep
// their order within a status, since Tickets came in it.
func (r *Report) arrange() {
	slices.SortStableFunc(r.Tickets, func(a, b Ticket) int { return a.urgency() - b.urgency() })
	for _, status := range order {
		n := 0
		for _, t := range r.Tickets {
			if t.Status == status && !t.Template {
				n++
			}
		}
		if n > 0 {
			r.Counts = append(r.Counts, Count{status, n})
		}
	}
	for _, t := range r.Tickets {
		if t.Command != "" {
			r.Next = append(r.Next, t.Command)
		}
		if !r.Closed && (t.Status == run.Blocks || t.Status == run.Held) {
			r.Exit = 4
		}
	}
	if !r.Closed && r.Exit == 0 && slices.ContainsFunc(r.Tickets, func(t Ticket) bool { return t.Status == run.Parks }) {
		r.Exit = 8
	}
}

// urgency: a running unit that says it is blocked stands with the blocked ones. RPT-09
func (t Ticket) urgency() int {
	if t.Status == run.Running && t.Says != "" && t.Command != "" {
		return 0
	}
	if t.Template && t.Status == run.Parks {
		return slices.Index(order, run.Running) // its parked children stand first themselves
	}
	return slices.Index(order, t.Status)
}

// planID is the ticket that the plan has: a template for the children of a run.
func planID(t run.Ticket) string {
	if t.Parent != "" {
		return t.Parent
	}
	return t.ID
}

func ticket(s *run.State, t run.Ticket) Ticket {
	plan, _ := s.Planned(t.ID)
	out := Ticket{
		ID: t.ID, Address: t.Address, Title: t.Title, Status: t.Status, Template: plan.FanOut != nil && t.Parent == "",
		Code: t.Code, Reason: t.Reason, Stage: t.Stage, Round: t.Round, Branch: t.Branch, Base: t.Start, Head: t.Head,
		Commits: t.Commits, Bounces: t.Bounces, Bound: s.Plan().LimitsOf(planID(t)).Bounces, Units: t.Units, Spent: t.Spent,
		Share: plan.Budget + t.Raised, Rows: t.Rows, Evidence: t.Records, Handoffs: t.Handoffs,
		Delivered: t.Delivered, Outdated: t.Outdated,
	}
	if out.Template && !t.Expanded {
		out.Template = t.Status != run.Parks
	}
	if t.Current != nil {
		out.Unit = t.Current.ID.String()
		out.claims(t)
	}
	if t.Status == run.Waiting {
		out.Reason = strings.Join(s.WaitsFor(t.ID), ", ")
	}
	out.command(s, t)
	return out
}

func (out *Ticket) claims(t run.Ticket) {
	for _, c := range slices.Backward(t.Claims) {
		if c.Unit != t.Current.ID {
			continue
		}
		out.Says = c.Text
		if c.Kind == "blocked" {
			out.Command = "wf logs " + t.ID
		}
		return
	}
}

// command gives the one command that moves the ticket on.
func (out *Ticket) command(s *run.State, t run.Ticket) {
	switch t.Status {
	case run.Held:
		out.Command = "wf approve " + t.ID
	case run.Parks:
		if !out.Template {
			out.Command = unpark(s, t)
		}
	case run.Blocks:
		for _, q := range t.Asked {
			if q.Open && !q.Answered {
				name := q.ID
				if name == "" {
					name = t.ID
				}
				out.Question, out.Command = q.Text, fmt.Sprintf(`wf answer %s "…"`, name)
				return
			}
		}
	}
}

// unpark is the way on for a parked ticket: another round where the limits have
// one left, else the plan once more, with a new approval.
func unpark(s *run.State, t run.Ticket) string {
	if _, ok := run.Admissible(s, run.Decided{Kind: run.Unpark, Ticket: t.ID}); ok {
		return "wf unpark " + t.ID
	}
	return "wf apply " + s.Plan().Workflow.Name + " --again"
}
