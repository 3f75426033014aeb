package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

const (
	writesNone    = "none"
	writesScope   = "scope"
	deliverBranch = "branch"
)

// check says what follows from a unit that ended: the five contracts in their
// order, the first break decides. UNIT-10
func (s *State) check(n *node) []Command {
	e := n.Current.Ended
	if len(e.Observed.Tampered) > 0 {
		return record(Parked{Ticket: n.ID, Code: ParkTampering, Stage: n.Stage,
			Reason: "the unit touched what no unit may: " + quoteList(e.Observed.Tampered)})
	}
	if e.Outcome == Interrupted {
		return record(Rerun{Unit: e.Unit, Reason: "interrupted", Free: true})
	}
	asks := n.unrecorded() >= 0
	if e.Outcome != Exited {
		if asks {
			return s.block(n)
		}
		return s.again(n, crashReason(e))
	}
	if c, reason := n.outer(s.plan); reason != "" {
		return s.breach(n, c, reason)
	}
	if n.Current.Phase == PhaseEnded && n.builds() {
		return []Command{s.candidate(n)}
	}
	if asks {
		return s.block(n)
	}
	if e.Unit.Purpose == PurposeFirst {
		return s.checkFirst(n)
	}
	return s.checkStage(n)
}

// block records the unit's questions: the ticket then waits without a slot. Law 7
func (s *State) block(n *node) []Command {
	var out []Command
	for _, q := range n.Asked {
		if !q.Open {
			out = append(out, Record{Blocked{Ticket: n.ID, Reason: q.Text, Question: Question{ID: q.ID, Text: q.Text}}})
		}
	}
	return out
}

// again repeats a unit that did not come to its end, while retries last.
func (s *State) again(n *node, reason string) []Command {
	u := n.Current.ID
	if n.Retries < s.retries(n) {
		return record(Rerun{Unit: u, Reason: reason})
	}
	return record(Parked{Ticket: n.ID, Code: ParkCrash, Stage: n.Stage,
		Reason: fmt.Sprintf("%s: %s, and no retry is left", u, reason)})
}

func crashReason(e *Ended) string {
	reason := ""
	switch e.Outcome {
	case Failed:
		reason = fmt.Sprintf("the agent ended with exit %d", e.Exit)
		if e.Signal != "" {
			reason = "the agent was ended by " + e.Signal
		}
	case Stalled:
		reason = "the agent stalled"
	case TimedOut:
		reason = "the stage's timeout passed"
	case VendorError:
		reason = "the model's service failed"
	case NotStarted:
		reason = "the agent could not be started"
	default:
		reason = "the session ended as " + string(e.Outcome)
	}
	if e.Detail != "" {
		reason += ": " + e.Detail
	}
	return reason
}

// outer checks scope, ticket file and trace: what needs no commit.
func (n *node) outer(plan *planner.Plan) (Contract, string) {
	o := n.Current.Ended.Observed
	if reason := n.scopeBreak(o, plan); reason != "" {
		return ContractScope, reason
	}
	if len(o.TicketFile) > 0 {
		return ContractTicket, quoteList(o.TicketFile)
	}
	if len(o.Unguarded) > 0 {
		return ContractTrace, "tool uses without a guard record: " + quoteList(o.Unguarded)
	}
	return "", ""
}

// breach says what follows from a broken contract: back to the ticket's own
// stage, counting one bounce. A diagnosing unit bounces nothing; it runs again.
func (s *State) breach(n *node, c Contract, reason string) []Command {
	if n.Current.ID.Purpose == PurposeFirst {
		return s.again(n, "it broke the contract "+string(c)+": "+reason)
	}
	return s.refuse(n, c, "", reason, n.Stage)
}

func (s *State) refuse(n *node, c Contract, verdict, reason, to string) []Command {
	u := n.Current
	return record(Refused{Unit: u.ID, Contract: c, Verdict: verdict, Reason: reason, To: to, Bounces: n.Bounces + 1,
		Signature: digest(string(c), u.ID.Stage, verdict, reason)})
}

// builds reports whether the unit left work that a commit must hold.
func (n *node) builds() bool {
	if !n.unitWrites(n.Current.ID) {
		return false
	}
	return len(n.Current.Ended.Observed.Changes) > 0 || n.Carry != nil
}

