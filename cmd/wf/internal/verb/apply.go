package verb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/materializer/evidence"
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/journal"
	"github.com/seed9cc7a46e/wf/materializer/run/local"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/approval"
	"github.com/seed9cc7a46e/wf/planner/planfile"
	"github.com/seed9cc7a46e/wf/policies"
)

// ApplyRequest says what to apply and who approved it.
type ApplyRequest struct {
	Plan        string // a plan file; or
	Workflow    string // a workflow to plan now; or neither: go on with the only open run
	Inputs      []string
	InputsFile  string
	Approval    string // a .wfsig file
	Auto        bool   // --auto-approve
	Again       bool   // run a finished plan once more
	New         bool   // begin a new run although one is open
	Run         string // go on with this run
	Terminal    bool   // a person can be asked here
	User        string // who sits at the terminal
	Watch       func(run.Event, *run.State)
	Confirm     func(Planned) (bool, error) // the prompt; nil: nobody can be asked
	ShowPlanned func(Planned)               // told of the plan before it is approved
}

// Applied is how apply left a run.
type Applied struct {
	Run     string
	Exit    int
	Waiting []string
	Nothing bool // the plan was carried out already and there was nothing to do
	State   *run.State
	Others  []string // other open runs
	Key     string   // what the command of a decision needs to be signed
}

// Apply carries out an approved plan, or goes on with a run that was stopped or killed.
func Apply(ctx context.Context, e Env, req ApplyRequest) (Applied, error) {
	p, err := e.project(ctx)
	if err != nil {
		return Applied{}, err
	}
	if err := p.outside(); err != nil {
		return Applied{}, err
	}
	d, err := p.state()
	if err != nil {
		return Applied{}, err
	}
	defer d.Close()
	o, done, err := p.chosen(ctx, d, req)
	switch {
	case err != nil:
		return Applied{}, err
	case done == nil:
		applied, err := p.carryOut(ctx, d, o, req)
		if err != nil {
			return applied, err
		}
		done = &applied
	}
	err = p.beside(context.WithoutCancel(ctx), d, done) // after a stop there is something to say too
	return *done, err
}

// beside adds what the commands that are shown need to work as they are printed.
func (p *project) beside(ctx context.Context, d *statedir.Dir, a *Applied) error {
	if a.State == nil {
		return nil
	}
	var err error
	if a.Others, err = p.othersOpen(d, a.Run); err != nil {
		return err
	}
	a.Key, err = p.keyFlag(ctx, a.State.Plan().Base.Commit)
	return err
}

// chosen finds the run to carry out, or begins one. done is not nil when there is nothing to do.
func (p *project) chosen(ctx context.Context, d *statedir.Dir, req ApplyRequest) (*opened, *Applied, error) {
	switch {
	case req.Run != "":
		o, err := p.pick(d, req.Run)
		if err != nil {
			return nil, nil, err
		}
		return o, over(o), nil
	case req.Plan != "":
		return p.fromFile(ctx, d, req)
	case req.Workflow != "":
		return p.fromWorkflow(ctx, d, req)
	}
	return p.onlyOpen(d)
}

// over says that there is nothing to do in a run that has ended; nil in an open one.
func over(o *opened) *Applied {
	if !o.closed() {
		return nil
	}
	return &Applied{Run: o.dir.ID, Exit: o.state.Totals().Exit, Nothing: true, State: o.state}
}

// onlyOpen goes on with the only open run.
func (p *project) onlyOpen(d *statedir.Dir) (*opened, *Applied, error) {
	open, all, err := p.openRuns(d)
	if err != nil {
		return nil, nil, err
	}
	switch len(open) {
	case 1:
		return open[0], nil, nil
	case 0:
		if len(all) > 0 {
			return nil, over(latest(all)), nil
		}
		if err := p.unreadable(d, ""); err != nil {
			return nil, nil, err
		}
		return nil, nil, refuse(ExitFailure, codeNoRun, "No run is open, and no plan or workflow was named.", "name one: `wf apply PLAN` or `wf apply NAME`")
	}
	return nil, nil, refuse(ExitUsage, codeManyRuns, "Open runs: "+ids(open)+".", "name one with --run ID")
}

func (p *project) openRuns(d *statedir.Dir) (open, all []*opened, err error) {
	runs, err := p.runs(d)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range runs {
		o, err := p.read(r)
		if err != nil || !approved(r) {
			continue // a damaged run stops that run alone, and a half-made one is no run
		}
		all = append(all, o)
		if !o.closed() {
			open = append(open, o)
		}
	}
	return open, all, nil
}

// unreadable says why a run of a plan cannot be read, if one cannot: beginning
// the plan anew beside it would do its work twice. digest "" means any run.
func (p *project) unreadable(d *statedir.Dir, digest string) error {
	runs, err := p.runs(d)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if digest != "" && !strings.HasPrefix(hexOf(digest), r.Digest8) {
			continue
		}
		if _, err := p.read(r); err != nil {
			return err
		}
	}
	return nil
}

