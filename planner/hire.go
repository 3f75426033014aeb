package planner

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl"
)

// rounds is how often a stage can run in one ticket: the first time, and once
// more for each refusal but the last, which parks.
func (l Limits) rounds() int64 { return int64(max(1, l.Bounces)) }

// tries is how often one unit can run: once, and its reruns after crashes.
func (l Limits) tries() int64 { return int64(1 + l.Retries) }

// hire makes the agents: each role of each ticket that can run, with the
// sessions it can start.
func (m *maker) hire() {
	m.plan.Agents = []Agent{}
	for i := range m.plan.Tickets {
		t := &m.plan.Tickets[i]
		if t.Skipped {
			continue
		}
		children := int64(m.shape[i].most)
		t.MaxUnits = int(times(m.unitsOf(t), children))
		m.plan.Agents = append(m.plan.Agents, m.staff(t, children)...)
		m.plan.Agents = append(m.plan.Agents, m.proposedAgents(t, children)...)
	}
	m.checkRoleBudgets()
}

// staff gives one agent for each role of a ticket, in the order the roles occur.
func (m *maker) staff(t *Ticket, children int64) []Agent {
	var out []Agent
	hire := func(role, mode, task string, units int64) {
		if units == 0 {
			return
		}
		i := slices.IndexFunc(out, func(a Agent) bool { return a.Role == role })
		if i < 0 {
			out = append(out, m.agent(t, role, mode, int(children)))
			i = len(out) - 1
		}
		a := &out[i]
		if !slices.Contains(a.Stages, task) {
			a.Stages = append(a.Stages, task)
		}
		a.Units = int(plus(int64(a.Units), times(units, children)))
		if mode == string(dsl.Chat) {
			a.Mode = mode // of several stages the widest counts
		}
	}
	for _, s := range m.sessions(t) {
		hire(s.role, s.mode, s.task, s.units)
	}
	for i := range out {
		m.equip(&out[i])
	}
	return out
}

func (m *maker) agent(t *Ticket, role, mode string, children int) Agent {
	return Agent{Name: role + "@" + t.Address, Role: role, Ticket: t.ID, Stages: []string{}, Count: children, Mode: mode}
}

// equip gives an agent what its role has, as far as its mode lets it.
func (m *maker) equip(a *Agent) {
	r, ok := m.roles[a.Role]
	if !ok {
		return
	}
	a.Adapter, a.Model, a.Network, a.Budget = r.Adapter, r.Model, r.Network, r.Budget
	a.Tools = resolveTools(a.Mode, r.Allow, true, r.Deny)
}

func (m *maker) checkRoleBudgets() {
	for _, r := range m.wf.Roles {
		role := m.roles[r.Name]
		used := slices.ContainsFunc(m.plan.Agents, func(a Agent) bool { return a.Role == r.Name })
		if used && role.Budget == 0 && role.Adapter != replay {
			m.find(codeRoleBudget, r.Range, fmt.Sprintf("Units of %s run on %s and cost money; without a budget a unit has no ceiling.", r.Name, role.Adapter), "Write budget: 2 USD, say.")
		}
	}
}
