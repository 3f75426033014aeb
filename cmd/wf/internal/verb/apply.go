package verb

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/materializer/evidence"
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/journal"
	"github.com/seed9cc7a46e/wf/materializer/run/local"
	"github.com/seed9cc7a46e/wf/planner/planfile"
)

// ApplyRequest says what to apply and who approved it.
type ApplyRequest struct {
	Plan        string // a plan file; or
	Workflow    string // a workflow to plan now; or neither: go on with the only open run
	Inputs      []string
	InputsFile  string
	Approvals   []string // .wfsig files
	Auto        bool     // --auto-approve
	Again       bool     // run a finished plan once more
	New         bool     // begin a new run although one is open
	Run         string   // go on with this run
	Terminal    bool     // a person can be asked here
	User        string   // who sits at the terminal
	Watch       func(run.Event, *run.State)
	Notice      func(string)                // told what has moved since a saved plan was made
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
	if req.Notice != nil {
		for _, said := range p.movedOn(ctx, file.Plan) {
			req.Notice(said)
		}
	}
	if confirm := req.Confirm; confirm != nil && req.ShowPlanned != nil {
		req.Confirm = func(planned Planned) (bool, error) {
			req.ShowPlanned(planned) // what is asked for has to be seen
			return confirm(planned)
		}
	}
	a, err := p.approvalFor(ctx, d, planned, req)
	if err != nil {
		return nil, nil, err
	}
	o, err := p.newRun(ctx, d, planned, a)
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
	o, err := p.newRun(ctx, d, planned, a)
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
	process.MarkRunner()
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
