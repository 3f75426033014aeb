package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Fold puts an event into the state. An error says that the event cannot have
// happened in this state: the journal is damaged, or was written by other rules.
// The state is then as it was before.
func Fold(s *State, e Event) error {
	if err := s.fold(e); err != nil {
		return fmt.Errorf("event %d, %s: %w", s.run.Events+1, eventKey(e), err)
	}
	s.run.Events++
	return nil
}

func (s *State) fold(e Event) error {
	if err := s.admits(e); err != nil {
		return err
	}
	switch e := e.(type) {
	case Reserved:
		return s.reserved(e)
	case Launched:
		return s.launched(e)
	case Ended:
		return s.ended(e)
	case Intended:
		return s.intended(e)
	case Built:
		return s.built(e)
	case Gated:
		return s.gated(e)
	case Accepted:
		return s.accepted(e)
	case Refused:
		return s.refused(e)
	case Rerun:
		return s.rerun(e)
	case Decided:
		return s.decided(e)
	}
	if done, err := s.foldTicket(e); done {
		return err
	}
	return s.foldRun(e)
}

// admits refuses what no event may do: to stand before Started or after Closed.
func (s *State) admits(e Event) error {
	if _, first := e.(Started); first != (s.run.Started == nil) {
		return errors.New("a run begins with started, once")
	}
	if s.run.Closed == nil {
		return nil
	}
	switch e.(type) {
	case Decided, Resumed, Stopped, Alarm, Claimed, Removed, HostFacts, Repaired:
		return nil
	}
	return errors.New("the run is closed")
}

func (s *State) foldTicket(e Event) (done bool, err error) {
	switch e := e.(type) {
	case Skipped:
		return true, s.skipped(e)
	case Expanded:
		return true, s.expanded(e)
	case Opened:
		return true, s.opened(e)
	case Branched:
		return true, s.branched(e)
	case Conflicted:
		return true, s.conflicted(e)
	case Parked:
		return true, s.parked(e)
	case Blocked:
		return true, s.blocked(e)
	case Moved:
		return true, s.moved(e)
	case Finished:
		return true, s.finished(e)
	case Delivered:
		return true, s.delivered(e)
	case Removed:
		n, err := s.node(e.Ticket)
		if err == nil {
			n.Removed = append(n.Removed, e.What)
		}
		return true, err
	case Claimed:
		s.claimed(e)
		return true, nil
	}
	return false, nil
}

func (s *State) foldRun(e Event) error {
	switch e := e.(type) {
	case Started:
		if e.Rules != Rules {
			return fmt.Errorf("the run was begun under rules version %d, this program has %d", e.Rules, Rules)
		}
		s.run.Started = &e
	case HostFacts:
		s.run.Facts = e.Facts
	case Resumed:
		s.run.Stopping, s.run.Stopped = false, ""
		s.run.Resumed++
	case Repaired:
		return s.repaired(e)
	case Alarm:
		s.run.Alarms = append(s.run.Alarms, e.Text)
	case Stopped:
		s.run.Stopped = e.Reason
	case Closed:
		if s.live > 0 {
			return errors.New("units are still running")
		}
		s.run.Closed = &e
	default:
		return fmt.Errorf("there is no rule for it")
	}
	return nil
}

func (s *State) node(id string) (*node, error) {
	if n := s.byID[id]; n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("ticket %s is not in the plan", id)
}

// waiting finds a ticket that can still be opened, skipped or expanded.
func (s *State) waiting(id string) (*node, error) {
	n, err := s.node(id)
	if err != nil {
		return nil, err
	}
	if n.Status != Waiting {
		return nil, fmt.Errorf("ticket %s is %s, not waiting", id, n.Status)
	}
	return n, nil
}

// unit finds a ticket whose current unit is id and stands in one of the phases.
func (s *State) unit(id UnitID, phases ...Phase) (*node, error) {
	n, err := s.node(id.Ticket)
	if err != nil {
		return nil, err
	}
	if n.Current == nil || n.Current.ID != id {
		return nil, fmt.Errorf("unit %s is not under way", id)
	}
	if !slices.Contains(phases, n.Current.Phase) {
		return nil, fmt.Errorf("unit %s is already %s", id, n.Current.Phase)
	}
	return n, nil
}

// touch marks a ticket whose commands must be worked out again.
func (s *State) touch(n *node) {
	if !n.dirty {
		n.dirty = true
		s.dirty = append(s.dirty, n)
	}
}

func (s *State) skipped(e Skipped) error {
	n, err := s.waiting(e.Ticket)
	if err == nil {
		s.become(n, Skips, "", e.Reason)
	}
	return err
}

func (s *State) opened(e Opened) error {
	n, err := s.waiting(e.Ticket)
	if err != nil {
		return err
	}
	if met, _ := n.needsMet(); !met {
		return fmt.Errorf("what ticket %s needs is not done", e.Ticket)
	}
	n.Opened, n.Brief, n.Title = true, e.Brief, e.Title
	if n.plan.Hold {
		s.become(n, Held, "", "the plan holds it for the operator")
		return nil
	}
	s.become(n, Ready, "", "")
	return nil
}