func (n *node) unitWrites(u UnitID) bool {
	st := n.stage()
	return u.Purpose == "" && st != nil && st.Writes != writesNone
}

func (s *State) checkFirst(n *node) []Command {
	sub := n.Current.Ended.Submitted
	if sub == nil || strings.TrimSpace(sub.Reason) == "" {
		return s.again(n, "it delivered no diagnosis")
	}
	return record(Accepted{Unit: n.Current.ID, Commit: n.Head, Reason: sub.Reason, To: n.Stage})
}

// checkStage checks gate and closing, and says where the ticket goes.
func (s *State) checkStage(n *node) []Command {
	u, e := n.Current, n.Current.Ended
	if n.unitWrites(u.ID) && n.unchanged() {
		return s.refuse(n, ContractClosing, "", "the round changed nothing", n.Stage)
	}
	if !n.unitWrites(u.ID) && u.Commit != n.Head {
		return s.again(n, "the branch is not where the unit judged it")
	}
	to := n.route()
	wanted := n.required(to)
	if commands, settled := s.gateContract(n, wanted, to); settled {
		return commands
	}
	if reason := n.closing(to); reason != "" {
		return s.refuse(n, ContractClosing, "", reason, n.Stage)
	}
	sub := e.Submitted
	if back := n.stageIndex(to); back >= 0 && back <= n.stageIndex(n.Stage) {
		return s.refuse(n, ByVerdict, sub.Verdict, verdictReason(sub), to)
	}
	outputs, problem := n.deliveredOutputs(to)
	if problem != "" {
		return s.refuse(n, ContractClosing, "", problem, n.Stage)
	}
	if stage, problem := n.unbacked(to); problem != "" {
		return s.refuse(n, ContractClosing, "", problem, stage)
	}
	return record(Accepted{Unit: u.ID, Commit: n.judged(), Verdict: n.verdict(), Reason: sub.Reason, To: to, Outputs: outputs})
}

func verdictReason(sub *Submission) string {
	if strings.TrimSpace(sub.Reason) == "" {
		return "no reason was given"
	}
	return sub.Reason
}

// judged is the commit whose evidence counts: the candidate, else the branch's head.
func (n *node) judged() string {
	if n.Current.Candidate != "" {
		return n.Current.Candidate
	}
	return n.Head
}

func (n *node) judgedTree() string {
	if n.Current.Candidate != "" {
		return n.Current.Tree
	}
	return n.HeadTree
}

// unchanged reports whether a writing round leaves the ticket without work: it
// changed nothing itself, and the branch holds nothing beyond the start. A round
// that made the refused candidate's tree again changed nothing either. STAGE-10
func (n *node) unchanged() bool {
	u := n.Current
	if u.Candidate == "" {
		return n.Head == n.Start
	}
	if len(u.Ended.Observed.Changes) == 0 && n.Carry != nil && n.failedOn(u.Tree) {
		return true
	}
	return u.Tree != "" && u.Tree == n.StartTree
}

// failedOn reports whether a gate of an earlier unit refused the tree.
func (n *node) failedOn(tree string) bool {
	return slices.ContainsFunc(n.Records, func(r Gated) bool {
		return r.Tree == tree && r.Outcome == Fail && r.Unit != n.Current.ID
	})
}

// verdict is the unit's word where its stage asks for one.
func (n *node) verdict() string {
	if sub := n.Current.Ended.Submitted; sub != nil && len(n.stage().Verdicts) > 0 {
		return sub.Verdict
	}
	return ""
}

// route says where the unit leads if everything else holds: a stage, done or
// park. It is empty where the verdict is missing or is not one of the stage's.
func (n *node) route() string {
	st := n.stage()
	to := toNext
	if len(st.Verdicts) > 0 {
		i := slices.IndexFunc(st.Verdicts, func(r planner.Route) bool { return r.Verdict == n.verdict() })
		if i < 0 {
			return ""
		}
		to = st.Verdicts[i].To
	}
	if to != toNext {
		return to
	}
	if i := n.stageIndex(st.Name); i+1 < len(n.plan.Stages) {
		return n.plan.Stages[i+1].Name
	}
	return toDone
}

func quoteList(list []string) string {
	quoted := make([]string, 0, len(list))
	for _, s := range list {
		quoted = append(quoted, oneLine(s, 120))
	}
	return strings.Join(clip(quoted, 10), ", ")
}
