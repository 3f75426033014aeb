package run

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/ticket"
)

// Address gives a ticket's address, by its ID.
func Address(s *State, id string) string {
	if n := s.byID[id]; n != nil {
		return n.Address
	}
	return ""
}

// Timeout is how long a unit may last. Zero: the plan sets no limit.
func Timeout(s *State, u UnitID) time.Duration {
	n := s.byID[u.Ticket]
	if n == nil || n.stageIndex(u.Stage) < 0 {
		return 0
	}
	return time.Duration(n.plan.Stages[n.stageIndex(u.Stage)].TimeoutSeconds) * time.Second
}

// CommitOf is the commit that the worktree of a unit under way stands at.
func CommitOf(s *State, u UnitID) string {
	if n := s.byID[u.Ticket]; n != nil && n.Current != nil && n.Current.ID == u {
		return n.Current.Commit
	}
	return ""
}

// Protected gives the globs that no unit may change, and those that the ticket lifts.
func Protected(s *State, id string) (protected, mayChange []string) {
	if n := s.byID[id]; n != nil {
		return slices.Concat(s.plan.Protected, n.plan.Protect), n.plan.MayChange
	}
	return s.plan.Protected, nil
}

// OpenUnit is a unit that was reserved and has not ended.
type OpenUnit struct {
	Unit    UnitID
	Process json.RawMessage // as Launched gave it; empty: it was not launched
}

// Unended lists, in ID order, the units without Ended: an engine that takes the
// run over ends those that were launched as Interrupted; the others it starts.
func Unended(s *State) []OpenUnit {
	var open []OpenUnit
	for t := range s.Tickets() {
		if u := t.Current; u != nil && (u.Phase == PhaseReserved || u.Phase == PhaseLaunched) {
			open = append(open, OpenUnit{u.ID, u.Process})
		}
	}
	return open
}

// WritableSections lists the sections of the ticket file that a unit may write.
// A verdict unit writes none: its word is its submission.
func WritableSections(s *State, u UnitID) []string {
	if s.judges(u) || u.Purpose == PurposeFirst {
		return nil
	}
	return []string{ticket.Plan, ticket.Log}
}

// judges reports whether a unit gives a verdict: law 9 is about these.
func (s *State) judges(u UnitID) bool {
	n := s.byID[u.Ticket]
	if n == nil || u.Purpose != "" {
		return false
	}
	i := n.stageIndex(u.Stage)
	return i >= 0 && len(n.plan.Stages[i].Verdicts) > 0
}

// TicketFile gives a unit's copy of its ticket file, and the sections it may write.
func TicketFile(s *State, u UnitID) (file []byte, owned []string) {
	n := s.byID[u.Ticket]
	if n == nil {
		return nil, nil
	}
	return ticket.For(s.file(n), s.judges(u)), WritableSections(s, u)
}

// WholeTicketFile gives the ticket file as a person reads it.
func WholeTicketFile(s *State, id string) []byte {
	n := s.byID[id]
	if n == nil {
		return nil
	}
	return ticket.Render(s.file(n))
}

// file turns a ticket into its file's values. The status that a unit's copy
// shows is that of a ticket at work, so that it is the same before it starts.
func (s *State) file(n *node) ticket.File {
	f := ticket.File{
		ID: n.ID, Address: n.Address, Title: n.Title, Status: string(n.Status), Stage: n.Stage, Bounces: n.Bounces,
		Branch: n.Branch, Base: n.Start, Scope: n.scope(), Brief: n.Brief, Plan: n.written(ticket.Plan), Log: n.written(ticket.Log),
	}
	if n.Status == Ready {
		f.Status = string(Running)
	}
	for _, need := range n.budgeted().needs {
		if !slices.Contains(f.Needs, need.from.ID) {
			f.Needs = append(f.Needs, need.from.ID)
		}
	}
	for _, row := range n.plan.Acceptance {
		i := slices.IndexFunc(n.Rows, func(b Backed) bool { return b.What == row.What && b.By == row.By })
		r := ticket.Row{What: row.What, By: row.By}
		if i >= 0 {
			r.Record = n.Rows[i].Record
		}
		f.Acceptance = append(f.Acceptance, r)
	}
	for _, h := range n.Handoffs {
		if v := h.word(); v != "" {
			f.Verdicts = append(f.Verdicts, ticket.Verdict{Unit: h.Unit.String(), Verdict: v, Commit: h.Commit, Reason: h.Reason})
		}
	}
	return f
}

// word is the verdict a handoff carries, or the contract that refused it; empty where it was no judgement.
func (h Handoff) word() string {
	switch {
	case h.Contract == ByVerdict || h.Contract == "" && h.Verdict != "":
		return h.Verdict
	case h.Contract != "":
		return "refused by " + string(h.Contract)
	}
	return ""
}

func (n *node) written(section string) string {
	for _, sec := range n.Sections {
		if sec.Name == section {
			return sec.Text
		}
	}
	return ""
}

// JournalFile gives JOURNAL.md: what units left, in the order of the journal.
func JournalFile(s *State) []byte {
	var entries []ticket.Entry
	for _, h := range s.handoffs() {
		entries = append(entries, entry(h))
	}
	return ticket.Journal(s.Run().Run, entries)
}

func entry(h Handoff) ticket.Entry {
	return ticket.Entry{Unit: h.Unit.String(), Status: h.Status, Verdict: h.Verdict, Commit: h.Commit, Reason: h.Reason}
}

// handoffs lists those of all tickets in the order they came.
func (s *State) handoffs() []Handoff {
	var all []Handoff
	for _, n := range s.nodes {
		all = append(all, n.Handoffs...)
	}
	slices.SortFunc(all, func(a, b Handoff) int { return a.Seq - b.Seq })
	return all
}

// WaitsFor names, in ID order, what a waiting ticket needs that is not there yet.
func (s *State) WaitsFor(id string) []string {
	n := s.byID[id]
	if n == nil || n.Status != Waiting {
		return nil
	}
	var ups []*node
	for _, need := range n.needs {
		st := need.from.Status
		if st != Done && !(need.settled && st.Settled()) && !(need.optional && st == Skips) && !slices.Contains(ups, need.from) {
			ups = append(ups, need.from)
		}
	}
	sortNodes(ups)
	out := make([]string, len(ups))
	for i, up := range ups {
		out[i] = up.ID + " (" + string(up.Status) + ")"
	}
	return out
}

// Problem says which of the workflow's outputs could not be worked out at the close.
func (s *State) Problem() string {
	if s.run.Closed == nil {
		return ""
	}
	return s.run.Closed.Problem
}
