package run

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/planner"
)

func (s *State) reserved(e Reserved) error {
	n, err := s.node(e.Unit.Ticket)
	if err != nil {
		return err
	}
	next, role, ok := n.next()
	if !ok || n.Status != Ready || !n.Branched {
		return fmt.Errorf("ticket %s is %s and starts no unit", n.ID, n.Status)
	}
	if e.Unit != next || e.Role != role {
		return fmt.Errorf("the next unit is %s of %s", next, role)
	}
	if why := s.room(n, e.Reserve, 0, 0); why.code != "" || why.later {
		return errors.New("it passes a limit: " + why.reason)
	}
	if s.live >= s.plan.Limits.Concurrency {
		return fmt.Errorf("%d sessions run already", s.live)
	}
	n.Current = &Unit{ID: e.Unit, Role: e.Role, Reserve: e.Reserve, Phase: PhaseReserved, Commit: n.nextCommit()}
	n.Tries = e.Unit.Try
	s.live++
	s.run.Units++
	s.run.Reserved += e.Reserve
	for _, p := range n.payers() {
		p.Units++
		p.Reserved += e.Reserve
	}
	s.become(n, Running, "", "")
	return nil
}

// payers are the ticket, and its template, whose share it uses.
func (n *node) payers() []*node {
	if n.parent != nil {
		return []*node{n, n.parent}
	}
	return []*node{n}
}

func (s *State) launched(e Launched) error {
	n, err := s.unit(e.Unit, PhaseReserved)
	if err != nil {
		return err
	}
	n.Current.Phase, n.Current.Process = PhaseLaunched, e.Process
	if e.Commit != "" {
		n.Current.Commit = e.Commit
	}
	s.touch(n)
	return nil
}

func (s *State) ended(e Ended) error {
	n, err := s.unit(e.Unit, PhaseReserved, PhaseLaunched)
	if err != nil {
		return err
	}
	if e.Cost < 0 {
		return fmt.Errorf("a cost of %s", e.Cost)
	}
	for _, q := range e.Asked {
		if owner := s.asked[q.ID]; q.ID == "" || owner != nil && owner != n {
			return fmt.Errorf("question %q is another's", q.ID)
		}
	}
	n.Current.Phase, n.Current.Ended = PhaseEnded, &e
	s.settle(n, charge(n.Current, e))
	s.queueGates(n.Current)
	s.ask(n, e)
	s.touch(n)
	return nil
}

// charge is what a unit's end costs: the whole reserve where it is not known. BUD-02
func charge(u *Unit, e Ended) planner.Money {
	if !e.CostKnown || e.Outcome == Interrupted {
		return u.Reserve
	}
	return e.Cost
}

func (s *State) settle(n *node, cost planner.Money) {
	reserve := n.Current.Reserve
	s.live--
	s.run.Reserved -= reserve
	s.run.Spent += cost
	for _, p := range n.payers() {
		p.Reserved -= reserve
		p.Spent += cost
	}
}

// ask keeps a unit's questions, each once. An interrupted unit asks again.
func (s *State) ask(n *node, e Ended) {
	if e.Outcome == Interrupted {
		return
	}
	for _, q := range e.Asked {
		if s.asked[q.ID] == nil {
			s.asked[q.ID] = n
			n.Asked = append(n.Asked, Asked{Unit: e.Unit, ID: q.ID, Text: q.Text})
		}
	}
	if e.Blocked != "" && len(e.Asked) == 0 {
		n.Asked = append(n.Asked, Asked{Unit: e.Unit, Text: e.Blocked})
	}
}

func (s *State) intended(e Intended) error {
	n, err := s.unit(e.Unit, PhaseEnded)
	if err != nil {
		return err
	}
	n.Current.Phase, n.Current.Intended = PhaseIntended, &e
	s.touch(n)
	return nil
}

func (s *State) built(e Built) error {
	n, err := s.unit(e.Unit, PhaseIntended)
	if err != nil {
		return err
	}
	if e.Tree != n.Current.Intended.Tree {
		return fmt.Errorf("the tree is %s, intended was %s", e.Tree, n.Current.Intended.Tree)
	}
	u := n.Current
	u.Phase, u.Candidate, u.Tree = PhaseBuilt, e.Commit, e.Tree
	s.queueGates(u)
	s.touch(n)
	return nil
}

// queueGates gives a unit its place among those whose gates wait.
func (s *State) queueGates(u *Unit) {
	s.run.Seq++
	u.Seq = s.run.Seq
}

func (s *State) gated(e Gated) error {
	n, err := s.unit(e.Unit, PhaseEnded, PhaseBuilt)
	if err != nil {
		return err
	}
	if n.gate(e.Gate) == nil {
		return fmt.Errorf("ticket %s has no gate %s", n.ID, e.Gate)
	}
	if slices.ContainsFunc(n.Records, func(r Gated) bool { return r.Record == e.Record && r.Commit == e.Commit }) {
		return fmt.Errorf("record %s is there already", e.Record)
	}
	n.Records = append(n.Records, e)
	s.touch(n)
	return nil
}

func (n *node) gate(name string) *planner.Gate {
	for i := range n.plan.Gates {
		if n.plan.Gates[i].Name == name {
			return &n.plan.Gates[i]
		}
	}
	return nil
}

const keptFiles = 50