// fromFile takes a plan file. A plan that has a run goes on with it; one whose
// run is over is used up.
func (p *project) fromFile(ctx context.Context, d *statedir.Dir, req ApplyRequest) (*opened, *Applied, error) {
	file, err := ReadPlan(p.env, req.Plan)
	if err != nil {
		return nil, nil, err
	}
	_, all, err := p.openRuns(d)
	if err != nil {
		return nil, nil, err
	}
	if o := lastOf(all, file.Digest); o != nil && !req.Again {
		return o, over(o), nil
	}
	if !req.Again {
		if err := p.unreadable(d, file.Digest); err != nil {
			return nil, nil, err
		}
	}
	planned := Planned{Plan: file.Plan, Digest: file.Digest}
	if planned.Bytes, err = planfile.Encode(file.Plan); err != nil {
		return nil, nil, err
	}
	if err := p.fresh(ctx, planned); err != nil {
		return nil, nil, err
	}
	a, err := p.approvalFor(ctx, d, planned, req)
	if err != nil {
		return nil, nil, err
	}
	o, err := p.newRun(d, planned, a)
	return o, nil, err
}

// fromWorkflow plans now. An open run of the workflow is gone on with first.
func (p *project) fromWorkflow(ctx context.Context, d *statedir.Dir, req ApplyRequest) (*opened, *Applied, error) {
	planned, err := p.plan(ctx, PlanRequest{Workflow: req.Workflow, Inputs: req.Inputs, InputsFile: req.InputsFile})
	if err != nil {
		return nil, nil, err
	}
	open, all, err := p.openRuns(d)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range open {
		if o.plan.Workflow.Path != planned.Plan.Workflow.Path || req.New {
			continue
		}
		if o.digest == planned.Digest {
			return o, nil, nil
		}
		return nil, nil, refuse(ExitFailure, codeOpenRun, fmt.Sprintf("Run %s of this workflow is open, and its plan is another one.", o.dir.ID), "go on with it: `wf apply --run "+o.dir.ID+"`; or begin a new one beside it: `wf apply "+req.Workflow+" --new`")
	}
	if o := lastOf(all, planned.Digest); o != nil && !req.Again && !req.New {
		return o, over(o), nil
	}
	if !req.Again && !req.New {
		if err := p.unreadable(d, planned.Digest); err != nil {
			return nil, nil, err
		}
	}
	if req.ShowPlanned != nil {
		req.ShowPlanned(planned)
	}
	if planned.Denied() {
		return nil, nil, refuse(ExitDenied, codeNoApproval, "Policies deny this plan; nothing was started.", "change the workflow or the policy, and apply again")
	}
	a, err := p.approvalFor(ctx, d, planned, req)
	if err != nil {
		return nil, nil, err
	}
	o, err := p.newRun(d, planned, a)
	return o, nil, err
}

func lastOf(all []*opened, digest string) *opened {
	var out *opened
	for _, o := range all {
		if o.digest == digest && (out == nil || o.dir.Attempt > out.dir.Attempt) {
			out = o
		}
	}
	return out
}

