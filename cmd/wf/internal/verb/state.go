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
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/journal"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/planfile"
)

func (p *project) state() (*statedir.Dir, error) {
	d, err := statedir.Open(p.repo.CommonDir())
	return d, stateRefusal(err)
}

// hexOf is a plan's digest as the state names it: without the algorithm.
func hexOf(digest string) string { return strings.TrimPrefix(digest, "sha256:") }

// stateRefusal turns what the state folder refuses into findings.
func stateRefusal(err error) error {
	var locked *statedir.LockedBy
	var used *statedir.UsedError
	var link *statedir.LinkError
	switch {
	case errors.As(err, &locked):
		return lockedRefusal(locked)
	case errors.As(err, &used):
		return refuse(ExitStale, codeUsed, "It has begun run "+used.For+", and is good for one run.", "go on with that run: `wf apply --run "+used.For+"`; for another one, approve the plan again: `wf approve PLAN`")
	case errors.As(err, &link):
		return refuseIn(ExitFailure, codePermission, link.Path, "It is a link, or not what wf keeps there, and wf does not follow it.", "look where it leads and who made it, then remove it")
	}
	return systemRefusal(err)
}

// lockedRefusal says who works on a run, and the ways out.
func lockedRefusal(by *statedir.LockedBy) *Refusal {
	who := "another process"
	if pid := by.Holder.Process.PID; pid != 0 {
		who = fmt.Sprintf("process %d", pid)
		if !by.Holder.Alive {
			who += ", which has ended; something it started still holds the lock"
		}
	}
	return refuse(ExitLocked, codeLocked, fmt.Sprintf("Run %s is held by %s.", by.Run, who),
		fmt.Sprintf("watch it with `wf status --run %s`, wait for it, or stop it with `wf stop --run %s`", by.Run, by.Run))
}

// opened is a run as its journal tells it.
type opened struct {
	dir     *statedir.Run
	plan    *planner.Plan
	digest  string
	state   *run.State
	head    string // of the journal
	events  []run.Event
	notice  journal.Notice
	started bool // the journal has its first event
}

// read folds a run's journal without changing anything.
func (p *project) read(r *statedir.Run) (*opened, error) {
	o, err := p.begin(r)
	if err != nil {
		return nil, err
	}
	_, head, notice, err := journal.Read(r.JournalPath(), o.visit)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	o.head, o.notice = head, notice
	return o, journalRefusal(r.ID, err)
}

// begin reads the plan of a run.
func (p *project) begin(r *statedir.Run) (*opened, error) {
	data, err := r.Plan()
	if err != nil {
		return nil, stateRefusal(err)
	}
	file, findings := planfile.Read("plan of run "+r.ID, data)
	if findings.HasErrors() {
		return nil, &Refusal{Findings: findings, Exit: ExitStale}
	}
	return &opened{dir: r, plan: file.Plan, digest: file.Digest, state: run.New(file.Plan)}, nil
}

func (o *opened) visit(n int, raw json.RawMessage) error {
	ev, err := run.Unmarshal(raw)
	if err != nil {
		return fmt.Errorf("line %d: %w", n, err)
	}
	if s, ok := ev.(run.Started); ok && s.Rules != run.Rules {
		return &rulesError{s.Rules}
	}
	if err := run.Fold(o.state, ev); err != nil {
		return fmt.Errorf("line %d: %w", n, err)
	}
	o.events = append(o.events, ev)
	o.started = true
	return nil
}

type rulesError struct{ version int }

func (e *rulesError) Error() string {
	return fmt.Sprintf("the run was begun under rules %d; this wf has rules %d", e.version, run.Rules)
}

func journalRefusal(id string, err error) error {
	var damage *journal.Damage
	var rules *rulesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &damage):
		return refuse(ExitFailure, codeJournal, fmt.Sprintf("The journal of run %s is damaged at line %d: %s.", id, damage.Line, damage.Why), "see `wf journal verify "+id+"`; `wf journal repair "+id+"` keeps what is before it. Other runs are not touched")
	case errors.As(err, &rules):
		return refuse(ExitStale, codeRules, rules.Error()+".", "finish it with the wf that began it, or plan and apply again")
	}
	return systemRefusal(err)
}

// runs lists the repository's runs, the newest last.
func (p *project) runs(d *statedir.Dir) ([]*statedir.Run, error) {
	all, err := d.Runs()
	if err != nil {
		return nil, stateRefusal(err)
	}
	return all, nil
}

