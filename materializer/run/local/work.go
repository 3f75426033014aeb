package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/seed9cc7a46e/wf/materializer/evidence"
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

// branch makes a ticket's worktree, upstream work merged in.
func (e *engine) branch(c run.Branch) worker {
	return func(ctx context.Context, _ func(...run.Event)) ([]run.Event, error) {
		ctx = context.WithoutCancel(ctx)
		base, merged, conflict, err := e.merge(ctx, c)
		if err != nil {
			return nil, err
		}
		if conflict != nil {
			return []run.Event{*conflict}, nil
		}
		// The tree's HEAD is detached: a branch that no tree has checked out can
		// only be moved by Advance, and the operator may check it out meanwhile.
		_, err = e.Repo.Add(ctx, worktree.Spec{Path: filepath.Join(e.Trees, c.Ticket), Commit: base, Owner: worktree.Owner{Run: e.Run, Ticket: c.Ticket}})
		if err != nil {
			return nil, err
		}
		if c.Branch != "" {
			if err := e.Repo.UpdateRef(ctx, "refs/heads/"+c.Branch, "", base); err != nil {
				return nil, err
			}
		}
		tree, err := e.Repo.Tree(ctx, base)
		if err != nil {
			return nil, err
		}
		return []run.Event{run.Branched{Ticket: c.Ticket, Branch: c.Branch, Base: base, Tree: tree, Merged: merged}}, nil
	}
}

// merge puts the upstream commits together, in their order. The merge commit
// takes its date from its parents, so that doing it again gives the same hash.
func (e *engine) merge(ctx context.Context, c run.Branch) (base string, merged []string, conflict *run.Conflicted, err error) {
	base = c.Base
	for _, up := range c.Upstream {
		have, err := e.Repo.IsAncestor(ctx, up.Commit, base)
		if err != nil {
			return "", nil, nil, err
		}
		merged = append(merged, up.Ticket)
		if have {
			continue
		}
		ahead, err := e.Repo.IsAncestor(ctx, base, up.Commit)
		if err != nil {
			return "", nil, nil, err
		}
		if ahead {
			base = up.Commit
			continue
		}
		next, files, err := e.mergeTwo(ctx, c.Ticket, base, up)
		if err != nil {
			return "", nil, nil, err
		}
		if files != nil {
			return "", nil, &run.Conflicted{Ticket: c.Ticket, With: up.Ticket, Files: files}, nil
		}
		base = next
	}
	return base, merged, nil, nil
}

func (e *engine) mergeTwo(ctx context.Context, ticketID, base string, up run.Upstream) (commit string, conflicts []string, err error) {
	date, err := e.laterDate(ctx, base, up.Commit)
	if err != nil {
		return "", nil, err
	}
	m, err := e.Repo.MergeTree(ctx, date, base, up.Commit)
	if err != nil {
		return "", nil, err
	}
	if len(m.Conflicts) > 0 {
		return "", m.Conflicts, nil
	}
	commit, err = e.Repo.CommitObject(ctx, worktree.Draft{
		Tree: m.Tree, Parents: []string{base, up.Commit}, Date: date,
		Message: fmt.Sprintf("%s: merge %s\n\nWf-Run: %s\n", ticketID, up.Ticket, e.Run),
	})
	return commit, nil, err
}

func (e *engine) laterDate(ctx context.Context, a, b string) (time.Time, error) {
	da, err := e.Repo.CommitDate(ctx, a)
	if err != nil {
		return time.Time{}, err
	}
	db, err := e.Repo.CommitDate(ctx, b)
	if err != nil {
		return time.Time{}, err
	}
	if db.After(da) {
		return db, nil
	}
	return da, nil
}

// candidate makes the commit that gates judge: first the intent, then, once
// that is durable and comes back with the command, the object and its ref.
func (e *engine) candidate(c run.BuildCandidate) worker {
	return func(ctx context.Context, _ func(...run.Event)) ([]run.Event, error) {
		ctx = context.WithoutCancel(ctx)
		if c.Intended == nil {
			tree, ok, err := e.Repo.Find(filepath.Join(e.Trees, c.Unit.Ticket))
			if err != nil || !ok {
				return nil, errors.Join(err, fmt.Errorf("candidate of %s: its worktree is not there", c.Unit))
			}
			hash, err := e.Repo.WriteTree(ctx, tree, c.Parent)
			if err != nil {
				return nil, err
			}
			return []run.Event{run.Intended{Unit: c.Unit, Tree: hash, Parents: []string{c.Parent}, Date: e.now(), Message: c.Message}}, nil
		}
		date, err := time.Parse(time.RFC3339, c.Intended.Date)
		if err != nil {
			return nil, fmt.Errorf("candidate of %s: %w", c.Unit, err)
		}
		commit, err := e.Repo.CommitObject(ctx, worktree.Draft{Tree: c.Intended.Tree, Parents: c.Intended.Parents, Date: date, Message: c.Intended.Message})
		if err != nil {
			return nil, err
		}
		if err := e.point(ctx, worktree.Candidate(e.Run, c.Unit.String()), commit); err != nil {
			return nil, err
		}
		return []run.Event{run.Built{Unit: c.Unit, Commit: commit, Tree: c.Intended.Tree}}, nil
	}
}

