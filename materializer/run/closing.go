package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// closing says what a unit did not deliver: its submission, its verdict, the
// evidence that a row asks of it.
func (n *node) closing(to string) string {
	e, st := n.Current.Ended, n.stage()
	if e.Submitted == nil {
		if e.SubmitBad != "" {
			return "what it submitted cannot be read: " + oneLine(e.SubmitBad, 400)
		}
		return "it submitted nothing"
	}
	if to == "" && e.Submitted.Verdict == "" {
		return "it gave no verdict; one of " + verdicts(st) + " is due"
	}
	if to == "" {
		return fmt.Sprintf("its verdict %s is none of %s", oneLine(e.Submitted.Verdict, 40), verdicts(st))
	}
	return ""
}

func verdicts(st *planner.Stage) string {
	names := make([]string, len(st.Verdicts))
	for i, r := range st.Verdicts {
		names[i] = r.Verdict
	}
	return strings.Join(names, ", ")
}

// deliveredOutputs types the ticket's outputs where they are due at this stage.
func (n *node) deliveredOutputs(to string) (expr.Value, string) {
	if !n.stage().OutputsDue || len(n.plan.Outputs) == 0 || to == toPark {
		return expr.Value{}, ""
	}
	fields := outputFields(n.plan.Outputs)
	got := n.Current.Ended.Submitted.Outputs
	if got.IsNull() {
		got = expr.OfMap(nil)
	}
	v, wrong := expr.Conform(got, expr.Type{Kind: expr.Record, Fields: fields})
	if len(wrong) == 0 {
		return v, ""
	}
	lines := make([]string, len(wrong))
	for i, m := range wrong {
		lines[i] = oneLine(m.String(), 200)
	}
	return expr.Value{}, "outputs: " + strings.Join(clip(lines, 8), "; ")
}

// unbacked names an acceptance row that nothing backs yet, and the stage that
// must back it. A row is checked where its verdict is given, all where the ticket would be done.
func (n *node) unbacked(to string) (stage, problem string) {
	if to == toPark {
		return "", ""
	}
	for _, row := range n.plan.Acceptance {
		if row.By == n.Stage && len(n.stage().Verdicts) > 0 {
			if !n.plan.Accepts(n.Stage, n.verdict()) {
				continue // it refuses: the row is still open, and done is checked below
			}
			if len(n.Current.Ended.Observed.Cited) == 0 {
				return n.Stage, fmt.Sprintf("acceptance %s: the verdict cites no evidence that exists", oneLine(row.What, 120))
			}
			continue
		}
		if to != toDone || n.gate(row.By) != nil {
			continue // gates are all green here: see required
		}
		if _, ok := n.verdictOn(row.By, n.judged()); !ok {
			return n.backer(row.By), fmt.Sprintf("acceptance %s: nothing from %s backs it on commit %s",
				oneLine(row.What, 120), row.By, n.judged())
		}
	}
	return "", ""
}

// backer is the stage that a missing verdict sends the ticket to; its own where there is no such stage.
func (n *node) backer(stage string) string {
	if n.stageIndex(stage) >= 0 {
		return stage
	}
	return n.Stage
}

// verdictOn finds the accepting verdict of a stage on a commit, with cited
// evidence. What the latest verdict on that commit refused is not backed by an earlier one.
func (n *node) verdictOn(stage, commit string) (Handoff, bool) {
	for _, h := range slices.Backward(n.Handoffs) {
		if h.Unit.Stage != stage || h.Unit.Purpose != "" || h.Status != "accepted" || h.Commit != commit {
			continue
		}
		return h, n.plan.Accepts(stage, h.Verdict) && len(h.Cited) > 0
	}
	return Handoff{}, false
}

// backed lists the acceptance rows of a ticket that is done, with what backs each.
func (n *node) backed() []Backed {
	var out []Backed
	for _, row := range n.plan.Acceptance {
		b := Backed{What: row.What, By: row.By}
		if h, ok := n.verdictOn(row.By, n.Head); ok {
			b.Record = h.Unit.String()
		} else if r, ok := n.passOn(row.By); ok {
			b.Record = r.Record
		}
		out = append(out, b)
	}
	return out
}

func (n *node) passOn(gate string) (Gated, bool) {
	for _, r := range slices.Backward(n.Records) {
		if r.Gate == gate && r.Outcome == Pass && !n.inverted(r) && (r.Commit == n.Head || n.HeadTree != "" && r.Tree == n.HeadTree) {
			return r, true
		}
	}
	return Gated{}, false
}
