package planner

import (
	"cmp"
	"fmt"
	"slices"
)

// boundMoney computes the three costs and what the budget pays for.
//
// The ceiling of a unit is its role's budget. A ticket costs at most its units,
// or its own budget where it has one, for each child of a fan-out; the run at
// most its limit.
func (m *maker) boundMoney(b *Bounds) {
	var all, noBounce, least, shares int64
	for i := range m.plan.Tickets {
		t, sh := &m.plan.Tickets[i], m.shape[i]
		if t.Skipped {
			continue
		}
		children := int64(sh.most)
		all = plus(all, m.capped(sh, m.worst(t), children))
		noBounce = plus(noBounce, m.capped(sh, m.straight(t), children))
		one := m.least(t)
		least = plus(least, times(one, int64(m.leastOf(i))))
		shares = plus(shares, times(int64(sh.share), children))
		m.checkShare(t, sh, Money(one))
	}
	limit := int64(m.plan.Limits.Budget)
	b.CostAllUnits, b.CostNoBounce, b.CostLeast = Money(all), Money(noBounce), Money(least)
	b.Cost = Bound{min(limit, all), m.costKept()}
	b.UnitsPaid = int(m.paid(b.Units.Value))
	m.checkMoney(b, Money(shares))
}

// costKept: a program's own account of its cost is metered. What the replay
// agent says of itself is known to the runner before it starts.
func (m *maker) costKept() string {
	if slices.ContainsFunc(m.plan.Agents, func(a Agent) bool { return a.Adapter != replay }) {
		return metered
	}
	return enforced
}

func (m *maker) capped(sh shape, one, children int64) int64 {
	if sh.share > 0 {
		one = min(one, int64(sh.share))
	}
	return times(one, children)
}

func (m *maker) price(role string) int64 {
	if r, ok := m.roles[role]; ok {
		return int64(r.Budget)
	}
	return 0
}

// worst is the cost of one child with every refusal, every rerun and every helper.
func (m *maker) worst(t *Ticket) int64 {
	sum := m.proposedCost(t)
	for _, s := range m.sessions(t) {
		sum = plus(sum, times(m.price(s.role), s.units))
	}
	return sum
}

// straight is the cost of one child without a refusal, each stage entered and
// everything confirmed that can be.
func (m *maker) straight(t *Ticket) int64 {
	sum := m.proposedCost(t)
	for _, s := range m.sessions(t) {
		if s.worst {
			sum = plus(sum, m.price(s.role))
		}
	}
	return sum
}

// least is the cost of one child that goes the shortest way.
func (m *maker) least(t *Ticket) (sum int64) {
	stages := m.leastStages(*t)
	for _, s := range m.sessions(t) {
		if s.always && s.stage < stages {
			sum = plus(sum, m.price(s.role))
		}
	}
	return sum
}

// paid is the number of units the budget pays for whatever units they are: the
// dearest first, until the money or the units end.
func (m *maker) paid(units int64) int64 {
	type batch struct{ price, count int64 }
	var batches []batch
	for _, a := range m.plan.Agents {
		batches = append(batches, batch{int64(a.Budget), int64(a.Units)})
	}
	slices.SortFunc(batches, func(a, b batch) int { return cmp.Compare(b.price, a.price) })
	left, paid := int64(m.plan.Limits.Budget), int64(0)
	for _, x := range batches {
		wanted := min(x.count, units-paid)
		n := wanted
		if x.price > 0 {
			n = min(n, left/x.price)
		}
		paid, left = paid+n, left-n*x.price
		if n < wanted {
			break
		}
	}
	return paid
}

func (m *maker) checkShare(t *Ticket, sh shape, one Money) {
	d := m.wf.Tickets[sh.declared]
	if t.Within != nil && t.Within.Budget > t.Budget {
		m.find(codeTicketBudget, at(d.Within.Budget, d.Range), fmt.Sprintf("What %s proposes may cost %s; the ticket may use %s.", t.Address, t.Within.Budget, t.Budget), "Lower `budget` under `within`, or raise the ticket's or the run's.")
	}
	if sh.share == 0 || one <= sh.share {
		return
	}
	m.find(codeTicketBudget, at(d.Budget, d.Range), fmt.Sprintf("%s may use %s; one unit for each of its stages can cost %s.", t.Address, sh.share, one), "Raise the ticket's budget, or lower those of its roles.")
}

func (m *maker) checkMoney(b *Bounds, shares Money) {
	limit := m.plan.Limits.Budget
	where := at(m.wf.Limits.Budget, m.wf.Limits.Range)
	switch {
	case shares > limit:
		m.find(codeShares, where, fmt.Sprintf("The tickets' own budgets add up to %s, the run has %s.", shares, limit), "Raise limits.budget, or lower the tickets' shares.")
	case b.CostLeast > limit:
		m.find(codeLeastCost, where, fmt.Sprintf("One unit for each stage, without any refusal, can cost %s; the run has %s.%s", b.CostLeast, limit, m.dearest()), "Raise limits.budget, or lower the budgets of the roles.")
	case int64(b.UnitsPaid) < b.Units.Value:
		m.find(codeNotAllPaid, where, fmt.Sprintf("%s pays for %d of %d units in the worst case; without a refusal the run can cost %s.", limit, b.UnitsPaid, b.Units.Value, b.CostNoBounce), "")
	}
}

// dearest names the role whose units cost most in all.
func (m *maker) dearest() string {
	sums := map[string]int64{}
	for _, t := range m.plan.Tickets {
		for _, s := range t.Stages {
			for _, role := range s.Workers() {
				sums[role] += m.price(role)
			}
		}
	}
	best := ""
	for _, r := range m.plan.Roles {
		if sums[r.Name] > sums[best] {
			best = r.Name
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" The dearest role is %s, at %s a unit.", best, Money(m.price(best)))
}
