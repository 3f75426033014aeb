package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// target is the index a route leads to: len(stages) for done, -1 for park, -2 for nowhere.
func target(p Pipeline, i int, to string) int {
	switch to {
	case ToNext:
		return i + 1
	case ToDone:
		return len(p.Stages)
	case ToPark:
		return -1
	}
	at := slices.IndexFunc(p.Stages, func(s Stage) bool { return s.Name == to })
	if at < 0 {
		return -2
	}
	return at
}

// ruleTargets: every verdict leads to next, done, park or a stage of its pipeline.
func ruleTargets(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		var out diag.Findings
		for _, r := range s.Verdict {
			switch to := target(p, i, r.To); {
			case to == -2:
				known := []string{ToNext, ToDone, ToPark}
				for _, other := range p.Stages {
					known = append(known, other.Name)
				}
				out = append(out, f.nowhere(p, s, r, known))
			case r.To == ToNext && to == len(p.Stages):
				out = append(out, edited(codeUnknownTarget.At(r.Range, fmt.Sprintf("%s of the last stage `%s` leads to `next`; there is none.", r.Verdict, s.Name), "Write `done`."), ToDone))
			}
		}
		return out
	})
}

// nowhere is about a route that leads to what is no stage, such as the role of one.
func (f *facts) nowhere(p Pipeline, s Stage, r Route, known []string) diag.Finding {
	detail := fmt.Sprintf("%s of stage `%s` leads to `%s`, which is no stage of pipeline `%s`.", r.Verdict, s.Name, r.To, p.Name)
	at := slices.IndexFunc(p.Stages, func(other Stage) bool { return other.Role == r.To && other.writing() })
	switch word := meantRoutes[strings.ToLower(r.To)]; {
	case at >= 0:
		return edited(codeUnknownTarget.At(r.Range, detail, fmt.Sprintf("`%s` is a role; its stage is called `%s`.", r.To, p.Stages[at].Name)), p.Stages[at].Name)
	case word != "":
		return edited(codeUnknownTarget.At(r.Range, detail, fmt.Sprintf("Write `%s`.", word)), word)
	}
	return f.mixedUp(unknownWord(codeUnknownTarget, r.To, r.Range, detail, known), r.To, "stage")
}

// accepts reports whether a route lets the work pass: it leads to done, or on to
// a stage that looks at the same commit. One that leads to a writing stage, back
// or to park refuses, whatever the verdict is called; planner.Ticket.Accepts
// says the same of a plan.
func (p Pipeline) accepts(i int, r Route) bool {
	to := target(p, i, r.To)
	return to > i && (to >= len(p.Stages) || !p.Stages[to].writing())
}

// ruleRefusing: a stage that judges can say no.
func ruleRefusing(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		if p.broken() || !s.judging() || slices.ContainsFunc(s.Verdict, func(r Route) bool { return !p.accepts(i, r) }) {
			return doubtful(p, i, s)
		}
		last := s.Verdict[len(s.Verdict)-1]
		return diag.Findings{codeForwardRefusal.At(last.Range, fmt.Sprintf("every verdict of stage `%s` lets the work pass; whatever it says, the work would count as accepted.", s.Name), "Lead the verdict that refuses to "+refusalPlace(p, i)+", as in `FAIL: "+refusalWord(p, i)+"`.")}
	})
}

func refusalPlace(p Pipeline, i int) string {
	if word := refusalWord(p, i); word != ToPark {
		return "`" + word + "`, which writes, or to `park`"
	}
	return "`park`"
}

// refusalWord is the nearest writing stage before, or park.
func refusalWord(p Pipeline, i int) string {
	for j := i; j >= 0; j-- {
		if p.Stages[j].writing() {
			return p.Stages[j].Name
		}
	}
	return ToPark
}

// doubtWords begin the names that people give to refusals. Names decide nothing:
// this only asks the author whether the route is meant.
var doubtWords = []string{"FAIL", "FAILED", "REJECT", "REJECTED", "REFUSED", "BLOCK", "BLOCKED", "HOLD", "CANNOT", "UNVERIFIED", "UNSURE"}

