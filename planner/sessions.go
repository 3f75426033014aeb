package planner

import (
	"slices"

	"github.com/seed9cc7a46e/wf/dsl"
)

// session is one kind of session that a child of a ticket can have, with the
// most of it that there can be. docs/language.md tells people the same numbers.
type session struct {
	role, mode string
	task       string // a stage, or what else is done, as in "first:implement"
	stage      int    // index of the stage
	units      int64
	always     bool // it runs once where nothing is refused
	worst      bool // it runs once at the most without a refusal, and perhaps not at all
}

// Tasks of sessions beside a stage's own work.
const (
	taskFirst    = "first:"    // a role diagnoses a refusal
	taskConfirm  = "confirm:"  // a reviewer confirms the findings of others
	taskInspect  = "inspect:"  // a role reads the transcript of a stalled unit
	taskEscalate = "escalate:" // a role is asked by a blocked unit before the operator
	taskConflict = "conflict"  // a role resolves a merge conflict
	taskProposed = "proposed"  // what a proposal may ask for
)

// sessions lists every kind of session of a ticket, in the order in which they occur.
//
//   - A stage's unit runs once a round, each time with its reruns after a crash, a
//     stall, a vendor's error or a verdict that went stale; and once more to go on
//     after an answer: what one answer settles is not asked twice.
//   - A diagnosing unit runs before each round but the first.
//   - Each reviewer confirms once a round, for all findings together.
//   - A stalled unit is inspected once a round; a blocked one asks once.
//   - A merge conflict is resolved once.
//   - A proposal may be mended once.
func (m *maker) sessions(t *Ticket) []session {
	l := m.limitsOf(t)
	var out []session
	for i, s := range t.Stages {
		units := plus(times(l.rounds(), l.tries()), 1)
		if t.Kind == dsl.KindProposal {
			units = plus(units, 1)
		}
		for _, role := range s.Workers() {
			out = append(out, session{role: role, mode: s.Mode, task: s.Name, stage: i, units: units, always: s.When == "", worst: true})
		}
		if s.First != "" {
			out = append(out, session{role: s.First, mode: m.modeOf(s.First), task: taskFirst + s.Name, stage: i, units: times(l.rounds()-1, l.tries())})
		}
		if t.Review != nil && t.Review.Confirm != nil {
			for _, role := range s.Reviewers {
				out = append(out, session{role: role, mode: s.Mode, task: taskConfirm + s.Name, stage: i, units: times(l.rounds(), l.tries()), worst: true})
			}
		}
		out = append(out, m.helpers(t, s, i)...)
	}
	if t.OnConflict != "" {
		out = append(out, session{role: t.OnConflict, mode: m.modeOf(t.OnConflict), task: taskConflict, units: l.tries()})
	}
	return out
}

// helpers are the sessions of roles that are called when a unit of a stage stalls or blocks.
func (m *maker) helpers(t *Ticket, s Stage, at int) []session {
	l := m.limitsOf(t)
	var out []session
	for _, role := range s.Workers() {
		inspector := t.Inspector
		if r, ok := m.roles[role]; ok && inspector == "" {
			inspector = r.Inspector
		}
		if inspector != "" {
			out = append(out, session{role: inspector, mode: m.modeOf(inspector), task: taskInspect + s.Name, stage: at, units: l.rounds()})
		}
		if t.Escalate != "" {
			out = append(out, session{role: t.Escalate, mode: m.modeOf(t.Escalate), task: taskEscalate + s.Name, stage: at, units: l.tries()})
		}
	}
	return out
}

// unitsOf is the most sessions of one child of a ticket, what it proposes included.
func (m *maker) unitsOf(t *Ticket) (sum int64) {
	for _, s := range m.sessions(t) {
		sum = plus(sum, s.units)
	}
	if t.Within != nil {
		sum = plus(sum, int64(t.Within.Units))
	}
	return sum
}

// broadest is the most sessions that one child of a ticket has at the same time.
func broadest(t *Ticket) int64 {
	most := 1
	for _, s := range t.Stages {
		most = max(most, len(s.Workers()))
	}
	if t.Within != nil {
		most = max(most, t.Within.Units)
	}
	return int64(most)
}

// longest is the number of sessions that follow each other in a child without a refusal.
func longest(t *Ticket) int64 {
	n := len(t.Stages)
	if t.Review != nil && t.Review.Confirm != nil {
		n++
	}
	if t.Within != nil {
		n += t.Within.Units
	}
	return int64(n)
}

// proposedAgents are the roles that what a ticket proposes may hire. Together
// they have the units of `within`; each alone may have all of them.
func (m *maker) proposedAgents(t *Ticket, children int64) []Agent {
	if t.Within == nil {
		return nil
	}
	var out []Agent
	for _, role := range t.Within.Roles {
		a := m.agent(t, role, m.modeOf(role), int(times(int64(t.Within.Units), children)))
		a.Name, a.Stages, a.Units = role+"@"+t.Address+"/*", []string{taskProposed}, int(times(int64(t.Within.Units), children))
		m.equip(&a)
		out = append(out, a)
	}
	return out
}

// proposed reports whether an agent is hired only by what a ticket proposes.
func (a *Agent) proposed() bool { return slices.Equal(a.Stages, []string{taskProposed}) }

// proposedCost is the most that what a ticket proposes can cost.
func (m *maker) proposedCost(t *Ticket) int64 {
	if t.Within == nil {
		return 0
	}
	var dearest int64
	for _, role := range t.Within.Roles {
		dearest = max(dearest, m.price(role))
	}
	return min(int64(t.Within.Budget), times(dearest, int64(t.Within.Units)))
}
