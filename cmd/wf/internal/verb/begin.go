package verb

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/journal"
	"github.com/seed9cc7a46e/wf/planner/approval"
)

// newRun begins a run: the nonce is used up for it, then its folder gets plan
// and approval. A folder without approval is one that a kill left half made; it
// is taken up, so that the same approval serves the same run.
func (p *project) newRun(ctx context.Context, d *statedir.Dir, planned Planned, a approval.Approval) (*opened, error) {
	hex := hexOf(planned.Digest)
	if err := d.SavePlan(hex, planned.Bytes); err != nil {
		return nil, stateRefusal(err)
	}
	r, attempt, err := halfMade(d, hex)
	if err != nil {
		return nil, stateRefusal(err)
	}
	id := statedir.RunID(hex, attempt)
	for _, one := range a.All() {
		if err := p.useUp(ctx, d, planned.Plan, one, id); err != nil {
			return nil, err
		}
	}
	if r == nil {
		if r, err = d.NewRun(hex, planned.Bytes); err != nil {
			return nil, stateRefusal(err)
		}
	}
	data, err := encodeApproval(a)
	if err != nil {
		return nil, err
	}
	if err := r.WriteFile(approvalFile, data); err != nil {
		return nil, stateRefusal(err)
	}
	return p.begin(r)
}

// unusedNonce looks at the approvals of all runs, so that emptying the list of
// used nonces does not make an approval good again.
func unusedNonce(d *statedir.Dir, nonce, id string) error {
	all, err := d.Runs()
	if err != nil {
		return err
	}
	for _, r := range all {
		data, err := r.ReadFile(approvalFile)
		if err != nil || r.ID == id {
			continue // half made, or the run itself
		}
		a, err := decodeApproval(data)
		used := func(one approval.Approval) bool { return one.Nonce == nonce }
		if err == nil && slices.ContainsFunc(a.All(), used) {
			return &statedir.UsedError{Nonce: nonce, For: r.ID}
		}
	}
	return nil
}

// halfMade finds a plan's run that was never approved, or the number of the next one.
func halfMade(d *statedir.Dir, digest string) (*statedir.Run, int, error) {
	all, err := d.Runs()
	if err != nil {
		return nil, 0, err
	}
	for _, r := range all {
		if strings.HasPrefix(digest, r.Digest8) && !approved(r) {
			return r, r.Attempt, nil
		}
	}
	attempt, err := d.NextAttempt(digest)
	return nil, attempt, err
}

// approved reports whether a run's folder got its approval, so that the run exists.
func approved(r *statedir.Run) bool {
	_, err := r.ReadFile(approvalFile)
	return err == nil
}

func hostRefusal(lacks []HostLack) error {
	r := &Refusal{Exit: ExitStale}
	for _, l := range lacks {
		r.Findings = append(r.Findings, l.code.At(planRange, "The plan needs "+l.Need+": "+l.Why+".", l.Fix))
	}
	return r
}

// openJournal opens a run's journal under its lock, and begins it where this
// process is the first.
func (p *project) openJournal(d *statedir.Dir, o *opened, pre preflight) (*journal.Journal, *opened, error) {
	fresh, err := p.begin(o.dir)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(o.dir.JournalPath()); err == nil {
		j, _, notice, err := journal.Open(o.dir.JournalPath(), fresh.visit)
		if err != nil {
			return nil, nil, journalRefusal(o.dir.ID, err)
		}
		fresh.notice = notice
		if fresh.started {
			return j, fresh, p.append(j, fresh, pre.journal(), run.Resumed{At: p.now()})
		}
		return j, fresh, p.start(j, fresh, pre)
	}
	j, err := journal.Create(o.dir.JournalPath(), journal.Header{Run: o.dir.ID, Plan: hexOf(o.digest), Rules: strconv.Itoa(run.Rules)})
	if err != nil {
		return nil, nil, systemRefusal(err)
	}
	return j, fresh, p.start(j, fresh, pre)
}

func (p *project) start(j *journal.Journal, o *opened, pre preflight) error {
	data, err := o.dir.ReadFile(approvalFile)
	if err != nil {
		return refuse(ExitFailure, codeNoApproval, fmt.Sprintf("Run %s was begun and has no approval.", o.dir.ID), "remove it with `wf clean --run "+o.dir.ID+"` and apply again")
	}
	a, err := decodeApproval(data)
	if err != nil {
		return err
	}
	return p.append(j, o, run.Started{
		Run: o.dir.ID, Plan: o.digest, Attempt: o.dir.Attempt, Rules: run.Rules,
		Approval: string(a.Kind), Approved: "sha256:" + digestHex(data), Authority: signersOf(a), Executor: p.env.Getenv("USER"), At: p.now(),
	}, pre.journal())
}

func (p *project) append(j *journal.Journal, o *opened, events ...run.Event) error {
	for _, ev := range events {
		raw, err := run.Marshal(ev)
		if err != nil {
			return err
		}
		if err := j.Append(raw); err != nil {
			return systemRefusal(err)
		}
		if err := run.Fold(o.state, ev); err != nil {
			return err
		}
		o.events = append(o.events, ev)
	}
	return nil
}

func (p *project) now() string { return p.env.Now().UTC().Format("2006-01-02T15:04:05Z") }