// point makes one of wf's private refs name a commit, whatever it named before.
func (e *engine) point(ctx context.Context, ref, commit string) error {
	old, err := e.Repo.ReadRef(ctx, ref)
	if err != nil {
		return err
	}
	return e.Repo.UpdateRef(ctx, ref, old, commit)
}

// gate runs one gate on one candidate and stores its record before it tells of it.
// A record of the same gate on the same tree in the same environment is used again.
func (e *engine) gate(c run.RunGate) worker {
	protected, may := run.Protected(e.State, c.Unit.Ticket)
	job := evidence.Job{
		Repo: e.Repo, Gate: c.Gate, Record: c.Record, Commit: c.Commit, Tree: c.Tree, Start: c.Start,
		Protected: protected, MayChange: may, ExpectFail: c.Expect == string(run.Fail), Texts: submitted(e.State, c.Unit.Ticket), Redact: e.redact,
	}
	return func(ctx context.Context, _ func(...run.Event)) ([]run.Event, error) {
		rec, output, err := evidence.Run(ctx, e.Host, job)
		if ctx.Err() != nil {
			return nil, nil // stopped: the gate runs again when the run goes on
		}
		if err != nil {
			return nil, err
		}
		digest, err := e.store(rec, output)
		if err != nil {
			return nil, err
		}
		return []run.Event{run.Gated{
			Unit: c.Unit, Gate: c.Gate.Name, Record: c.Record, Outcome: wanted(rec.Outcome, run.GateOutcome(c.Expect)), Commit: rec.Commit, Tree: rec.Tree,
			Exit: rec.Exit, Tests: rec.Tests, Summary: clean(summary(rec, run.GateOutcome(c.Expect))), Digest: digest, Millis: rec.Millis, Sandbox: rec.Sandbox,
		}}, nil
	}
}

// wanted turns what happened into what the stage asked for: a tests-first stage
// wants its gates to fail. Broken stays broken, since it says nothing.
func wanted(o evidence.Outcome, expect run.GateOutcome) run.GateOutcome {
	switch {
	case expect == run.Fail && o == evidence.Pass:
		return run.Fail
	case expect == run.Fail && o == evidence.Fail:
		return run.Pass
	}
	return run.GateOutcome(o)
}

func summary(rec evidence.Record, expect run.GateOutcome) string {
	switch {
	case expect == run.Fail && rec.Outcome == evidence.Pass:
		return "it passed, and a failure was expected: the new tests prove nothing"
	case expect == run.Fail && rec.Outcome == evidence.Fail:
		return "it failed, as expected: " + rec.Reason
	}
	return rec.Reason
}

// redact takes every secret that any role is given out of a gate's output.
func (e *engine) redact(p []byte) []byte {
	var known redactor
	for _, r := range e.Plan.Roles {
		for _, name := range r.Env {
			if value, ok := e.Lookup(name); ok {
				known.add(value)
			}
		}
	}
	return known.apply(p)
}

// submitted is what the unit whose candidate is judged says of its work.
func submitted(s *run.State, ticket string) []string {
	t, ok := s.Ticket(ticket)
	if !ok || t.Current == nil || t.Current.Ended == nil || t.Current.Ended.Submitted == nil {
		return nil
	}
	sub := t.Current.Ended.Submitted
	return []string{sub.Reason, sub.Outputs.String()}
}

// store keeps a record and its output in the state, where no unit can write,
// durably: the journal is about to name its digest.
func (e *engine) store(rec evidence.Record, output []byte) (digest string, err error) {
	data, digest, err := evidence.Encode(rec)
	if err != nil {
		return "", err
	}
	base := filepath.Join(e.Store, "evidence", strings.ReplaceAll(rec.Name, "/", "-"))
	if err := os.MkdirAll(filepath.Dir(base), 0o700); err != nil {
		return "", fmt.Errorf("record %s: %w", rec.Name, err)
	}
	if err := renameio.WriteFile(base+".out", output, 0o600); err != nil {
		return "", fmt.Errorf("record %s: %w", rec.Name, err)
	}
	if err := renameio.WriteFile(base+".json", data, 0o600); err != nil {
		return "", fmt.Errorf("record %s: %w", rec.Name, err)
	}
	return digest, nil
}