// pick finds the run a person means: by its ID or a part of it, else the only
// open one, else the latest.
func (p *project) pick(d *statedir.Dir, id string) (*opened, error) {
	all, err := p.runs(d)
	if err != nil {
		return nil, err
	}
	if id != "" {
		return p.pickByID(all, id)
	}
	var open, last []*opened
	var damaged error
	for _, r := range all {
		o, err := p.read(r)
		if err != nil {
			damaged = err // a damaged run stops that run alone
			continue
		}
		last = append(last, o)
		if !o.closed() {
			open = append(open, o)
		}
	}
	switch {
	case len(open) == 1:
		return open[0], nil
	case len(open) > 1:
		return nil, refuse(ExitUsage, codeManyRuns, "Open runs: "+ids(open)+".", "name one with --run ID")
	case len(last) == 0 && damaged != nil:
		return nil, damaged
	case len(last) == 0:
		return nil, refuse(ExitFailure, codeNoRun, "This repository has no runs yet.", "start one with `wf apply NAME`")
	}
	return latest(last), nil
}

func (p *project) pickByID(all []*statedir.Run, id string) (*opened, error) {
	var hits []*statedir.Run
	for _, r := range all {
		if r.ID == id {
			return p.read(r)
		}
		if strings.HasPrefix(r.ID, id) {
			hits = append(hits, r)
		}
	}
	if len(hits) == 1 {
		return p.read(hits[0])
	}
	var names []string
	for _, r := range all {
		names = append(names, r.ID)
	}
	hint := "start one with `wf apply NAME`"
	if len(names) > 0 {
		hint = "there are: " + strings.Join(names, ", ")
	}
	return nil, refuse(ExitFailure, codeNoRun, fmt.Sprintf("No single run is called %s.", id), hint)
}

// closed reports whether nothing is left to do without a decision.
func (o *opened) closed() bool { return o.state.Totals().Closed }

func ids(os []*opened) string {
	var out []string
	for _, o := range os {
		out = append(out, o.dir.ID)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// latest is the run that began last; runs without a beginning come first.
func latest(os []*opened) *opened {
	return slices.MaxFunc(os, func(a, b *opened) int {
		return strings.Compare(a.state.Run().At+a.dir.ID, b.state.Run().At+b.dir.ID)
	})
}

// outside refuses a decision that comes from inside a unit. A unit is known by
// a live unit or its runner among the ancestors of this process, and by the
// marker its processes carry; a variable alone neither proves nor hides it.
func (p *project) outside() error {
	refusal := refuse(ExitFailure, codeInside, "This process runs inside a unit of wf, and only a person decides.", "ask the operator to run the command in a shell of their own; a unit asks with its question verb")
	for _, name := range []string{process.MarkerVariable, "WF_UNIT_ID", "WF_UNIT"} {
		if p.env.Getenv(name) != "" {
			return refusal
		}
	}
	line, err := process.Ancestors(process.Self().PID)
	if err != nil {
		return fmt.Errorf("who started this process: %w", err)
	}
	if slices.ContainsFunc(line[1:], process.IsRunner) {
		return refusal
	}
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
		if p.among(r, line) {
			return refusal
		}
	}
	return nil
}

// among reports whether the runner of a run, or one of its live units, is among
// the given processes.
func (p *project) among(r *statedir.Run, line []process.Identity) bool {
	if h, ok, err := r.Holder(); err == nil && ok && slices.Contains(line, h.Process) {
		return true
	}
	o, err := p.read(r)
	if err != nil {
		return false
	}
	for _, u := range run.Unended(o.state) {
		var id process.Identity
		if json.Unmarshal(u.Process, &id) == nil && slices.Contains(line, id) {
			return true
		}
	}
	return false
}

// treesOf is the folder of a run's worktrees: beside the main checkout, never in it.
func (p *project) treesOf(id string) string {
	root := p.repo.Root()
	return filepath.Join(filepath.Dir(root), filepath.Base(root)+".wf", id)
}

// ticketOf finds a ticket by ID or address.
func (o *opened) ticketOf(name string) (run.Ticket, error) {
	if t, ok := o.state.Ticket(name); ok {
		return t, nil
	}
	var known []string
	for t := range o.state.Tickets() {
		if t.Address == name {
			return t, nil
		}
		known = append(known, t.ID)
	}
	return run.Ticket{}, refuse(ExitFailure, codeNoTicket, fmt.Sprintf("Run %s has no ticket %s.", o.dir.ID, name), "it has "+strings.Join(known, ", "))
}

// withRun opens the project and the run a person means, and closes the state afterwards.
func withRun[T any](ctx context.Context, e Env, id string, f func(*project, *statedir.Dir, *opened) (T, error)) (T, error) {
	var none T
	p, err := e.project(ctx)
	if err != nil {
		return none, err
	}
	d, err := p.state()
	if err != nil {
		return none, err
	}
	defer d.Close()
	o, err := p.pick(d, id)
	if err != nil {
		return none, err
	}
	return f(p, d, o)
}
