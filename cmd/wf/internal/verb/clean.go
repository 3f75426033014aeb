package verb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/journal"
)

// Delivered says where a ticket's work is.
type Delivered struct {
	Ticket string `json:"ticket"`
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	Base   string `json:"base"`
	// Command is what the operator types to bring the work to their own branch;
	// wf moves no branch that is checked out.
	Command string `json:"command"`
}

// Deliver records that the operator takes a done ticket's branch over, and says how.
func Deliver(ctx context.Context, e Env, req DecideRequest) (Delivered, error) {
	return withRun(ctx, e, req.Run, func(p *project, d *statedir.Dir, o *opened) (Delivered, error) {
		if err := p.outside(); err != nil {
			return Delivered{}, err
		}
		t, err := o.ticketOf(req.Ticket)
		if err != nil {
			return Delivered{}, err
		}
		if t.Branch == "" {
			return Delivered{}, refuse(ExitFailure, codeDelivered, fmt.Sprintf("%s writes nothing and has no branch.", t.ID), "deliver a ticket that writes: see `wf status`")
		}
		at, err := p.repo.ReadRef(ctx, "refs/heads/"+t.Branch)
		if err != nil {
			return Delivered{}, repositoryRefusal(err)
		}
		if at != t.Head {
			return Delivered{}, refuse(ExitFailure, codeDelivered, fmt.Sprintf("Branch %s is at %s; what was accepted is %s.", t.Branch, orNone(at), short(t.Head)), "Look at who moved it; `git branch -f "+t.Branch+" "+t.Head+"` puts it back")
		}
		out := Delivered{Ticket: t.ID, Branch: t.Branch, Commit: t.Head, Base: t.Start, Command: "git merge " + t.Branch}
		if t.Delivered != "" {
			return out, nil
		}
		req.Kind = run.ToShip
		req.Text = "branch"
		_, err = p.decide(ctx, o, req)
		return out, err
	})
}

// Stop asks the process that carries a run out to stop: no new units, running
// ones are asked to end; the run stays open.
func Stop(ctx context.Context, e Env, id string) (string, error) {
	return withRun(ctx, e, id, func(p *project, _ *statedir.Dir, o *opened) (string, error) {
		if err := p.outside(); err != nil {
			return "", err
		}
		h, ok, err := o.dir.Holder()
		if err != nil {
			return "", stateRefusal(err)
		}
		if !ok || !h.Alive {
			return "", refuse(ExitFailure, codeNotNow, fmt.Sprintf("No process carries run %s out.", o.dir.ID), "go on with it: `wf apply --run "+o.dir.ID+"`")
		}
		proc, err := os.FindProcess(h.Process.PID)
		if err == nil && process.Identity.Alive(h.Process) {
			err = proc.Signal(os.Interrupt)
		}
		return o.dir.ID, systemRefusal(err)
	})
}

// Removable is one thing that clean would take away, or keeps.
type Removable struct {
	Run    string `json:"run"`
	Ticket string `json:"ticket"`
	Path   string `json:"path"`
	Branch string `json:"branch,omitempty"`
	Why    string `json:"why"`  // merged, empty, read-only, discarded; or why it is kept
	Goes   bool   `json:"goes"` // clean takes it away
	Gone   bool   `json:"gone"` // it was taken away, and that was looked at
}

// CleanRequest says what to remove.
type CleanRequest struct {
	Run     string
	Discard []string // tickets whose unmerged work goes, by name
	DryRun  bool
}

// Clean removes the worktrees and branches of a run whose work is merged or
// empty; other work stays unless its ticket is named. It verifies afterwards.
func Clean(ctx context.Context, e Env, req CleanRequest) ([]Removable, error) {
	return withRun(ctx, e, req.Run, func(p *project, d *statedir.Dir, o *opened) ([]Removable, error) {
		if err := p.outside(); err != nil {
			return nil, err
		}
		list, err := p.removable(ctx, o, req.Discard)
		if err != nil || req.DryRun {
			return list, err
		}
		lock, err := o.dir.Lock()
		if err != nil {
			return nil, stateRefusal(err)
		}
		defer lock.Release()
		fresh, err := p.begin(o.dir)
		if err != nil {
			return nil, err
		}
		j, _, _, err := journal.Open(o.dir.JournalPath(), fresh.visit)
		if err != nil {
			return nil, journalRefusal(o.dir.ID, err)
		}
		defer j.Close()
		for i := range list {
			if list[i].Goes {
				if err := p.remove(ctx, fresh, j, &list[i]); err != nil {
					return list, err
				}
			}
		}
		return list, nil
	})
}

func (p *project) removable(ctx context.Context, o *opened, discard []string) ([]Removable, error) {
	out := []Removable{}
	var named []string
	for _, name := range discard {
		t, err := o.ticketOf(name)
		if err != nil {
			return nil, err
		}
		named = append(named, t.ID)
	}
	f, err := p.repo.Inspect(ctx)
	if err != nil {
		return nil, repositoryRefusal(err)
	}
	for t := range o.state.Tickets() {
		if !t.Branched || slices.Contains(t.Removed, "worktree") {
			continue
		}
		r := Removable{Run: o.dir.ID, Ticket: t.ID, Path: filepath.Join(p.treesOf(o.dir.ID), t.ID), Branch: t.Branch}
		r.Goes, r.Why, err = p.goes(ctx, t, f.Head, slices.Contains(named, t.ID))
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// goes decides what becomes of a ticket's tree and branch.
func (p *project) goes(ctx context.Context, t run.Ticket, head string, named bool) (bool, string, error) {
	if !t.Status.Final() && t.Status != run.Parks {
		return false, "the ticket is " + string(t.Status), nil
	}
	if t.Branch == "" {
		return true, "read-only", nil
	}
	if t.Head == t.Start {
		if t.Status == run.Parks && !named {
			return false, "parked; discard it with --discard " + t.ID, nil
		}
		return true, "empty", nil
	}
	merged, err := p.repo.IsAncestor(ctx, t.Head, head)
	if err != nil {
		return false, "", repositoryRefusal(err)
	}
	switch {
	case merged:
		return true, "merged", nil
	case named:
		return true, "discarded", nil
	}
	return false, "its work is not in the current branch; merge it with `git merge " + t.Branch + "` or discard it with --discard " + t.ID, nil
}

func (p *project) remove(ctx context.Context, o *opened, j *journal.Journal, r *Removable) error {
	tree, ok, err := p.repo.Find(r.Path)
	if err != nil {
		return repositoryRefusal(err)
	}
	if ok {
		if err := p.repo.Remove(ctx, tree); err != nil {
			return repositoryRefusal(err)
		}
	}
	events := []run.Event{run.Removed{Ticket: r.Ticket, What: "worktree"}}
	if r.Branch != "" {
		ref := "refs/heads/" + r.Branch
		at, err := p.repo.ReadRef(ctx, ref)
		if err == nil && at != "" {
			err = p.repo.UpdateRef(ctx, ref, at, "")
		}
		if err != nil {
			return repositoryRefusal(err)
		}
		events = append(events, run.Removed{Ticket: r.Ticket, What: "branch"})
	}
	if _, err := os.Lstat(r.Path); err == nil {
		return refuseIn(ExitFailure, codeGitRefused, r.Path, "It is still there after removing it.", "look at what holds it, and run `wf clean` again")
	}
	r.Gone = true
	return p.append(j, o, events...)
}
