package dsl

import (
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// rule looks at a typed workflow and says what it breaks. Each stands in its own file.
type rule func(f *facts) diag.Findings

var rules = []rule{
	ruleLimits, ruleRoles, ruleTools, ruleToolNames, ruleReadOnly, ruleAdapters, ruleNetwork, ruleSettings,
	ruleStageNames, ruleStageRoles, ruleStageModes, ruleWriters, ruleTargets, ruleReachable, ruleRefusing, ruleRefusals,
	ruleTicketDoer, ruleReviewers, ruleReviewVerdicts, ruleConfirm, ruleProposals, ruleStageOutputs, ruleHelpers, ruleReports,
	ruleNeeds, ruleFanOut, ruleKeys, ruleMatrix, ruleScope, ruleGlobs, ruleGitFolder, ruleStageGlobs,
	ruleGateNames, ruleChecks, ruleCounted, ruleStageGates, ruleAcceptance, ruleDeliver, ruleTitled, ruleDelivers,
}

// idleRules look for what has no use; after an error they would only echo it.
var idleRules = []rule{ruleUnusedInputs, ruleUnusedRoles, ruleUnusedPipelines, ruleConstantWhen, ruleConstantStageWhen, ruleEyes, ruleIdleGates, ruleUnwatched, ruleTwice}

// check runs the rules. broken says that decoding had errors.
func check(w *Workflow, s Settings, broken bool) diag.Findings {
	f := newFacts(w, s)
	var found diag.Findings
	for _, r := range rules {
		found = append(found, r(f)...)
	}
	if broken || found.HasErrors() {
		return found
	}
	for _, r := range idleRules {
		found = append(found, r(f)...)
	}
	return found
}

// facts are a workflow with its names indexed.
type facts struct {
	w                         *Workflow
	s                         Settings
	roles, pipelines, tickets map[string]int
	goThrough                 map[string]int // tickets of each pipeline
}

func newFacts(w *Workflow, s Settings) *facts {
	f := &facts{w: w, s: s, roles: map[string]int{}, pipelines: map[string]int{}, tickets: map[string]int{}, goThrough: map[string]int{}}
	for i, r := range w.Roles {
		f.roles[r.Name] = i
	}
	for i, p := range w.Pipelines {
		f.pipelines[p.Name] = i
	}
	for i := range w.Tickets {
		f.tickets[w.Tickets[i].Name] = i
		f.goThrough[w.Tickets[i].Pipeline]++
	}
	return f
}

func (f *facts) role(name string) (Role, bool) {
	i, ok := f.roles[name]
	if !ok {
		return Role{}, false
	}
	return f.w.Roles[i], true
}

func (f *facts) roleNames() []string {
	var out []string
	for _, r := range f.w.Roles {
		out = append(out, r.Name)
	}
	return out
}

// stages are those a ticket goes through; none where its pipeline is unknown.
func (f *facts) stages(t *Ticket) []Stage {
	if t.Kind != "" || t.Pipeline == "" {
		if t.Role == "" && t.Kind != KindReview {
			return nil
		}
		return []Stage{t.soleStage()}
	}
	return f.listed(t)
}

// listed are the stages that the author wrote: those of the ticket's pipeline.
// Only they have verdicts, outputs and globs of their own, so that most rules
// need no sole stage made for every ticket.
func (f *facts) listed(t *Ticket) []Stage {
	i, ok := f.pipelines[t.Pipeline]
	if !ok || t.Kind != "" || t.Pipeline == "" {
		return nil
	}
	return f.w.Pipelines[i].Stages
}

// writes reports whether a stage of the ticket writes.
func (f *facts) writes(t *Ticket) bool {
	if t.Kind != "" || t.Pipeline == "" {
		return (t.Role != "" || t.Kind == KindReview) && t.soleWrites() != WritesNone
	}
	return slices.ContainsFunc(f.listed(t), Stage.writing)
}

// SoleStage is the name of the one stage of a ticket that has a role and no pipeline.
const SoleStage = "work"

// The one stage of a review and of a proposal.
const (
	ReviewStage   = "review"
	ProposalStage = "propose"
)

func (t *Ticket) soleStage() Stage {
	s := Stage{Name: SoleStage, Role: t.Role, Writes: t.soleWrites(), Range: t.RoleRange, RoleRange: t.RoleRange}
	switch {
	case t.Kind == KindReview && t.Review != nil:
		s.Name, s.Role = ReviewStage, ""
		for _, r := range t.Review.Reviewers {
			s.Reviewers, s.ReviewerRanges = append(s.Reviewers, r.Name), append(s.ReviewerRanges, r.Range)
		}
	case t.Kind == KindProposal:
		s.Name = ProposalStage
	}
	s.Timeout = *field(ownerStage, "timeout").initial
	return s
}

func (t *Ticket) soleWrites() Writes {
	if len(t.Scope) == 0 || t.Kind == KindReview && t.Review != nil || t.Kind == KindProposal {
		return WritesNone
	}
	return WritesScope
}

// Stages are the stages that a ticket goes through: its pipeline's, or one
// named SoleStage, which writes where the ticket has a scope; a review's and a
// proposal's have names of their own.
func (w *Workflow) Stages(t *Ticket) []Stage {
	if t.Kind != "" || t.Pipeline == "" {
		return []Stage{t.soleStage()}
	}
	return w.listed(t)
}

// listed are the stages that the author wrote: those of the ticket's pipeline.
func (w *Workflow) listed(t *Ticket) []Stage {
	if t.Kind != "" || t.Pipeline == "" {
		return nil
	}
	for _, p := range w.Pipelines {
		if p.Name == t.Pipeline {
			return p.Stages
		}
	}
	return nil
}

func (s Stage) writing() bool { return s.Writes == WritesScope || s.Writes == WritesGlobs }
func (s Stage) judging() bool { return len(s.Verdict) > 0 }

// Workers are the roles whose units run in the stage: its reviewers, or its role.
func (s Stage) Workers() []string {
	if len(s.Reviewers) > 0 {
		return s.Reviewers
	}
	if s.Role == "" {
		return nil
	}
	return []string{s.Role}
}

// related points at a first place.
func related(f diag.Finding, at diag.Range, message string) diag.Finding {
	f.Related = append(f.Related, diag.Related{Range: at, Message: message})
	return f
}

// edited offers a replacement of the finding's own range.
func edited(f diag.Finding, text string) diag.Finding {
	f.Edit = &diag.Edit{Range: f.Range, NewText: text}
	return f
}
