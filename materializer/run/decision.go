package run

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/planner"
)

// Kinds of Decided.
const (
	Approve = "approve" // a held ticket goes on
	Reject  = "reject"  // a held ticket is cancelled
	Answer  = "answer"  // a question, or a block without one
	Unpark  = "unpark"  // one more round, where it stopped
	Retry   = "retry"   // one more round, from a stage
	Raise   = "raise"   // more of the run's budget for one ticket
	ToShip  = "deliver"
	Cancel  = "cancel"
	ParkIt  = "park"
	Stop    = "stop"
)

// Admissible says whether a decision means something in this state, and if not,
// why: an engine asks before it writes the event, and shows why to the person.
func Admissible(s *State, d Decided) (why string, ok bool) {
	why = s.inadmissible(d)
	return why, why == ""
}

func (s *State) inadmissible(d Decided) string {
	if s.run.Started == nil {
		return "the run has not begun"
	}
	if d.Kind == Stop {
		return ""
	}
	n := s.decidee(d)
	if n == nil && d.Kind == Answer {
		return fmt.Sprintf("there is no question %s", oneLine(d.Question, 40))
	}
	if n == nil {
		return fmt.Sprintf("there is no ticket %s", oneLine(d.Ticket, 40))
	}
	switch d.Kind {
	case Approve, Reject:
		return s.cannotApprove(n)
	case Answer:
		return cannotAnswer(n, d)
	case Unpark, Retry:
		return s.cannotUnpark(n, d)
	case Raise:
		return s.cannotRaise(n, d.Amount)
	case ToShip:
		return cannotDeliver(n)
	case Cancel, ParkIt:
		return s.cannotStop(n, d.Kind)
	}
	return fmt.Sprintf("there is no decision %s", oneLine(d.Kind, 40))
}

// decidee is the ticket a decision is about: the one that asked, of an answer.
func (s *State) decidee(d Decided) *node {
	if d.Kind == Answer && d.Question != "" {
		n := s.asked[d.Question]
		if n != nil && d.Ticket != "" && d.Ticket != n.ID {
			return nil
		}
		return n
	}
	return s.byID[d.Ticket]
}

func (s *State) cannotApprove(n *node) string {
	if n.isTemplate() && slices.ContainsFunc(n.Children, func(id string) bool { return s.byID[id].Status == Held }) {
		return ""
	}
	if n.Status != Held {
		return fmt.Sprintf("%s is %s, not held", n.ID, n.Status)
	}
	return ""
}

