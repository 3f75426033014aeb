package verb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/journal"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

// JournalReport is the state of a run's journal, and what a repair counted for
// the lines it took away.
type JournalReport struct {
	journal.Report
	Counted []run.Repaired `json:"counted,omitempty"`
}

// VerifyJournal reads a journal line by line; it changes nothing.
func VerifyJournal(ctx context.Context, e Env, id string) (JournalReport, error) {
	return onJournal(ctx, e, id, false, func(_ *project, r *statedir.Run) (JournalReport, error) {
		got, err := journal.Verify(r.JournalPath())
		return JournalReport{Report: got}, err
	})
}

// RepairJournal moves what cannot be trusted aside and keeps the rest. What the
// lost lines had used up is counted, at its most where it cannot be read, and
// work that the journal no longer knows is kept under refs/wf/salvage, so that
// plain apply goes on.
func RepairJournal(ctx context.Context, e Env, id string) (JournalReport, error) {
	return onJournal(ctx, e, id, true, func(p *project, r *statedir.Run) (JournalReport, error) {
		got, err := journal.Repair(r.JournalPath())
		if err != nil {
			return JournalReport{Report: got}, err
		}
		out := JournalReport{Report: got}
		out.Counted, err = p.countLost(ctx, r)
		return out, err
	})
}

func onJournal(ctx context.Context, e Env, id string, changes bool, f func(*project, *statedir.Run) (JournalReport, error)) (JournalReport, error) {
	p, err := e.project(ctx)
	if err != nil {
		return JournalReport{}, err
	}
	if changes {
		if err := p.outside(); err != nil {
			return JournalReport{}, err
		}
	}
	d, err := p.state()
	if err != nil {
		return JournalReport{}, err
	}
	defer d.Close()
	r, err := p.onlyRun(d, id)
	if err != nil {
		return JournalReport{}, err
	}
	lock, err := r.Lock()
	if err != nil {
		return JournalReport{}, stateRefusal(err)
	}
	defer lock.Release()
	out, err := f(p, r)
	var damage *journal.Damage
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out, refuse(ExitFailure, codeNoRun, fmt.Sprintf("Run %s has no journal yet.", r.ID), "start it with `wf apply --run "+r.ID+"`")
	case errors.As(err, &damage):
		return out, refuse(ExitFailure, codeJournal, fmt.Sprintf("The first line of the journal of run %s is damaged: %s. There is nothing before it to keep.", r.ID, damage.Why),
			"the branches of the run still hold its work: `git branch --list 'wf/*/"+r.ID+"/*'`. Begin anew with `wf apply NAME --new`")
	}
	return out, systemRefusal(err)
}

// countLost puts an event into the journal for each file of lines that a repair
// moved aside and that no event accounts for yet: also after a repair that was
// killed halfway. The caller holds the run's lock.
func (p *project) countLost(ctx context.Context, r *statedir.Run) ([]run.Repaired, error) {
	files, err := filepath.Glob(globEscape(r.JournalPath()) + ".damaged-*")
	if err != nil || len(files) == 0 {
		return nil, err
	}
	o, err := p.begin(r)
	if err != nil {
		return nil, err
	}
	j, _, _, err := journal.Open(r.JournalPath(), o.visit)
	if err != nil {
		return nil, journalRefusal(r.ID, err)
	}
	defer j.Close()
	if !o.started {
		return nil, refuse(ExitFailure, codeJournal, fmt.Sprintf("What is left of the journal of run %s does not tell that the run began.", r.ID), "begin anew with `wf apply NAME --new`")
	}
	var out []run.Repaired
	for _, file := range files {
		if o.accounts(filepath.Base(file)) {
			continue
		}
		e, err := p.lost(ctx, o, file)
		if err != nil {
			return out, err
		}
		if err := p.append(j, o, e); err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

// accounts reports whether an event names the file.
func (o *opened) accounts(name string) bool {
	return slices.ContainsFunc(o.events, func(e run.Event) bool {
		r, ok := e.(run.Repaired)
		return ok && r.Aside == name
	})
}

func (p *project) lost(ctx context.Context, o *opened, file string) (run.Repaired, error) {
	var events []run.Event
	unread, err := journal.Aside(file, func(raw json.RawMessage) error {
		ev, err := run.Unmarshal(raw)
		if err == nil {
			events = append(events, ev)
		}
		return err
	})
	if err != nil {
		return run.Repaired{}, systemRefusal(err)
	}
	e := run.Lost(o.state, events, unread)
	e.Aside, e.At = filepath.Base(file), p.now()
	e.Refs, err = p.salvageBranches(ctx, o, strings.TrimPrefix(filepath.Ext(file), "."))
	return e, err
}

// salvageBranches puts the run's branches back to what the journal knows. Where
// a branch holds something else, a ref under refs/wf/salvage keeps that first.
func (p *project) salvageBranches(ctx context.Context, o *opened, under string) ([]string, error) {
	refs, err := p.repo.Refs(ctx, worktree.BranchSpace)
	if err != nil {
		return nil, repositoryRefusal(err)
	}
	var kept []string
	for _, ref := range refs {
		parts := strings.Split(strings.TrimPrefix(ref.Name, worktree.BranchSpace), "/")
		if len(parts) != 3 || parts[1] != o.dir.ID {
			continue
		}
		want := ""
		if t, ok := o.state.Ticket(parts[2]); ok && t.Branched {
			want = t.Head
		}
		if want == ref.Commit {
			continue
		}
		keep := worktree.Salvage(o.dir.ID, under+"/"+parts[2])
		if err := p.repo.UpdateRef(ctx, keep, "", ref.Commit); err != nil {
			return kept, repositoryRefusal(err)
		}
		if err := p.repo.UpdateRef(ctx, ref.Name, ref.Commit, want); err != nil {
			return kept, repositoryRefusal(err)
		}
		kept = append(kept, keep)
	}
	return kept, nil
}

// globEscape makes a path fit itself alone as a pattern of filepath.Glob.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// onlyRun finds a run by ID without reading its journal.
func (p *project) onlyRun(d *statedir.Dir, id string) (*statedir.Run, error) {
	all, err := p.runs(d)
	if err != nil {
		return nil, err
	}
	if id == "" && len(all) == 1 {
		return all[0], nil
	}
	var names []string
	for _, r := range all {
		if r.ID == id {
			return r, nil
		}
		names = append(names, r.ID)
	}
	if len(all) == 0 {
		return nil, refuse(ExitFailure, codeNoRun, "This repository has no runs yet.", "start one with `wf apply NAME`")
	}
	return nil, refuse(ExitUsage, codeNoRun, "Name one run.", "there are: "+strings.Join(names, ", "))
}
