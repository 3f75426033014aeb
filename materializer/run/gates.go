package run

import (
	"fmt"
	"slices"
	"strings"
)

// required lists the gates that must be green before the unit counts: its
// stage's own, and all of the ticket's where it would be done.
func (n *node) required(to string) []string {
	st := n.stage()
	if to == "" {
		return nil // closing refuses it
	}
	wanted := slices.Clone(st.Gates)
	if !n.unitWrites(n.Current.ID) && to != toDone {
		if i := n.stageIndex(to); i >= 0 && i <= n.stageIndex(n.Stage) || to == toPark {
			return nil // a refusing verdict needs no green gate
		}
	}
	if to != toDone {
		return wanted
	}
	for _, g := range n.plan.Gates {
		if !slices.Contains(wanted, g.Name) {
			wanted = append(wanted, g.Name)
		}
	}
	return wanted
}

// gateContract says what the gate contract calls for: gates still to run, or what
// follows from one that is not green. settled is false where all are green.
func (s *State) gateContract(n *node, wanted []string, to string) (commands []Command, settled bool) {
	var failed, broken []Gated
	for _, name := range wanted {
		r, ok := n.recordOf(name)
		if !ok {
			commands = append(commands, s.runGate(n, name))
			continue
		}
		switch {
		case r.Outcome == Broken:
			broken = append(broken, r)
		case r.Outcome != Pass:
			failed = append(failed, r)
		}
	}
	switch {
	case len(commands) > 0:
		return s.prepared(n, commands)
	case len(broken) > 0:
		return record(Parked{Ticket: n.ID, Code: ParkGate, Stage: n.Stage, Reason: gateReason("is broken", broken)}), true
	case len(failed) > 0:
		return s.refuse(n, ContractGate, "", gateReason("failed", failed), n.gateOwner()), true
	}
	return nil, false
}

// inverted reports whether a record is of a gate that was expected to fail: its
// pass says that the check failed, and counts for the unit it was made for alone.
func (n *node) inverted(r Gated) bool {
	i := n.stageIndex(r.Unit.Stage)
	return i >= 0 && n.plan.Stages[i].ExpectFail && slices.Contains(n.plan.Stages[i].Gates, r.Gate)
}

// expected is what a gate's check must do after this stage: fail in a tests-first
// stage, for the stage's own gates. Evidence turns the outcome around, so that
// Pass is always what is wanted.
func (n *node) expected(gate string) GateOutcome {
	if st := n.stage(); st.ExpectFail && slices.Contains(st.Gates, gate) {
		return Fail
	}
	return Pass
}

// gateOwner is the stage that must mend what a gate found: the unit's own, where
// it writes, else the last writing stage before it.
func (n *node) gateOwner() string {
	for i := n.stageIndex(n.Stage); i >= 0; i-- {
		if n.plan.Stages[i].Writes != writesNone {
			return n.plan.Stages[i].Name
		}
	}
	return n.Stage
}

// recordOf finds the gate's record that counts for the judged tree: this unit's
// own, else an earlier pass on the same tree.
func (n *node) recordOf(gate string) (Gated, bool) {
	commit, tree := n.judged(), n.judgedTree()
	for i := len(n.Records) - 1; i >= 0; i-- {
		r := n.Records[i]
		if r.Gate != gate || r.Commit != commit && (tree == "" || r.Tree != tree) {
			continue
		}
		if r.Unit == n.Current.ID || r.Outcome == Pass && !n.inverted(r) && n.expected(gate) == Pass {
			return r, true
		}
	}
	return Gated{}, false
}

func (s *State) runGate(n *node, name string) Command {
	expect := string(n.expected(name))
	return RunGate{Unit: n.Current.ID, Gate: *n.gate(name), Record: n.Current.ID.RoundName() + "/" + name,
		Commit: n.judged(), Tree: n.judgedTree(), Start: n.Start, Expect: expect}
}

// prepared evaluates the run-phase parts of gates that are to run; one that
// cannot be evaluated parks the ticket.
func (s *State) prepared(n *node, commands []Command) ([]Command, bool) {
	for i, c := range commands {
		g, ok := c.(RunGate)
		if !ok {
			continue
		}
		var err error
		if g.Gate, err = s.gateEnv(n, g.Gate); err != nil {
			return record(Parked{Ticket: n.ID, Code: ParkEvaluation, Stage: n.Stage,
				Reason: fmt.Sprintf("gate %s: %v", g.Gate.Name, err)}), true
		}
		commands[i] = g
	}
	return commands, true
}

// gateReason says which gates stand against a candidate, in words.
func gateReason(verb string, records []Gated) string {
	parts := make([]string, len(records))
	for i, r := range records {
		parts[i] = fmt.Sprintf("gate %s %s", r.Gate, verb)
		switch {
		case r.Summary != "":
			parts[i] += ": " + oneLine(r.Summary, 400)
		case r.Exit != 0:
			parts[i] += fmt.Sprintf(" with exit %d", r.Exit)
		}
	}
	return strings.Join(parts, "; ")
}