// fresh says which part of a plan is stale, if any: base commit, policies, host.
func (p *project) fresh(ctx context.Context, planned Planned) error {
	if _, err := p.repo.Commit(ctx, planned.Plan.Base.Commit); err != nil {
		return refuse(ExitStale, codeStale, fmt.Sprintf("Its base commit %s is not in this repository.", short(planned.Plan.Base.Commit)), "fetch it, or plan again: `wf plan "+planned.Plan.Workflow.Name+" -o FILE`")
	}
	repository, err := p.repositoryID(ctx, planned.Plan)
	if err != nil {
		return err
	}
	if repository != planned.Plan.Repository {
		return refuse(ExitStale, codeStale, "It was made for another repository.", "plan again here: `wf plan "+planned.Plan.Workflow.Name+" -o FILE`")
	}
	if len(planned.Plan.Policy.Denials) > 0 {
		return refuse(ExitDenied, codeNoApproval, "Policies deny this plan: "+planned.Plan.Policy.Denials[0].Msg, "change the workflow or the policy, and plan again")
	}
	return p.stillAllowed(ctx, planned)
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

// newRun begins a run: the nonce is used up for it, then its folder gets plan
// and approval. A folder without approval is one that a kill left half made; it
// is taken up, so that the same approval serves the same run.
func (p *project) newRun(d *statedir.Dir, planned Planned, a approval.Approval) (*opened, error) {
	hex := hexOf(planned.Digest)
	if err := d.SavePlan(hex, planned.Bytes); err != nil {
		return nil, stateRefusal(err)
	}
	r, attempt, err := halfMade(d, hex)
	if err != nil {
		return nil, stateRefusal(err)
	}
	id := statedir.RunID(hex, attempt)
	if err := unusedNonce(d, a.Nonce, id); err != nil {
		return nil, stateRefusal(err)
	}
	if err := d.Consume(a.Nonce, id); err != nil {
		return nil, stateRefusal(err)
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
		if a, err := decodeApproval(data); err == nil && a.Nonce == nonce {
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

// carryOut takes the run's lock and drives the run until it ends or waits.
func (p *project) carryOut(ctx context.Context, d *statedir.Dir, o *opened, req ApplyRequest) (Applied, error) {
	lock, err := o.dir.Lock()
	if err != nil {
		return Applied{}, stateRefusal(err)
	}
	defer lock.Release()
	config, err := p.env.userConfig()
	if err != nil {
		return Applied{}, err
	}
	pre := p.env.preflight(ctx, o.plan, config.program)
	if len(pre.lacks) > 0 {
		return Applied{}, hostRefusal(pre.lacks)
	}
	if _, err := p.countLost(ctx, o.dir); err != nil {
		return Applied{}, err
	}
	j, o, err := p.openJournal(d, o, pre)
	if err != nil {
		return Applied{}, err
	}
	defer j.Close()
	if err := process.BecomeSubreaper(); err != nil {
		return Applied{}, fmt.Errorf("become the reaper of units: %w", err)
	}
	c := p.localConfig(ctx, o, j, pre, config)
	c.Watch = func(ev run.Event) {
		if req.Watch != nil {
			req.Watch(ev, o.state)
		}
	}
	c.Elapsed = elapsed(o.events)
	c.Host.Floor, c.Host.Hidden = floorOf(o.plan), []string{filepath.Join(p.repo.CommonDir(), statedir.Name), filepath.Join(c.Trees, "cache")}
	c.Host.Caches = evidence.NewCaches(filepath.Join(c.Trees, "cache"))
	result, err := local.Run(ctx, c)
	if o.closed() {
		p.tidy(c.Trees)
	}
	out := Applied{Run: o.dir.ID, Exit: result.Exit, Waiting: result.Waiting, State: o.state}
	return out, repositoryRefusal(err)
}

// floorOf is the least confinement the plan asks of a host.
func floorOf(plan *planner.Plan) sandbox.Floor {
	for _, r := range plan.Requirements {
		if r.Kind == "sandbox" {
			return sandbox.Floor(r.Name)
		}
	}
	return sandbox.FloorNone
}

// elapsed is the time that processes have spent on a run: of each, from its
// first event that carries a time to its last.
func elapsed(events []run.Event) time.Duration {
	var total time.Duration
	var from, to time.Time
	for _, ev := range events {
		at, begins := moment(ev)
		if at.IsZero() {
			continue
		}
		if begins {
			total += to.Sub(from)
			from = at
		}
		to = at
	}
	return total + to.Sub(from)
}

// moment is when an event happened, where it says so, and whether a process began with it.
func moment(ev run.Event) (at time.Time, begins bool) {
	text := ""
	switch ev := ev.(type) {
	case run.Started:
		text, begins = ev.At, true
	case run.Resumed:
		text, begins = ev.At, true
	case run.Launched:
		text = ev.At
	case run.Ended:
		text = ev.At
	case run.Stopped:
		text = ev.At
	case run.Closed:
		text = ev.At
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, false
	}
	return at, begins
}

// tidy removes what only a run under way needs.
func (p *project) tidy(trees string) {
	for _, name := range []string{"cache", "gates", "units"} {
		// What cannot be removed takes space and does no harm; `wf clean` tries again.
		_ = os.RemoveAll(filepath.Join(trees, name))
	}
}

// localConfig is what the engine needs to carry a run out here.
func (p *project) localConfig(ctx context.Context, o *opened, j *journal.Journal, pre preflight, config userConfig) local.Config {
	trees := p.treesOf(o.dir.ID)
	return local.Config{
		Plan: o.plan, State: o.state, Journal: j, Repo: p.repo, Run: o.dir.ID, Trees: trees, Store: o.dir.Path(), Sockets: p.env.TempDir,
		Host: p.env.gateHost(ctx, pre.facts, filepath.Join(trees, "gates")), Sandbox: pre.facts,
		Env:     []string{"PATH=" + p.env.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC", "TERM=dumb"},
		Lookup:  func(name string) (string, bool) { v := p.env.Getenv(name); return v, v != "" },
		Program: config.program, Self: p.env.Self, Adapters: adapters(), Now: p.env.Now, Hard: p.env.Hard, Wake: p.env.Wake,
		Decisions: func() ([]run.Decided, error) { return p.takeDecisions(o) },
	}
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
		Approval: string(a.Kind), Authority: a.Signer, Executor: p.env.Getenv("USER"), At: p.now(),
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