func (e *engine) advance(c run.Advance) worker {
	return func(ctx context.Context, _ func(...run.Event)) ([]run.Event, error) {
		if err := e.Repo.UpdateRef(context.WithoutCancel(ctx), "refs/heads/"+c.Branch, c.Old, c.New); err != nil {
			return nil, err
		}
		return []run.Event{run.Moved{Ticket: c.Ticket, Commit: c.New}}, nil
	}
}

// deliver: a branch is where its work is; delivering says so once the ref was seen there.
func (e *engine) deliver(c run.Deliver) worker {
	return func(ctx context.Context, _ func(...run.Event)) ([]run.Event, error) {
		at, err := e.Repo.ReadRef(context.WithoutCancel(ctx), "refs/heads/"+c.Branch)
		if err != nil {
			return nil, err
		}
		if at != c.Commit {
			return nil, fmt.Errorf("deliver %s: branch %s is at %s, not at %s", c.Ticket, c.Branch, at, c.Commit)
		}
		return []run.Event{run.Delivered{Ticket: c.Ticket, How: c.How, Ref: c.Branch, Commit: c.Commit}}, nil
	}
}

// takeOver ends what an earlier process of this run left: every process of its
// units, then the units themselves, as interrupted.
func (e *engine) takeOver(ctx context.Context) error {
	if e.Journal.N() == 0 {
		return nil
	}
	if err := e.Repo.Unlock(ctx, e.Run); err != nil {
		return err
	}
	var lost []run.Event
	for _, u := range run.Unended(e.State) {
		var ids []process.Identity
		if len(u.Process) > 0 {
			var id process.Identity
			if err := json.Unmarshal(u.Process, &id); err != nil {
				return fmt.Errorf("unit %s: its process in the journal: %w", u.Unit, err)
			}
			ids = append(ids, id)
		}
		if _, err := process.Reap(Marker(e.Store, u.Unit), ids); err != nil {
			return fmt.Errorf("unit %s: %w", u.Unit, err)
		}
		if len(u.Process) == 0 {
			continue // reserved and not launched: it can start as if nothing had been
		}
		ended, err := e.lost(ctx, u.Unit)
		if err != nil {
			return err
		}
		lost = append(lost, ended)
	}
	if err := e.clear(); err != nil {
		return err
	}
	return e.record(lost...)
}

// lost is the end of a unit whose runner went away; what it wrote is salvaged.
func (e *engine) lost(ctx context.Context, id run.UnitID) (run.Event, error) {
	ended := run.Ended{Unit: id, Outcome: run.Interrupted, Detail: "wf went away while it ran", At: e.now(), Observed: run.Observed{Changes: []run.Change{}}}
	s := &session{e: e, id: id.String(), places: e.placesOf(id), cmd: run.StartUnit{Unit: id}}
	tree, ok, err := e.Repo.Find(s.places.tree)
	if err != nil || !ok {
		return ended, err
	}
	s.cmd.Commit = run.CommitOf(e.State, id)
	changes, err := e.Repo.Changes(ctx, tree, s.cmd.Commit)
	if err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return ended, nil
	}
	return ended, s.salvage(ctx, tree, &ended)
}

// clear ends what gates of an earlier process left running, and removes the
// folders of units and gates that are no more.
func (e *engine) clear() error {
	for _, c := range run.Decide(e.State) {
		if g, ok := c.(run.RunGate); ok {
			if err := e.reapGate(g.Record); err != nil {
				return err
			}
		}
	}
	// What left its session, its parent and its environment behind still lives
	// in the mounts of its sandbox, which name this run's folders.
	if _, err := process.EndWithMounts(e.Trees); err != nil {
		return fmt.Errorf("processes of an earlier wf: %w", err)
	}
	for _, name := range []string{"units", "gates"} {
		if err := os.RemoveAll(filepath.Join(e.Trees, name)); err != nil {
			return fmt.Errorf("folders of an earlier process: %w", err)
		}
	}
	return nil
}

// reapGate ends every process of a gate that was asked for and not recorded, and
// of its auxiliary runs.
func (e *engine) reapGate(record string) error {
	for _, part := range []string{"", "#start", "#compile"} {
		if _, err := process.Reap(evidence.Marker(e.Host, record+part), nil); err != nil {
			return fmt.Errorf("gate %s: %w", record, err)
		}
	}
	return nil
}
