package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// panel is a set of reviewers: of a review ticket, or of a stage.
type panel struct {
	what  string // "ticket `review`"
	at    diag.Range
	roles []RoleUse
	mode  Mode // of the stage, "" where the roles' hold
}

// panels lists every set of reviewers in file order.
func (f *facts) panels() []panel {
	var out []panel
	for _, p := range f.w.Pipelines {
		for _, s := range p.Stages {
			if len(s.Reviewers) > 0 {
				q := panel{what: "stage `" + s.Name + "`", at: s.Range, mode: s.Mode}
				for i, name := range s.Reviewers {
					q.roles = append(q.roles, RoleUse{name, s.ReviewerRanges[i]})
				}
				out = append(out, q)
			}
		}
	}
	for i := range f.w.Tickets {
		if t := &f.w.Tickets[i]; t.Review != nil && len(t.Review.Reviewers) > 0 {
			out = append(out, panel{what: "ticket `" + t.Name + "`", at: t.Range, roles: t.Review.Reviewers})
		}
	}
	return out
}

// ruleReviewers: reviewers exist, are others, and only read what they judge.
func ruleReviewers(f *facts) diag.Findings {
	var out diag.Findings
	for _, p := range f.panels() {
		for i, u := range p.roles {
			if first := slices.IndexFunc(p.roles, func(o RoleUse) bool { return o.Name == u.Name }); first < i {
				out = append(out, related(codeTwiceReviewer.At(u.Range, fmt.Sprintf("`%s` already reviews in %s; the same role twice is one opinion.", u.Name, p.what), "Remove it, or name a role with other instructions."), p.roles[first].Range, "the first"))
				continue
			}
			out = append(out, f.unknownRole(u.Name, u.Range)...)
			out = append(out, f.mustRead(u, p.mode, "reviews in "+p.what)...)
		}
	}
	return out
}

// mustRead refuses a role that could change what it is to look at.
func (f *facts) mustRead(u RoleUse, mode Mode, does string) diag.Findings {
	r, ok := f.role(u.Name)
	if mode == "" {
		mode = r.Mode
	}
	if !ok || mode == Review || mode == PlanMode {
		return nil
	}
	return diag.Findings{related(codeReviewerMode.At(u.Range, fmt.Sprintf("role `%s` %s and has mode `%s`; who looks must not be able to change what is looked at.", u.Name, does, mode), "Use a role with `mode: review`."), r.Range, "the role")}
}

// ruleReviewVerdicts: the verdict of a stage with reviewers is the runner's, one
// of three, and each leads somewhere.
func ruleReviewVerdicts(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		if len(s.Reviewers) == 0 {
			return nil
		}
		var out diag.Findings
		var missing []string
		for _, v := range reviewVerdicts {
			v = strings.ToUpper(v)
			if !slices.ContainsFunc(s.Verdict, func(r Route) bool { return r.Verdict == v }) {
				missing = append(missing, v)
			}
		}
		for _, r := range s.Verdict {
			if !slices.Contains(reviewVerdicts, strings.ToLower(r.Verdict)) {
				out = append(out, codeReviewVerdicts.At(r.Range, fmt.Sprintf("stage `%s` has reviewers; the runner computes SHIP, HOLD or BLOCK from their findings, and never %s.", s.Name, r.Verdict), "Route SHIP, HOLD and BLOCK."))
			}
		}
		if len(missing) > 0 && len(out) == 0 {
			out = append(out, codeReviewVerdicts.At(s.Range, fmt.Sprintf("%s of stage `%s` leads nowhere.", strings.Join(missing, " and "), s.Name), fmt.Sprintf("Write `verdict: {SHIP: next, HOLD: park, BLOCK: %s}`.", refusalWord(p, i))))
		}
		return out
	})
}

// ruleConfirm: a finding is confirmed by another reviewer. REV-02
func ruleConfirm(f *facts) diag.Findings {
	var out diag.Findings
	for i := range f.w.Tickets {
		t := &f.w.Tickets[i]
		if t.Review != nil && t.Review.Confirm != nil && len(t.Review.Reviewers) == 1 {
			out = append(out, related(codeNobodyConfirms.At(t.Review.Confirm.Range, fmt.Sprintf("ticket `%s` has one reviewer, and a finding is confirmed by another than its author.", t.Name), "Name a second reviewer, or remove `confirm`."), t.Review.Reviewers[0].Range, "the one reviewer"))
		}
	}
	return out
}

// ruleEyes warns of a review by one reviewer, or by reviewers that were told the
// same: what the one misses, the other misses too. REV-06, REV-07
func ruleEyes(f *facts) diag.Findings {
	var out diag.Findings
	for _, p := range f.panels() {
		if len(p.roles) == 1 {
			out = append(out, codeOneEye.At(p.roles[0].Range, fmt.Sprintf("%s has one reviewer; what one frame of mind cannot see stays unseen.", p.what), "Name a second role with other instructions."))
			continue
		}
		for i, u := range p.roles {
			first := slices.IndexFunc(p.roles, func(o RoleUse) bool { return f.sameEyes(o.Name, u.Name) })
			if first < i {
				out = append(out, related(codeOneEye.At(u.Range, fmt.Sprintf("`%s` and `%s` review in %s with equal instructions; they will miss the same.", p.roles[first].Name, u.Name, p.what), "Give each `instructions` of its own, with another priority."), p.roles[first].Range, "the other"))
			}
		}
	}
	return out
}

// sameEyes reports whether two roles were told the same.
func (f *facts) sameEyes(a, b string) bool {
	x, y := f.w.Roles[f.roles[a]], f.w.Roles[f.roles[b]]
	return strings.TrimSpace(x.Text) == strings.TrimSpace(y.Text)
}
