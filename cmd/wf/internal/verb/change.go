package verb

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/policies"
)

// commitTree reads the repository's files as a commit has them.
type commitTree struct {
	ctx    context.Context
	repo   *worktree.Repo
	commit string
}

// ReadFile gives the bytes of a file by its slash-separated path.
func (t commitTree) ReadFile(path string) ([]byte, error) {
	data, err := t.repo.ReadFile(t.ctx, t.commit, path)
	if worktree.KindOf(err) == worktree.NoObject {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return data, err
}

// before plans the workflow as the base commit has it, with the policies of
// that commit among its sources. A workflow that is not there, or cannot be
// planned there, is compared as if nothing had been: all its powers are new.
func (p *project) before(ctx context.Context, file string, inputs []planner.InputValue, f facts) (*planner.Plan, error) {
	files := commitTree{ctx, p.repo, f.base.Commit}
	l := loadFrom(file, files)
	plan := &planner.Plan{Workflow: planner.WorkflowRef{Path: file}}
	if l.workflow != nil && !l.findings.HasErrors() {
		f.Dirty, f.Untracked, f.Unpushed = nil, nil, 0
		made, _, err := p.make(ctx, l, declared(l.workflow, inputs), f)
		if err != nil {
			return nil, err
		}
		if made != nil {
			plan = made
		}
	}
	layers := []policies.LayerSource{policies.BuiltIn()}
	for _, folder := range policyFolders(file) {
		at, err := p.policyFilesAt(ctx, f.base.Commit, folder)
		if err != nil {
			return nil, err
		}
		layers = append(layers, policies.LayerSource{Files: at})
	}
	operators, err := p.operatorsSource(ctx, f.base.Commit)
	if err != nil {
		return nil, err
	}
	plan.AddPolicy(planner.Judgement{}, append(policySources(layers), operators...))
	return plan, nil
}

// declared leaves out inputs that a workflow does not have.
func declared(w *dsl.Workflow, inputs []planner.InputValue) []planner.InputValue {
	return slices.DeleteFunc(slices.Clone(inputs), func(in planner.InputValue) bool {
		return !slices.ContainsFunc(w.Inputs, func(d dsl.Input) bool { return d.Name == in.Name })
	})
}

// change is the difference to the same workflow at the base commit. The
// operators of the working tree count from the next base on, so that the plan
// itself cannot show that they change.
func (p *project) change(ctx context.Context, before, after *planner.Plan) (*planner.Change, error) {
	head := *after
	head.Sources = slices.DeleteFunc(slices.Clone(after.Sources), func(s planner.Source) bool { return strings.HasSuffix(s.Path, atBase) })
	c := planner.Diff(before, &head)
	c.Against = after.Base.Commit
	operators, err := p.operatorsChange(ctx, after.Base.Commit)
	if err != nil {
		return nil, err
	}
	c.Powers = append(operators, c.Powers...)
	return &c, nil
}

func (p *project) operatorsChange(ctx context.Context, base string) ([]planner.Delta, error) {
	old, err := commitTree{ctx, p.repo, base}.ReadFile(operatorsFile)
	was := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, repositoryRefusal(err)
	}
	now, err := p.tree.ReadFile(operatorsFile)
	is := err == nil
	d := planner.Delta{Kind: "operators", Name: operatorsFile, Looser: true}
	switch {
	case was && !is:
		d.Sign, d.Old = "-", planner.Hash(old)
	case !was && is:
		d.Sign, d.New = "+", planner.Hash(now)
	case was && is && string(old) != string(now):
		d.Sign, d.Old, d.New = "~", planner.Hash(old), planner.Hash(now)
	default:
		return nil, nil
	}
	return []planner.Delta{d}, nil
}

// ChangedPlan is one workflow whose plan differs from the base commit's.
type ChangedPlan struct {
	Workflow string // as `wf plan` takes it from the root
	Path     string
	Gone     bool     // the base commit has it and the working tree has not
	Planned  Planned  // without a plan where Refused or Gone
	Refused  *Refusal // why it cannot be planned or judged
}

// Exit is what `wf plan` of this workflow alone ends with.
func (c ChangedPlan) Exit() int {
	switch {
	case c.Refused != nil:
		return c.Refused.Exit
	case !c.Gone && c.Planned.Denied():
		return ExitDenied
	}
	return ExitOK
}

// Changed is every workflow whose plan differs between the base commit and the working tree.
type Changed struct {
	Base  string // commit
	Plans []ChangedPlan
}

// Exit is the gravest of all: a policy that did not run before one that says
// no, that before files with faults.
func (c Changed) Exit() int {
	for _, code := range []int{ExitUnevaluated, ExitDenied, ExitStale, ExitFailure} {
		if slices.ContainsFunc(c.Plans, func(p ChangedPlan) bool { return p.Exit() == code }) {
			return code
		}
	}
	return ExitOK
}

// PlanChanged plans every workflow and keeps those whose plan differs from what
// the base commit says, be it for their own file, a role, a policy or the
// settings. An input that a workflow does not have is none of its business.
func PlanChanged(ctx context.Context, e Env, req PlanRequest) (Changed, error) {
	p, err := e.project(ctx)
	if err != nil {
		return Changed{}, err
	}
	f, err := p.facts(ctx, req.Base)
	if err != nil {
		return Changed{}, err
	}
	out := Changed{Base: f.base.Commit}
	all, err := p.workflows()
	if err != nil {
		return Changed{}, systemRefusal(err)
	}
	for _, found := range all {
		one := ChangedPlan{Workflow: found.Qualified(), Path: found.Path}
		of := req
		of.Workflow, of.lenient = found.Path, true
		planned, err := p.planFile(ctx, found.Path, of)
		var refused *Refusal
		switch {
		case errors.As(err, &refused):
			one.Refused = refused
		case err != nil:
			return Changed{}, err
		case !planned.Denied() && planned.Plan.Change.Empty():
			continue
		default:
			one.Planned = planned
		}
		out.Plans = append(out.Plans, one)
	}
	for _, file := range f.tracked {
		if strings.HasSuffix(file, dsl.Suffix) && path.Base(path.Dir(file)) == "workflows" && !slices.ContainsFunc(all, func(w dsl.Found) bool { return w.Path == file }) {
			if _, err := p.tree.ReadFile(file); errors.Is(err, fs.ErrNotExist) {
				out.Plans = append(out.Plans, ChangedPlan{Workflow: dsl.List([]string{file})[0].Qualified(), Path: file, Gone: true})
			}
		}
	}
	return out, ctx.Err()
}
