package verb

import (
	"context"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/planner/approval"
	"github.com/seed9cc7a46e/wf/policies"
)

// approvalFor finds who approved the plan: the file given, one kept in the
// state, --auto-approve, or the person at the terminal.
func (p *project) approvalFor(ctx context.Context, d *statedir.Dir, planned Planned, req ApplyRequest) (approval.Approval, error) {
	if lacks := unrun(planned.Plan); len(lacks) > 0 {
		return approval.Approval{}, hostRefusal(lacks) // before an approval is used up
	}
	ops, err := p.operators(ctx, planned.Plan.Base.Commit)
	if err != nil {
		return approval.Approval{}, err
	}
	want := approval.Want{Digest: planned.Digest, Repository: planned.Plan.Repository, Workflow: planned.Plan.Workflow.Name, Groups: approval.AskedGroups(planned.Plan), Now: p.env.Now()}
	switch {
	case req.Approval != "":
		return p.fileApproval(req.Approval, ops, want)
	case req.Auto:
		return p.autoApproval(ctx, planned)
	}
	if a, ok, err := p.keptApproval(d, ops, want); ok || err != nil {
		return a, err
	}
	if !ops.Empty() {
		return approval.Approval{}, refuse(ExitWaiting, codeNoApproval, "This repository names operators, and none has signed this plan.", "save it with `wf plan -o FILE`, have it signed with `wf approve FILE`, and apply the file")
	}
	if req.Confirm == nil {
		return approval.Approval{}, refuse(ExitWaiting, codeNoApproval, "Nobody can be asked here.", "run it at a terminal, or with --auto-approve where policies allow that, or with --approval FILE")
	}
	ok, err := req.Confirm(planned)
	if err != nil {
		return approval.Approval{}, err
	}
	if !ok {
		return approval.Approval{}, refuse(ExitWaiting, codeNoApproval, "You did not approve it; nothing was started.", "")
	}
	nonce, err := newNonce()
	if err != nil {
		return approval.Approval{}, err
	}
	a, refusal := approval.AtTerminal(planned.Plan, planned.Digest, nonce, req.User, ops)
	return a, refused(refusal)
}

func refused(r approval.Refusal) error {
	if r.OK() {
		return nil
	}
	if r.Reason == approval.MissingGroup {
		return refuse(ExitWaiting, codeBadApproval, sentence(r.Detail), "have an operator of that group run `wf approve` on the plan")
	}
	return refuse(ExitFailure, codeBadApproval, sentence(r.Detail), "approve exactly this plan: `wf approve PLAN -o FILE`, and apply it with --approval FILE")
}

func (p *project) fileApproval(name string, ops approval.Operators, want approval.Want) (approval.Approval, error) {
	text, err := p.env.readUser(codeBadApproval, name, "make one with `wf approve PLAN -o FILE`")
	if err != nil {
		return approval.Approval{}, err
	}
	v := approval.Verify(text, ops, want)
	return v.Approval, refused(v.Refusal)
}

func (p *project) autoApproval(ctx context.Context, planned Planned) (approval.Approval, error) {
	l := loaded{path: planned.Plan.Workflow.Path, settings: p.load(planned.Plan.Workflow.Path).settings}
	layers, err := p.layers(ctx, planned.Plan.Base.Commit, l)
	if err != nil {
		return approval.Approval{}, err
	}
	auto, err := policies.AutoApprove(layers)
	if err != nil {
		return approval.Approval{}, err
	}
	nonce, err := newNonce()
	if err != nil {
		return approval.Approval{}, err
	}
	a, refusal := approval.Automatic(planned.Plan, planned.Digest, nonce, auto.ModelCall)
	if !refusal.OK() {
		return a, refuse(ExitWaiting, codeAuto, sentence(refusal.Detail), "have a person approve it: `wf plan "+planned.Plan.Workflow.Name+" -o FILE`, `wf approve FILE`, `wf apply FILE`")
	}
	return a, nil
}

// keptApproval looks for a signature in the state that still counts and is unused.
func (p *project) keptApproval(d *statedir.Dir, ops approval.Operators, want approval.Want) (approval.Approval, bool, error) {
	if ops.Empty() {
		return approval.Approval{}, false, nil
	}
	kept, err := d.Approvals(hexOf(want.Digest))
	if err != nil {
		return approval.Approval{}, false, stateRefusal(err)
	}
	for _, text := range kept {
		v := approval.Verify(text, ops, want)
		if !v.OK() {
			continue
		}
		if _, used, err := d.Used(v.Approval.Nonce); err != nil {
			return approval.Approval{}, false, stateRefusal(err)
		} else if !used {
			return v.Approval, true, nil
		}
	}
	return approval.Approval{}, false, nil
}
