package verb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/planfile"
	"github.com/seed9cc7a46e/wf/policies"
)

// fresh says which part of a plan is stale, if any: base commit, policies, host.
func (p *project) fresh(ctx context.Context, planned Planned) error {
	if err := p.ofThisRepository(ctx, planned.Plan); err != nil {
		return err
	}
	if len(planned.Plan.Policy.Denials) > 0 {
		return refuse(ExitDenied, codeNoApproval, "Policies deny this plan: "+planned.Plan.Policy.Denials[0].Msg, "change the workflow or the policy, and plan again")
	}
	return p.stillAllowed(ctx, planned)
}

// ofThisRepository refuses a plan of another repository, and one whose base
// commit is gone.
func (p *project) ofThisRepository(ctx context.Context, plan *planner.Plan) error {
	repository, err := p.repositoryID(ctx, plan)
	if err != nil {
		return err
	}
	if repository != plan.Repository {
		return refuse(ExitStale, codeStale, "It was made for another repository.", "plan again here: `wf plan "+plan.Workflow.Name+" -o FILE`")
	}
	if _, err := p.repo.Commit(ctx, plan.Base.Commit); err != nil {
		return refuse(ExitStale, codeStale, fmt.Sprintf("Its base commit %s is not in this repository.", short(plan.Base.Commit)), "fetch it, or plan again: `wf plan "+plan.Workflow.Name+" -o FILE`")
	}
	return nil
}

// movedOn says what of the repository is no longer as the plan has it. That is
// no reason to refuse: the plan holds everything it was made from.
func (p *project) movedOn(ctx context.Context, plan *planner.Plan) []string {
	var out []string
	if head, err := p.repo.Commit(ctx, "HEAD"); err == nil && head != plan.Base.Commit {
		said := "HEAD is at " + short(head) + ", on another line than its base " + short(plan.Base.Commit)
		if n, err := p.repo.CountCommits(ctx, plan.Base.Commit, head); err == nil && n > 0 {
			said = fmt.Sprintf("HEAD is %d commits ahead of its base %s, and tickets start from the base", n, short(plan.Base.Commit))
		}
		out = append(out, said)
	}
	for _, s := range plan.Sources {
		data, err := p.tree.ReadFile(s.Path)
		if err != nil || s.Kind == "policy" || s.Kind == "operators" || planner.Hash(data) == s.Digest {
			continue
		}
		out = append(out, s.Path+" was edited since, and the plan's text counts")
	}
	return out
}

// repositoryID is this repository's identity in the way the plan's was made.
func (p *project) repositoryID(ctx context.Context, plan *planner.Plan) (string, error) {
	f, err := p.repo.Inspect(ctx)
	if err != nil {
		return "", repositoryRefusal(err)
	}
	l := p.load(plan.Workflow.Path)
	if l.settings.Repository != "" {
		return l.settings.Repository, nil
	}
	return f.ID, nil
}

// stillAllowed judges the plan again, by the policies as they are now.
func (p *project) stillAllowed(ctx context.Context, planned Planned) error {
	l := loaded{path: planned.Plan.Workflow.Path, sources: Sources{}}
	l.settings = p.load(planned.Plan.Workflow.Path).settings
	layers, err := p.layers(ctx, planned.Plan.Base.Commit, l)
	if err != nil {
		return err
	}
	document, err := planfile.Unjudged(planned.Plan)
	if err != nil {
		return err
	}
	sources := Sources{}
	for _, layer := range layers {
		for _, f := range layer.Files {
			sources[f.Path] = f.Data
		}
	}
	judgement, findings, err := policies.Judge(ctx, document, planned.Plan, layers, policies.Options{Date: p.env.Now().UTC().Format("2006-01-02T15:04:05Z")})
	if errors.Is(err, policies.ErrUnevaluated) {
		return &Refusal{Findings: findings, Sources: sources, Exit: ExitUnevaluated}
	}
	if err != nil {
		return err
	}
	if len(judgement.Denials) > 0 {
		r := refuse(ExitStale, codeStale, "The policies have changed since it was made, and deny it now.", "plan again: `wf plan "+planned.Plan.Workflow.Name+"`")
		r.Findings, r.Sources = append(r.Findings, denials(findings)...), sources
		return r
	}
	return nil
}

// denials are the findings that say which rule denies, and where it stands.
func denials(fs diag.Findings) diag.Findings {
	return slices.DeleteFunc(slices.Clone(fs), func(f diag.Finding) bool { return f.Severity != diag.Error })
}

func short(commit string) string { return commit[:min(len(commit), 10)] }