func (s *State) branched(e Branched) error {
	n, err := s.node(e.Ticket)
	if err != nil {
		return err
	}
	if !n.branches() {
		return fmt.Errorf("ticket %s is %s and needs no branch", e.Ticket, n.Status)
	}
	n.Branched, n.Branch, n.Merged, n.Conflict = true, e.Branch, e.Merged, ""
	n.Start, n.Head, n.StartTree, n.HeadTree = e.Base, e.Base, e.Tree, e.Tree
	s.touch(n)
	return nil
}

// branches reports whether the ticket's branch may be under way: a person can
// park or cancel the ticket meanwhile.
func (n *node) branches() bool {
	return !n.Branched && (n.Status == Ready || n.Opened && (n.Status == Parks || n.Status == Cancelled))
}

func (s *State) conflicted(e Conflicted) error {
	n, err := s.node(e.Ticket)
	if err != nil {
		return err
	}
	if !n.branches() {
		return fmt.Errorf("ticket %s is %s and merges nothing", e.Ticket, n.Status)
	}
	n.Conflict = fmt.Sprintf("the work of %s does not merge: %s", e.With, strings.Join(clip(e.Files, 10), ", "))
	s.touch(n)
	return nil
}

func (s *State) blocked(e Blocked) error {
	n, err := s.node(e.Ticket)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(n.Asked, func(q Asked) bool { return q.ID == e.Question.ID && !q.Open })
	if i < 0 || n.Current == nil {
		return fmt.Errorf("ticket %s has no such question", e.Ticket)
	}
	n.Asked[i].Open = true
	s.touch(n)
	if n.unrecorded() < 0 {
		s.conclude(n, Handoff{Status: "blocked", Reason: e.Reason})
		s.become(n, Blocks, "", e.Reason)
	}
	return nil
}

// unrecorded gives the place of the first question that is not yet recorded as blocking.
func (n *node) unrecorded() int {
	return slices.IndexFunc(n.Asked, func(q Asked) bool { return !q.Open })
}

func (s *State) parked(e Parked) error {
	n, err := s.node(e.Ticket)
	if err != nil {
		return err
	}
	if n.Status.Settled() || s.holdsSlot(n) {
		return fmt.Errorf("ticket %s is %s and cannot be parked", e.Ticket, n.Status)
	}
	if n.Current != nil {
		s.conclude(n, Handoff{Status: "parked", Reason: e.Reason})
		if e.Code == ParkTampering {
			n.Carry = nil
		}
	}
	n.Step = nil
	s.become(n, Parks, e.Code, e.Reason)
	return nil
}

func (s *State) holdsSlot(n *node) bool {
	return n.Current != nil && (n.Current.Phase == PhaseReserved || n.Current.Phase == PhaseLaunched)
}

func (s *State) moved(e Moved) error {
	n, err := s.node(e.Ticket)
	if err != nil {
		return err
	}
	if n.Step == nil || n.Step.Commit == "" || n.Step.Commit != e.Commit {
		return fmt.Errorf("the branch of %s was not to move to %s", e.Ticket, e.Commit)
	}
	n.Head, n.HeadTree = n.Step.Commit, n.Step.Tree
	n.Step.Commit = ""
	n.Commits++
	s.step(n)
	return nil
}

// step goes where an accepted unit led, once the branch stands.
func (s *State) step(n *node) {
	s.touch(n)
	if n.Step.To == toDone || n.Step.To == toPark {
		return // a Record follows
	}
	n.Stage, n.Tries, n.Retries, n.Diagnosis = n.Step.To, 0, 0, ""
	n.Step = nil
	s.become(n, Ready, "", "")
}

func (s *State) finished(e Finished) error {
	n, err := s.node(e.Ticket)
	if err != nil {
		return err
	}
	passed := n.Step != nil && n.Step.To == toDone && n.Step.Commit == ""
	empty := n.Status == Ready && n.Branched && len(n.plan.Stages) == 0
	if !passed && !empty || e.Commit != n.Head {
		return fmt.Errorf("ticket %s is %s and has not passed its last stage at %q", e.Ticket, n.Status, e.Commit)
	}
	n.Step, n.Outputs, n.Rows = nil, e.Outputs, e.Rows
	if n.plan.Deliver == deliverBranch {
		n.Delivery = deliverBranch
	}
	s.become(n, Done, "", "")
	return nil
}

func (s *State) delivered(e Delivered) error {
	n, err := s.node(e.Ticket)
	if err != nil {
		return err
	}
	if n.Status != Done || n.Delivery == "" {
		return fmt.Errorf("ticket %s is %s and is not to be delivered", e.Ticket, n.Status)
	}
	n.Delivery, n.Delivered = "", orElse(e.Ref, e.Commit)
	s.touch(n)
	return nil
}

const keptClaims = 5

func (s *State) claimed(e Claimed) {
	n := s.byID[e.Unit.Ticket]
	if n == nil {
		return
	}
	if n.Claims = append(n.Claims, e); len(n.Claims) > keptClaims {
		n.Claims = slices.Clone(n.Claims[1:])
	}
}

// clip gives at most k entries, and how many were left out.
func clip(list []string, k int) []string {
	if len(list) <= k {
		return list
	}
	return append(slices.Clone(list[:k]), fmt.Sprintf("and %d more", len(list)-k))
}
