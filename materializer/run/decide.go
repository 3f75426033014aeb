package run

import (
	"cmp"
	"fmt"
	"slices"
)

// maxRecords bounds the Records of one Decide, so that deciding stays small
// where very many tickets could be opened at once.
const maxRecords = 32

// Decide says what the state calls for, in ID order, then what starts, then the
// end of the run. The same state gives the same commands; commands under way are
// given again. It costs what changed since the last call, not what the graph holds.
func Decide(s *State) []Command {
	if s.run.Started == nil || s.run.Closed != nil {
		return nil
	}
	s.refresh()
	var out []Command
	for _, n := range s.writes.first(maxRecords) {
		out = append(out, n.wants...)
	}
	for _, n := range s.works.first(len(s.works.items)) {
		out = append(out, n.wants...)
	}
	out = append(out, s.gateCommands()...)
	if !s.run.Stopping {
		out = append(out, s.picks()...)
	}
	if len(out) == 0 && s.live == 0 && !s.run.Stopping {
		out = append(out, s.end())
	}
	return out
}

// refresh works out the commands of the tickets that an event touched.
func (s *State) refresh() {
	for len(s.dirty) > 0 {
		batch := s.dirty
		s.dirty = nil
		for _, n := range batch {
			n.dirty = false
			n.wants = s.consider(n)
			record, gate := false, false
			if len(n.wants) > 0 {
				_, record = n.wants[0].(Record)
				_, gate = n.wants[0].(RunGate)
			}
			s.writes.set(n, record)
			s.gates.set(n, gate)
			s.works.set(n, len(n.wants) > 0 && !record && !gate)
			n.readyAt = n.rank + len(n.plan.Stages) - max(n.stageIndex(n.Stage), 0)
			s.ready.set(n, n.Status == Ready && len(n.wants) == 0)
		}
	}
}

// gateCommands gives the gates of the candidates built first, no more than may run at once.
func (s *State) gateCommands() []Command {
	var out []Command
	for _, n := range s.gates.first(s.plan.Limits.Concurrency) {
		for _, c := range n.wants {
			if len(out) < s.plan.Limits.Concurrency {
				out = append(out, c)
			}
		}
	}
	return out
}

// consider gives what one ticket calls for; a unit to be started is not in it.
func (s *State) consider(n *node) []Command {
	switch n.Status {
	case Waiting:
		return s.considerWaiting(n)
	case Ready:
		return s.considerReady(n)
	case Running:
		return s.considerRunning(n)
	case Done:
		if n.Delivery != "" && !n.isTemplate() {
			return []Command{Deliver{Ticket: n.ID, How: n.Delivery, Branch: n.Branch, Commit: n.Head}}
		}
	}
	return nil
}

func (s *State) considerWaiting(n *node) []Command {
	if n.plan.Skipped {
		return record(Skipped{Ticket: n.ID, Reason: "the plan skips it for these inputs"})
	}
	met, never := n.needsMet()
	if never != "" {
		return record(Skipped{Ticket: n.ID, Reason: never})
	}
	if !met {
		return nil
	}
	return record(s.open(n))
}

func record(e Event) []Command { return []Command{Record{e}} }

// needsMet reports whether everything the ticket waits for is there; never says
// why it can never be. A parked ticket may still come, so what needs it waits.
func (n *node) needsMet() (met bool, never string) {
	met = true
	for _, need := range n.needs {
		switch st := need.from.Status; {
		case st == Done, need.settled && st.Settled(), need.optional && st == Skips:
		case st == Skips, st == Cancelled:
			return false, fmt.Sprintf("%s, which it needs, was %s", need.from.ID, st)
		default:
			met = false
		}
	}
	return met, ""
}

func (s *State) considerReady(n *node) []Command {
	if n.Conflict != "" {
		return record(Parked{Ticket: n.ID, Code: ParkConflict, Reason: n.Conflict})
	}
	if len(n.plan.Stages) > 0 {
		return nil // picks starts it
	}
	if !n.Branched {
		return []Command{s.branch(n)}
	}
	return record(Finished{Ticket: n.ID, Commit: n.Head})
}

func (s *State) considerRunning(n *node) []Command {
	switch {
	case n.isTemplate():
		return nil
	case n.Step != nil && n.Step.To == toPark && n.Step.Commit == "":
		return record(Parked{Ticket: n.ID, Code: n.Step.Code, Reason: n.Step.Reason, Stage: n.Stage})
	case n.Step != nil && n.Step.Commit != "":
		return []Command{Advance{Ticket: n.ID, Branch: n.Branch, Old: n.Head, New: n.Step.Commit}}
	case n.Step != nil:
		return record(Finished{Ticket: n.ID, Commit: n.Head, Outputs: n.Due, Rows: n.backed()})
	case n.Current == nil:
		return nil
	}
	return s.considerUnit(n)
}

func (s *State) considerUnit(n *node) []Command {
	u := n.Current
	switch u.Phase {
	case PhaseReserved:
		return []Command{StartUnit{Unit: u.ID, Role: u.Role, Reserve: u.Reserve, Commit: u.Commit, Writes: n.writable(u.ID)}}
	case PhaseLaunched:
		return nil
	case PhaseIntended:
		return []Command{s.candidate(n)}
	}
	return s.check(n)
}

func (s *State) candidate(n *node) Command {
	u := n.Current
	return BuildCandidate{Unit: u.ID, Parent: n.Head, Paths: n.paths(u), Message: Message(s, u.ID), Intended: u.Intended}
}

// end says what stops a run in which nothing can move by itself: a person's
// decision that is due, or its close. RPT-09
func (s *State) end() Command {
	if s.counts[Held]+s.counts[Blocks] > 0 {
		return Wait{s.waits()}
	}
	c := Closed{}
	c.Outputs, c.Problem = s.outputs()
	switch {
	case s.counts[Parks] > 0:
		c.Exit = 8
	case c.Problem != "":
		c.Exit = 1
	}
	return Close{c}
}

func (s *State) waits() []string {
	var out []string
	for t := range s.Tickets() {
		switch t.Status {
		case Held:
			out = append(out, "wf approve "+t.ID)
		case Blocks:
			for _, q := range t.Asked {
				if q.Open && !q.Answered {
					out = append(out, fmt.Sprintf("wf answer %s \"…\"", cmp.Or(q.ID, t.ID)))
				}
			}
		}
	}
	return out
}

func sortNodes(nodes []*node) {
	slices.SortFunc(nodes, func(a, b *node) int {
		switch {
		case a.order < b.order:
			return -1
		case a.order > b.order:
			return 1
		}
		return 0
	})
}
