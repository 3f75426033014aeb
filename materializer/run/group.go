package run

import (
	"fmt"
)

// become changes a ticket's status, and tells those it concerns.
func (s *State) become(n *node, status Status, code, reason string) {
	before := n.Status
	n.Status, n.Code, n.Reason = status, code, reason
	s.touch(n)
	if before == status {
		return
	}
	s.counts[before]--
	s.counts[status]++
	for _, d := range n.dependants {
		s.touch(d)
	}
	if n.parent != nil {
		n.parent.kids.count(before, -1)
		n.parent.kids.count(status, 1)
		s.group(n.parent)
	}
}

func (k *kids) count(status Status, by int) {
	switch status {
	case Done:
		k.done += by
	case Skips:
		k.skipped += by
	case Cancelled:
		k.cancelled += by
	case Parks:
		k.parked += by
	}
}

// group gives a template the status that its children have together: it is done
// when all of them are, and parked, cancelled or skipped when all are settled
// and one of them is that.
func (s *State) group(t *node) {
	k := t.kids
	switch {
	case k.done+k.skipped+k.cancelled+k.parked < len(t.Children):
		s.become(t, Running, "", "")
	case k.parked > 0:
		s.become(t, Parks, "", fmt.Sprintf("%d of %d are parked", k.parked, len(t.Children)))
	case k.cancelled > 0:
		s.become(t, Cancelled, "", fmt.Sprintf("%d of %d were cancelled", k.cancelled, len(t.Children)))
	case k.skipped > 0:
		s.become(t, Skips, "", fmt.Sprintf("%d of %d were skipped", k.skipped, len(t.Children)))
	default:
		s.become(t, Done, "", "")
	}
}

func (s *State) expanded(e Expanded) error {
	n, err := s.waiting(e.Ticket)
	if err != nil {
		return err
	}
	if !n.isTemplate() || n.Expanded {
		return fmt.Errorf("ticket %s is not a template that can be expanded", e.Ticket)
	}
	if len(e.Children) > n.plan.FanOut.Max {
		return fmt.Errorf("%d children, the plan allows %d", len(e.Children), n.plan.FanOut.Max)
	}
	for i, c := range e.Children {
		if c.ID != childID(n, i) {
			return fmt.Errorf("child %d is called %s", i+1, c.ID)
		}
	}
	n.Expanded = true
	for i, c := range e.Children {
		k := s.child(n, i)
		k.Address, k.Key, k.Value = c.Address, c.Key, c.Value
		k.Scope, k.Narrow = c.Scope, c.Narrow
		n.Children = append(n.Children, c.ID)
		s.add(k)
	}
	s.group(n)
	return nil
}

func childID(template *node, i int) string { return fmt.Sprintf("%s.%d", template.ID, i+1) }

func (s *State) child(template *node, i int) *node {
	k := &node{plan: template.plan, parent: template, order: template.order + uint64(i) + 1, rank: template.rank}
	k.Ticket = Ticket{ID: childID(template, i), Name: template.Name, Parent: template.ID, Index: i,
		Status: Waiting, Round: 1, Title: template.plan.Title, Bounces: template.Bounces} // a template has bounces only after a repair
	if len(k.plan.Stages) > 0 {
		k.Stage = k.plan.Stages[0].Name
	}
	return k
}