// conclude turns the unit into a handoff: what it left for those after it. FILE-05
func (s *State) conclude(n *node, h Handoff) {
	u := n.Current
	h.Unit, h.Role, h.Bounces, h.Seq = u.ID, u.Role, n.Bounces, s.run.Events+1
	if e := u.Ended; e != nil {
		h.Outcome, h.Cost, h.Salvage = e.Outcome, charge(u, *e), e.Salvage
		h.Known = e.CostKnown && e.Outcome != Interrupted
		h.Cited = e.Observed.Cited
		for _, c := range e.Observed.Changes {
			if len(h.Files) < keptFiles {
				h.Files = append(h.Files, c.Path)
			}
		}
		if h.Verdict == "" && e.Submitted != nil && h.Status != "accepted" && e.Outcome == Exited {
			h.Verdict = e.Submitted.Verdict
		}
		if e.Outcome == Exited && len(e.Observed.TicketFile) == 0 && h.Contract != ContractScope {
			n.importSections(e.Observed.Sections)
		}
	}
	if h.Commit == "" {
		h.Commit = u.Candidate
	}
	if u.Candidate != "" && h.Status != "accepted" {
		n.Carry = &Carry{Commit: u.Candidate, Tree: u.Tree, Paths: n.paths(u)}
	}
	n.Handoffs = append(n.Handoffs, h)
	n.Current = nil
}

// paths are the changes of a unit together with those carried, against the branch's head.
func (n *node) paths(u *Unit) []string {
	var all []string
	if n.Carry != nil {
		all = append(all, n.Carry.Paths...)
	}
	for _, c := range u.Ended.Observed.Changes {
		all = append(all, c.Path)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (n *node) importSections(written []Section) {
	for _, w := range written {
		i := slices.IndexFunc(n.Sections, func(have Section) bool { return have.Name == w.Name })
		if i < 0 {
			n.Sections = append(n.Sections, w)
		} else {
			n.Sections = slices.Clone(n.Sections)
			n.Sections[i] = w
		}
	}
}

func (s *State) accepted(e Accepted) error {
	n, err := s.unit(e.Unit, PhaseEnded, PhaseBuilt)
	if err != nil {
		return err
	}
	if e.To != toDone && e.To != toPark && n.stageIndex(e.To) < 0 {
		return fmt.Errorf("ticket %s has no stage %s", n.ID, e.To)
	}
	u := n.Current
	if e.Commit != n.Head && e.Commit != u.Candidate {
		return fmt.Errorf("commit %s is neither judged nor made by it", e.Commit)
	}
	tree, due := u.Tree, n.stage().OutputsDue
	s.conclude(n, Handoff{Status: "accepted", Verdict: e.Verdict, Reason: e.Reason, To: e.To, Commit: e.Commit})
	s.touch(n)
	if e.Unit.Purpose == PurposeFirst {
		n.Diagnose, n.Diagnosis, n.Tries, n.Retries = false, e.Reason, 0, 0
		s.become(n, Ready, "", "")
		return nil
	}
	if due && !e.Outputs.IsNull() {
		n.Due = e.Outputs
	}
	n.Step = &Step{To: e.To, Code: ParkVerdict, Reason: parkReason(e)}
	if e.Commit != n.Head {
		n.Step.Commit, n.Step.Tree, n.Carry = e.Commit, tree, nil
		return nil
	}
	s.step(n)
	return nil
}

func parkReason(e Accepted) string {
	if e.Reason == "" {
		return e.Unit.Stage + ": " + e.Verdict
	}
	return e.Unit.Stage + ": " + e.Verdict + ": " + e.Reason
}

func (s *State) refused(e Refused) error {
	n, err := s.unit(e.Unit, PhaseEnded, PhaseBuilt)
	if err != nil {
		return err
	}
	to := n.stageIndex(e.To)
	if to < 0 || e.Bounces != n.Bounces+1 {
		return fmt.Errorf("refusal %d to stage %q, the ticket has %d", e.Bounces, e.To, n.Bounces)
	}
	n.Bounces++
	s.conclude(n, Handoff{Status: "refused", Contract: e.Contract, Verdict: e.Verdict, Reason: e.Reason, To: e.To})
	target := n.plan.Stages[to]
	n.Round++
	n.Stage, n.Tries, n.Retries, n.Diagnosis = e.To, 0, 0, ""
	n.Diagnose = target.First != "" && target.Writes != writesNone
	code := ""
	if n.repeated(e.Signature) {
		code = ParkSignature
	}
	if n.Bounces >= s.bounces(n) {
		code = ParkBounces
	}
	s.goOn(n, code, e.Reason)
	return nil
}

// goOn makes a ticket ready again, or lets it park where code says why.
func (s *State) goOn(n *node, code, reason string) {
	s.touch(n)
	if code != "" {
		n.Step = &Step{To: toPark, Code: code, Reason: reason}
		return
	}
	s.become(n, Ready, "", "")
}

const sameFailures = 3

// repeated counts a failure and reports whether it came too often.
func (n *node) repeated(text string) bool {
	if text == "" {
		return false
	}
	for i := range n.Signatures {
		if n.Signatures[i].Text == text {
			n.Signatures[i].Count++
			return n.Signatures[i].Count >= sameFailures
		}
	}
	n.Signatures = append(n.Signatures, Signature{text, 1})
	return false
}

func (s *State) rerun(e Rerun) error {
	n, err := s.unit(e.Unit, PhaseEnded, PhaseBuilt)
	if err != nil {
		return err
	}
	if !e.Free && n.Retries >= s.retries(n) {
		return fmt.Errorf("unit %s has no retry left", e.Unit)
	}
	s.conclude(n, Handoff{Status: "rerun", Reason: e.Reason})
	code := ""
	if !e.Free {
		n.Retries++
		if n.repeated("rerun:" + digest(e.Unit.Stage, e.Reason)) {
			code = ParkSignature
		}
	}
	s.goOn(n, code, e.Reason)
	return nil
}
