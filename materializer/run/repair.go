package run

import (
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

// Repaired closes the gap that a repair of the journal left. What the lines that
// were taken away had used up is counted as used, as far as they can be read;
// what cannot be read counts at its most, so that a damaged journal never gives
// a run more than its plan. JRN-05
type Repaired struct {
	Lines   int           `json:"lines"`             // taken away
	Unread  int           `json:"unread"`            // events among them that nobody can read, at most
	Units   int           `json:"units"`             // sessions they began, at most
	Charged planner.Money `json:"charged"`           // the reserves of these sessions
	Tickets []LostTicket  `json:"tickets,omitempty"` // in ID order
	Refs    []string      `json:"refs,omitempty"`    // where the work lies that the journal no longer knows
	Aside   string        `json:"aside"`             // file name of the lines taken away
	At      string        `json:"at"`
}

// LostTicket is what a ticket had used up in lines that are gone.
type LostTicket struct {
	Ticket  string `json:"ticket"`
	Bounces int    `json:"bounces"` // the ticket's counter is at least this
	Try     int    `json:"try"`     // highest try of its current stage and round
}

// Type is the event's name in the journal.
func (Repaired) Type() string { return "repaired" }

// Lost works out what the lines that a repair took away had used up. lost holds
// those that can be read, in their order; unread is the most events that the
// others can have been. s is the state that the lines before them give.
//
// An unread event can have been a session of the dearest role, and a refusal of
// any ticket: each ticket that can still move gets its last bounce only.
func Lost(s *State, lost []Event, unread int) Repaired {
	out := Repaired{Lines: len(lost), Unread: unread, Units: unread}
	for _, r := range s.roles {
		out.Charged = max(out.Charged, r.Budget) // the greatest, whatever the map's order
	}
	out.Charged *= planner.Money(unread)
	bounces, tries := map[*node]int{}, map[*node]int{}
	for _, e := range lost {
		switch e := e.(type) {
		case Reserved:
			out.Units++
			out.Charged += e.Reserve
			if n := s.byID[e.Unit.Ticket]; n != nil && n.Stage == e.Unit.Stage && n.Round == e.Unit.Round {
				tries[n] = max(tries[n], e.Unit.Try)
			}
		case Refused:
			n := s.known(e.Unit.Ticket)
			bounces[n] = max(bounces[n], e.Bounces)
		}
	}
	nodes := slices.Clone(s.nodes)
	sortNodes(nodes)
	for _, n := range nodes {
		if n.Status.Final() {
			continue
		}
		// One short of parking: the ticket does its lost rounds again, and the next refusal parks it.
		last := max(s.plan.Limits.Bounces-1, 0)
		t := LostTicket{Ticket: n.ID, Bounces: min(bounces[n], last), Try: tries[n]}
		if unread > 0 {
			t.Bounces = last
		}
		if t.Bounces > n.Bounces || t.Try > n.Tries {
			out.Tickets = append(out.Tickets, t)
		}
	}
	return out
}

// known gives a ticket, or the template of a child that the state does not have:
// its list was told in the lines that are gone.
func (s *State) known(id string) *node {
	if n := s.byID[id]; n != nil {
		return n
	}
	template, _, _ := strings.Cut(id, ".")
	return s.byID[template]
}

func (s *State) repaired(e Repaired) error {
	s.run.Units += e.Units
	s.run.Spent += e.Charged
	for _, t := range e.Tickets {
		n, err := s.node(t.Ticket)
		if err != nil {
			return err
		}
		n.Bounces, n.Tries = max(n.Bounces, t.Bounces), max(n.Tries, t.Try)
		s.touch(n)
	}
	return nil
}
