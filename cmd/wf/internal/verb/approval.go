package verb

import (
	"context"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/approval"
	"github.com/seed9cc7a46e/wf/policies"
)

// approvalFor finds who approved the plan: the files given, those kept in the
// state, --auto-approve, or the person at the terminal.
func (p *project) approvalFor(ctx context.Context, d *statedir.Dir, planned Planned, req ApplyRequest) (approval.Approval, error) {
	if lacks := unmet(planned.Plan); len(lacks) > 0 {
		return approval.Approval{}, hostRefusal(lacks)
	}
	ops, err := p.operators(ctx, planned.Plan.Base.Commit)
	if err != nil {
		return approval.Approval{}, err
	}
	want := approval.Want{Digest: planned.Digest, Repository: planned.Plan.Repository, Workflow: planned.Plan.Workflow.Name, Now: p.env.Now()}
	kept, err := p.keptApprovals(d, ops, want)
	if err != nil {
		return approval.Approval{}, err
	}
	asks := planned.Plan.Policy.Asks
	switch {
	case len(req.Approvals) > 0:
		given, err := p.fileApprovals(req.Approvals, ops, want)
		if err != nil {
			return approval.Approval{}, err
		}
		return together(asks, append(given, kept...))
	case len(kept) > 0 && approval.Suffice(asks, kept).OK():
		return together(asks, kept)
	case req.Auto:
		return p.autoApproval(ctx, planned)
	case len(kept) > 0:
		return together(asks, kept)
	case !ops.Empty():
		return approval.Approval{}, refuse(ExitWaiting, codeNoApproval, "This repository names operators, and none has signed this plan.", "save it with `wf plan -o FILE`, have it signed with `wf approve FILE`, and apply the file")
	}
	return p.terminalApproval(planned, req, ops)
}

func (p *project) terminalApproval(planned Planned, req ApplyRequest, ops approval.Operators) (approval.Approval, error) {
	if req.Confirm == nil {
		return approval.Approval{}, refuse(ExitWaiting, codeNoApproval, "Nobody can be asked here.", "run it at a terminal, or with --auto-approve where policies allow that, or with --approval FILE")
	}
	if err := p.aloneAtTerminal(); err != nil {
		return approval.Approval{}, err
	}
	nonce, err := newNonce()
	if err != nil {
		return approval.Approval{}, err
	}
	a, refusal := approval.AtTerminal(planned.Plan, planned.Digest, nonce, req.User, ops)
	if !refusal.OK() {
		return a, refused(refusal)
	}
	ok, err := req.Confirm(planned)
	if err != nil {
		return approval.Approval{}, err
	}
	if !ok {
		return approval.Approval{}, refuse(ExitWaiting, codeNoApproval, "You did not approve it; nothing was started.", "")
	}
	return a, nil
}

// refusals says under which finding each reason reaches the user, with the
// status it ends with: what is not genuine or not entitled is a failure, what
// is about something else or over is stale, what lacks somebody waits.
func refusals(r approval.Reason) (code diag.Code, exit int, hint string) {
	again := "approve exactly this plan: `wf approve PLAN -o FILE`, and apply it with --approval FILE"
	switch r {
	case approval.Unreadable:
		return codeSigUnreadable, ExitFailure, "give the file that `wf approve -o` wrote, unchanged"
	case approval.Altered:
		return codeSigAltered, ExitFailure, again
	case approval.WrongNamespace:
		return codeSigNamespace, ExitFailure, "sign with `wf approve`, or with `ssh-keygen -Y sign -n wf-plan`"
	case approval.UnknownSigner:
		return codeSigUnknown, ExitFailure, "have one of " + operatorsFile + " approve it, or have the line of this person committed there"
	case approval.Revoked:
		return codeSigRevoked, ExitFailure, "have somebody approve it who is an operator now, on a plan from a commit of now"
	case approval.KeyNotAllowed:
		return codeSigKey, ExitFailure, "look at valid-after, valid-before and namespaces of the line in " + operatorsFile
	case approval.GroupNotHeld:
		return codeSigGroup, ExitFailure, "approve again with `wf approve`, which takes the groups from " + operatorsFile
	case approval.AlteredPlan, approval.WrongWorkflow:
		return codeSigPlan, ExitStale, again
	case approval.WrongRepository:
		return codeSigRepository, ExitStale, "plan and approve in this repository"
	case approval.Expired:
		return codeSigExpired, ExitStale, again
	case approval.MissingGroup, approval.TooFew:
		return codeSigMissing, ExitWaiting, "have those run `wf approve` on the plan, and give each file: --approval A --approval B"
	}
	return codeBadApproval, ExitFailure, again
}

func refused(r approval.Refusal) error {
	if r.OK() {
		return nil
	}
	code, exit, hint := refusals(r.Reason)
	return refuse(exit, code, sentence(r.Detail), hint)
}

// fileApprovals reads the approvals that were given; each has to count.
func (p *project) fileApprovals(names []string, ops approval.Operators, want approval.Want) ([]approval.Approval, error) {
	var out []approval.Approval
	for _, name := range names {
		text, err := p.env.readUser(codeBadApproval, name, "make one with `wf approve PLAN -o FILE`")
		if err != nil {
			return nil, err
		}
		v := approval.Verify(text, ops, want)
		if !v.OK() {
			code, exit, hint := refusals(v.Refusal.Reason)
			return nil, refuseIn(exit, code, name, sentence(v.Refusal.Detail), hint)
		}
		out = append(out, v.Approval)
	}
	return out, nil
}

// together makes one record of the approvals that a plan needs.
func together(asks []planner.Ruling, all []approval.Approval) (approval.Approval, error) {
	all = approval.Needed(asks, all)
	if r := approval.Suffice(asks, all); !r.OK() {
		return approval.Approval{}, refused(r)
	}
	first := all[0]
	for _, a := range all[1:] {
		if a.Nonce != first.Nonce {
			first.Also = append(first.Also, a)
		}
	}
	return first, nil
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

// keptApprovals are the signatures in the state that still count and are unused.
func (p *project) keptApprovals(d *statedir.Dir, ops approval.Operators, want approval.Want) ([]approval.Approval, error) {
	if ops.Empty() {
		return nil, nil
	}
	kept, err := d.Approvals(hexOf(want.Digest))
	if err != nil {
		return nil, stateRefusal(err)
	}
	var out []approval.Approval
	for _, text := range kept {
		v := approval.Verify(text, ops, want)
		if !v.OK() {
			continue
		}
		if _, used, err := d.Used(v.Approval.Nonce); err != nil {
			return nil, stateRefusal(err)
		} else if !used {
			out = append(out, v.Approval)
		}
	}
	return out, nil
}

// signersOf names everybody whose word a record holds.
func signersOf(a approval.Approval) string {
	var out []string
	for _, one := range a.All() {
		out = append(out, one.Signer)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}