// doubtful: a verdict that is named like a refusal and counts as acceptance.
func doubtful(p Pipeline, i int, s Stage) diag.Findings {
	var out diag.Findings
	for _, r := range s.Verdict {
		first, _, _ := strings.Cut(r.Verdict, "_")
		if p.broken() || !p.accepts(i, r) || !slices.Contains(doubtWords, first) {
			continue
		}
		out = append(out, codeDoubtfulVerdict.At(r.Range, fmt.Sprintf("%s of stage `%s` leads to `%s`, which lets the work pass; its name says otherwise.", r.Verdict, s.Name, r.To), "Lead it to "+refusalPlace(p, i)+", or give the verdict a name such as PASS_WITH_REMARKS."))
	}
	return out
}

// leads lists where a stage can lead; a working stage leads to the next.
func leads(p Pipeline, i int) []int {
	s := p.Stages[i]
	if !s.judging() {
		return []int{i + 1}
	}
	var out []int
	for _, r := range s.Verdict {
		out = append(out, target(p, i, r.To))
	}
	return out
}

// broken reports whether a route of the pipeline leads nowhere: what follows from it is not judged.
func (p Pipeline) broken() bool {
	for i := range p.Stages {
		if slices.Contains(leads(p, i), -2) {
			return true
		}
	}
	return false
}

// ruleReachable: every stage can be entered, and from every stage the ticket can get done.
func ruleReachable(f *facts) diag.Findings {
	var out diag.Findings
	for _, p := range f.w.Pipelines {
		if p.broken() || len(p.Stages) == 0 {
			continue
		}
		seen := make([]bool, len(p.Stages)+1)
		visit(p, 0, seen)
		if stuck := noWayOn(p, seen); len(stuck) > 0 {
			out = append(out, stuck...) // what lies behind is not reached for this reason
			continue
		}
		for i, s := range p.Stages {
			if !seen[i] {
				out = append(out, codeUnreachable.At(s.Range, fmt.Sprintf("no verdict and no stage of pipeline `%s` leads to `%s`.", p.Name, s.Name), "Let the stage before lead to it with `next`, or remove it."))
			}
		}
	}
	return out
}

// noWayOn lists the verdict stages that can be entered and never lead to done.
func noWayOn(p Pipeline, seen []bool) diag.Findings {
	var out diag.Findings
	for i, s := range p.Stages {
		ends := make([]bool, len(p.Stages)+1)
		if visit(p, i, ends); seen[i] && !ends[len(p.Stages)] && s.judging() {
			out = append(out, codeNoAccept.At(s.Range, fmt.Sprintf("no verdict of stage `%s` can lead to done; every ticket would go round until it parks.", s.Name), "Let one verdict lead to `next` or `done`."))
		}
	}
	return out
}

func visit(p Pipeline, i int, seen []bool) {
	if i < 0 || seen[i] {
		return
	}
	seen[i] = true
	if i == len(p.Stages) {
		return
	}
	for _, to := range leads(p, i) {
		visit(p, to, seen)
	}
}

// ruleRefusals: a refusal goes back to where something changes, else the same
// commit would be judged again.
func ruleRefusals(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		writes := slices.ContainsFunc(p.Stages, Stage.writing)
		var out diag.Findings
		for _, r := range s.Verdict {
			to := target(p, i, r.To)
			if to < 0 || to > i {
				continue
			}
			changes := slices.ContainsFunc(p.Stages[to:i+1], func(b Stage) bool { return b.writing() || !writes && !b.judging() })
			if !changes {
				out = append(out, codeNoWriterBehind.At(r.Range, fmt.Sprintf("%s of stage `%s` leads back to `%s`, and no stage from there writes; the same work would be judged again.", r.Verdict, s.Name, r.To), refusalHint(p, i)))
			}
		}
		return out
	})
}

func refusalHint(p Pipeline, i int) string {
	if word := refusalWord(p, i); word != ToPark {
		return fmt.Sprintf("Lead it to `%s`.", word)
	}
	return "Lead it to `park`, or put a stage that writes before this one."
}
