package verb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/approval"
)

// useUp uses an approval up for a run: on the remote first, where the settings
// say so, so that a remote that does not answer leaves it unused here.
func (p *project) useUp(ctx context.Context, d *statedir.Dir, plan *planner.Plan, a approval.Approval, id string) error {
	if err := unusedNonce(d, a.Nonce, id); err != nil {
		return stateRefusal(err)
	}
	remote, err := p.claimsOnRemote(ctx, plan)
	if err != nil {
		return err
	}
	if _, used, err := d.Used(a.Nonce); err != nil {
		return stateRefusal(err)
	} else if remote && a.Kind == approval.SSH && !used {
		if err := p.claim(ctx, d, a.Nonce, id); err != nil {
			return err
		}
	}
	return stateRefusal(d.Consume(a.Nonce, id))
}

// claimsOnRemote reports whether wf.yaml says `approvals: remote`, at the plan's
// base commit or in the working tree: neither takes it back from the other.
func (p *project) claimsOnRemote(ctx context.Context, plan *planner.Plan) (bool, error) {
	for _, files := range []dsl.Files{commitTree{ctx, p.repo, plan.Base.Commit}, p.tree} {
		settings, findings := dsl.LoadSettings(plan.Workflow.Path, files)
		if findings.HasErrors() {
			return false, &Refusal{Findings: findings, Exit: ExitFailure}
		}
		if settings.Approvals == dsl.ApprovalsRemote {
			return true, nil
		}
	}
	return false, nil
}

// ApprovalSpace is where used approvals stand on the remote, one ref each.
const ApprovalSpace = "refs/wf/approvals/"

const claimRemote = "origin"

// claimTime bounds the talk with the remote.
const claimTime = 2 * time.Minute

// claim makes the approval's ref on the remote, which only one can do.
func (p *project) claim(ctx context.Context, d *statedir.Dir, nonce, id string) error {
	text, err := d.ClaimText(nonce, id)
	if err != nil {
		return stateRefusal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	by, err := p.repo.ClaimRef(ctx, claimRemote, ApprovalSpace+nonce, text, p.env.remoteEnv())
	var known *worktree.Error
	switch {
	case errors.As(err, &known):
		return refuse(ExitFailure, codeClaim, sentence(known.Error()), "wf.yaml says `approvals: remote`, so that an approval is used up on "+claimRemote+"; make the remote reachable and writable, and apply again")
	case err != nil:
		return err
	case by != "":
		return refuse(ExitStale, codeUsed, fmt.Sprintf("It was used by %s, in another clone of this repository.", by), "approve the plan again: `wf approve PLAN -o FILE`")
	}
	return nil
}

// remoteEnv is what git may know of the user to talk with a remote.
func (e Env) remoteEnv() []string {
	var out []string
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_CONFIG_GLOBAL", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if v := e.Getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// aloneAtTerminal refuses a word at the terminal while a unit lives that is not
// confined: it could type there.
func (p *project) aloneAtTerminal() error {
	d, err := p.state()
	if err != nil {
		return err
	}
	defer d.Close()
	all, err := p.runs(d)
	if err != nil {
		return err
	}
	for _, r := range all {
		h, ok, err := r.Holder()
		if err != nil || !ok || !h.Alive {
			continue
		}
		o, err := p.read(r)
		if err != nil || floorOf(o.plan) != "none" || len(run.Unended(o.state)) == 0 {
			continue
		}
		return refuse(ExitWaiting, codeNotAlone, fmt.Sprintf("A unit of run %s is alive and nothing confines it, so that it could type at a terminal as well as you.", r.ID), "wait until it has ended, or stop the run: `wf stop --run "+r.ID+"`")
	}
	return nil
}

// approvalFits holds a run's approval against the journal and the operators.
func (p *project) approvalFits(ctx context.Context, o *opened) (fit int, wrong []string) {
	i := slices.IndexFunc(o.events, func(ev run.Event) bool { _, ok := ev.(run.Started); return ok })
	if i < 0 {
		return 0, nil
	}
	started := o.events[i].(run.Started)
	data, err := o.dir.ReadFile(approvalFile)
	if err != nil {
		return 0, []string{"approval: its record is gone"}
	}
	if started.Approved != "" && started.Approved != "sha256:"+digestHex(data) {
		return 0, []string{"approval: the record is not the one in the journal"}
	}
	a, err := decodeApproval(data)
	if err != nil || string(a.Kind) != started.Approval || signersOf(a) != started.Authority {
		return 0, []string{"approval: the record is not the one in the journal"}
	}
	if a.Kind != approval.SSH {
		return 0, nil
	}
	ops, err := p.operatorsAt(ctx, o.plan.Base.Commit) // as they were when it was approved
	if err != nil {
		return 0, []string{"approval: the operators of the base commit cannot be read"}
	}
	at, err := time.Parse(time.RFC3339, started.At)
	if err != nil {
		return 0, []string{"approval: the journal does not say when it was used"}
	}
	for _, one := range a.All() {
		v := approval.Verify([]byte(one.Text), ops, approval.Want{Digest: o.digest, Repository: o.plan.Repository, Workflow: o.plan.Workflow.Name, Now: at})
		if !v.OK() {
			wrong = append(wrong, "approval of "+one.Signer+": "+v.Refusal.Detail)
			continue
		}
		fit++
	}
	return fit, wrong
}