func cannotAnswer(n *node, d Decided) string {
	i := openQuestion(n, d.Question)
	switch {
	case i >= 0:
		return ""
	case slices.ContainsFunc(n.Asked, func(q Asked) bool { return q.ID == d.Question && q.Answered }):
		return fmt.Sprintf("%s is answered already", orElse(d.Question, n.ID))
	case d.Question == "":
		return fmt.Sprintf("%s is %s and waits for no answer of its own", n.ID, n.Status)
	}
	return fmt.Sprintf("question %s is not open: %s is %s", d.Question, n.ID, n.Status)
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func openQuestion(n *node, id string) int {
	if n.Status != Blocks {
		return -1
	}
	return slices.IndexFunc(n.Asked, func(q Asked) bool { return q.ID == id && q.Open && !q.Answered })
}

// cannotUnpark: one more round must fit the run's unused limits. What is beyond
// them needs a new plan.
func (s *State) cannotUnpark(n *node, d Decided) string {
	if n.Status != Parks || n.isTemplate() && n.Expanded {
		return fmt.Sprintf("%s is %s, not parked%s", n.ID, n.Status, s.parkedChildren(n))
	}
	if d.Kind == Retry && d.Stage != "" && n.stageIndex(d.Stage) < 0 {
		return fmt.Sprintf("%s has no stage %s", n.ID, oneLine(d.Stage, 40))
	}
	if n.isTemplate() || len(n.plan.Stages) == 0 {
		return ""
	}
	stage := n.stage()
	if d.Kind == Retry && d.Stage != "" {
		stage = &n.plan.Stages[n.stageIndex(d.Stage)]
	}
	if why := s.room(n, s.reserve(n, stage.Role), 0, 0); why.code != "" {
		return why.reason + "; beyond that a new plan is needed"
	}
	return ""
}

func (s *State) parkedChildren(n *node) string {
	for _, id := range n.Children {
		if s.byID[id].Status == Parks {
			return "; " + id + " is"
		}
	}
	return ""
}

func (s *State) cannotRaise(n *node, amount planner.Money) string {
	b := n.budgeted()
	switch {
	case amount <= 0:
		return "a raise is an amount above nothing"
	case n.Status.Final():
		return fmt.Sprintf("%s is %s", n.ID, n.Status)
	case amount > s.plan.Limits.Budget || b.plan.Budget+b.Raised+amount > s.plan.Limits.Budget:
		return fmt.Sprintf("the ticket's share would pass the run's budget of %s; beyond that a new plan is needed", s.plan.Limits.Budget)
	}
	return ""
}

func cannotDeliver(n *node) string {
	switch {
	case n.isTemplate() || n.Status != Done:
		return fmt.Sprintf("%s is %s, not done", n.ID, n.Status)
	case n.Delivered != "":
		return fmt.Sprintf("%s is delivered already: %s", n.ID, n.Delivered)
	}
	return ""
}

func (s *State) cannotStop(n *node, kind string) string {
	switch {
	case n.isTemplate() && n.Expanded:
		return fmt.Sprintf("%s is a template; name one of its children", n.ID)
	case n.Status.Final(), kind == ParkIt && n.Status == Parks:
		return fmt.Sprintf("%s is %s already", n.ID, n.Status)
	case n.Current != nil || n.Step != nil:
		return fmt.Sprintf("%s has a unit under way; stop it first", n.ID)
	}
	return ""
}

func (s *State) decided(d Decided) error {
	if why := s.inadmissible(d); why != "" {
		return fmt.Errorf("%s", why)
	}
	if d.Kind == Stop {
		s.run.Stopping = true
		return nil
	}
	s.run.Closed = nil
	n := s.decidee(d)
	s.touch(n)
	switch d.Kind {
	case Approve, Reject:
		s.approve(n, d)
	case Answer:
		s.answer(n, d)
	case Unpark, Retry:
		s.unpark(n, d)
	case Raise:
		n.budgeted().Raised += d.Amount
		if n.Status == Parks && n.Code == ParkBudget {
			s.unpark(n, Decided{Kind: Unpark})
		}
	case ToShip:
		n.Delivery = orElse(n.plan.Deliver, deliverBranch)
	case Cancel:
		s.become(n, Cancelled, "", "cancelled by "+orElse(d.By, "the operator"))
	case ParkIt:
		s.become(n, Parks, ParkOperator, orElse(d.Text, "parked by the operator"))
	}
	return nil
}

func (s *State) approve(n *node, d Decided) {
	targets := []*node{n}
	for _, id := range n.Children {
		targets = append(targets, s.byID[id])
	}
	for _, t := range targets {
		if t.Status != Held {
			continue
		}
		if d.Kind == Approve {
			s.become(t, Ready, "", "")
		} else {
			s.become(t, Cancelled, "", orElse(d.Text, "rejected by the operator"))
		}
	}
}

func (s *State) answer(n *node, d Decided) {
	q := &n.Asked[openQuestion(n, d.Question)]
	q.Answered, q.Answer, q.By = true, d.Text, d.By
	if !slices.ContainsFunc(n.Asked, func(q Asked) bool { return q.Open && !q.Answered }) {
		s.become(n, Ready, "", "")
	}
}

// unpark grants one more round. Those that went on without the ticket are told
// that what they used may change; nothing reruns in silence.
func (s *State) unpark(n *node, d Decided) {
	n.Grants++
	n.Signatures = nil
	n.Conflict = ""
	if d.Kind == Retry && d.Stage != "" && d.Stage != n.Stage {
		n.Stage, n.Diagnose, n.Diagnosis = d.Stage, false, ""
	}
	if n.Tries > 0 || d.Kind == Retry {
		n.Round++
	}
	n.Tries, n.Retries = 0, 0
	for _, up := range n.payers() {
		for _, dep := range up.dependants {
			if dep.Status != Waiting {
				dep.Outdated = true
			}
		}
	}
	if n.Opened {
		s.become(n, Ready, "", "")
		return
	}
	s.become(n, Waiting, "", "")
}
