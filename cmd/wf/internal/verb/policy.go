package verb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/planfile"
	"github.com/seed9cc7a46e/wf/policies"
)

// PolicyTested are the tests of one folder of policies.
type PolicyTested struct {
	Folder string
	Report policies.TestReport
}

// PolicyTest runs the tests of a folder of policies, or of every policies/
// folder of the repository. only may name tests by an expression.
func PolicyTest(ctx context.Context, e Env, folder, only string) ([]PolicyTested, Sources, error) {
	p, folders, err := e.policyFolders(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	if _, err := regexp.Compile(only); err != nil {
		return nil, nil, refuse(ExitUsage, codeNoPolicy, fmt.Sprintf("%q is no regular expression.", only), "name tests as in --run test_push")
	}
	var out []PolicyTested
	sources := Sources{}
	for _, at := range folders {
		files, err := p.policyFiles(at)
		if err != nil {
			return nil, nil, err
		}
		report, err := policies.Test(ctx, files, only, policies.BuiltInTests()...)
		if err != nil {
			return nil, nil, err
		}
		sources.add(files)
		out = append(out, PolicyTested{Folder: at, Report: report})
	}
	return out, sources, ctx.Err()
}

// PolicyChecked is what was found in folders of policies without a plan.
type PolicyChecked struct {
	Folders  []string
	Rules    int // that wf asks
	Findings diag.Findings
	Sources  Sources
}

// PolicyCheck compiles a folder of policies, or every one of the repository,
// and looks for rules that can never hold.
func PolicyCheck(ctx context.Context, e Env, folder string) (PolicyChecked, error) {
	p, folders, err := e.policyFolders(ctx, folder)
	if err != nil {
		return PolicyChecked{}, err
	}
	out := PolicyChecked{Folders: folders, Sources: Sources{}}
	for _, at := range folders {
		files, err := p.policyFiles(at)
		if err != nil {
			return PolicyChecked{}, err
		}
		layers := []policies.LayerSource{policies.BuiltIn(), {Name: layerOf(at), Files: files}}
		findings, err := policies.Check(layers, nil)
		if err != nil {
			return PolicyChecked{}, err
		}
		rules, _, err := policies.List(layers[1:])
		if err != nil {
			return PolicyChecked{}, err
		}
		out.Rules += len(rules)
		out.Findings = append(out.Findings, findings...)
		out.Sources.add(files)
	}
	return out, nil
}

func (s Sources) add(files []policies.File) {
	for _, f := range files {
		s[f.Path] = f.Data
	}
}

func layerOf(folder string) string {
	if path.Dir(folder) == "." {
		return policies.LayerProject
	}
	return policies.LayerPackage
}

// policyFolders are the folder a person named, or all policies/ folders that
// hold a policy in force.
func (e Env) policyFolders(ctx context.Context, folder string) (*project, []string, error) {
	p, err := e.project(ctx)
	if err != nil {
		return nil, nil, err
	}
	var folders []string
	if folder != "" {
		folders = []string{path.Join(p.here, path.Clean(folder))}
		if rel := below(p.repo.Root(), folder); path.IsAbs(folder) && rel != "" {
			folders[0] = rel
		}
	} else if folders, err = p.allPolicyFolders(); err != nil {
		return nil, nil, systemRefusal(err)
	}
	found := false
	for _, at := range folders {
		files, err := p.policyFiles(at)
		if err != nil {
			return nil, nil, err
		}
		found = found || len(files) > 0
	}
	if !found {
		where := "This repository has no policies/ folder with a policy in it."
		if folder != "" {
			where = folders[0] + " holds no policy."
		}
		return nil, nil, refuse(ExitFailure, codeNoPolicy, where, "write one with `wf policy init NAME`")
	}
	return p, folders, nil
}

func (p *project) allPolicyFolders() ([]string, error) {
	var out []string
	err := fs.WalkDir(p.tree.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		base := d.Name()
		switch {
		case !d.IsDir() || name == ".":
			return nil
		case base == "policies":
			if files, err := p.policyFiles(name); err == nil && len(files) == 0 {
				return fs.SkipDir // operators alone
			}
			out = append(out, name)
			return fs.SkipDir
		case strings.HasPrefix(base, ".") || base == "node_modules" || base == "vendor" || base == "testdata":
			return fs.SkipDir
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// PolicyListed are the rules in force.
type PolicyListed struct {
	Workflow string          `json:"workflow"` // "" where no workflow was named: all folders, no counts
	Rules    []policies.Rule `json:"rules"`
}

// PolicyList gives every rule in force for a workflow with what it says about
// its plan; without a workflow, the rules of all layers and folders.
func PolicyList(ctx context.Context, e Env, req PlanRequest) (PolicyListed, error) {
	if req.Workflow == "" {
		_, layers, err := e.everyLayer(ctx)
		if err != nil {
			return PolicyListed{}, err
		}
		out := PolicyListed{}
		sources := Sources{}
		for _, l := range layers {
			sources.add(l.Files)
			rules, findings, err := policies.List(withBuiltIn(l))
			if err != nil {
				return PolicyListed{}, err
			}
			if findings.HasErrors() {
				return PolicyListed{}, &Refusal{Findings: findings, Sources: sources, Exit: ExitUnevaluated}
			}
			out.Rules = append(out.Rules, slices.DeleteFunc(rules, func(r policies.Rule) bool { return r.Layer != l.Name })...)
		}
		return out, nil
	}
	j, err := e.judgeable(ctx, req)
	if err != nil {
		return PolicyListed{}, err
	}
	rules, findings, err := policies.Tally(ctx, j.document, j.layers)
	if errors.Is(err, policies.ErrUnevaluated) {
		return PolicyListed{}, &Refusal{Findings: findings, Sources: j.sources, Exit: ExitUnevaluated}
	}
	same := j.unchanged()
	rules = slices.DeleteFunc(rules, func(r policies.Rule) bool { return r.Base && same[r.File] })
	return PolicyListed{Workflow: j.plan.Workflow.Path, Rules: rules}, err
}

// unchanged are the files that base and working tree share: their rules judge
// twice and are told once.
func (j judgeable) unchanged() map[string]bool {
	head := Sources{}
	for _, l := range j.layers {
		if !l.Base {
			head.add(l.Files)
		}
	}
	out := map[string]bool{}
	for _, l := range j.layers {
		for _, f := range l.Files {
			if l.Base && string(head[f.Path]) == string(f.Data) {
				out[f.Path] = true
			}
		}
	}
	return out
}

// withBuiltIn puts the built-in layer before one that may read its data.
func withBuiltIn(l policies.LayerSource) []policies.LayerSource {
	if l.Name == policies.LayerBuiltIn {
		return []policies.LayerSource{l}
	}
	return []policies.LayerSource{policies.BuiltIn(), l}
}

// everyLayer is the built-in layer, the organisation's where there is one, and
// every policies/ folder as the working tree has it.
func (e Env) everyLayer(ctx context.Context) (*project, []policies.LayerSource, error) {
	p, err := e.project(ctx)
	if err != nil {
		return nil, nil, err
	}
	organisation, err := p.organisation(nil)
	if err != nil {
		return nil, nil, err
	}
	folders, err := p.allPolicyFolders()
	if err != nil {
		return nil, nil, systemRefusal(err)
	}
	out := append([]policies.LayerSource{policies.BuiltIn()}, organisation...)
	for _, at := range folders {
		files, err := p.policyFiles(at)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, policies.LayerSource{Name: layerOf(at), Files: files})
	}
	return p, out, nil
}

// judgeable is a plan with the layers that judge it.
type judgeable struct {
	plan     *planner.Plan
	document []byte
	layers   []policies.LayerSource
	sources  Sources
}

// judgeable reads a plan file, or makes the plan of a workflow, and gathers the
// layers in force now.
func (e Env) judgeable(ctx context.Context, req PlanRequest) (judgeable, error) {
	p, err := e.project(ctx)
	if err != nil {
		return judgeable{}, err
	}
	out := judgeable{sources: Sources{}}
	var l loaded
	if IsPlanFile(e, req.Workflow) {
		file, err := ReadPlan(e, req.Workflow)
		if err != nil {
			return judgeable{}, err
		}
		out.plan, l = file.Plan, p.load(file.Plan.Workflow.Path)
	} else if out.plan, l, err = p.unjudged(ctx, req); err != nil {
		return judgeable{}, err
	}
	if out.document, err = planfile.Unjudged(out.plan); err != nil {
		return judgeable{}, err
	}
	if out.layers, err = p.layers(ctx, out.plan.Base.Commit, l); err != nil {
		return judgeable{}, err
	}
	for _, layer := range out.layers {
		out.sources.add(layer.Files)
	}
	return out, nil
}

// unjudged makes the plan of a workflow and asks no policy.
func (p *project) unjudged(ctx context.Context, req PlanRequest) (*planner.Plan, loaded, error) {
	file, err := p.find(req.Workflow)
	if err != nil {
		return nil, loaded{}, err
	}
	l := p.load(file)
	if l.findings.HasErrors() {
		return nil, l, &Refusal{Findings: l.findings, Sources: l.sources, Exit: ExitFailure}
	}
	inputs, err := p.inputs(req, l.workflow)
	if err != nil {
		return nil, l, err
	}
	facts, err := p.facts(ctx, req.Base)
	if err != nil {
		return nil, l, err
	}
	plan, findings, err := p.make(ctx, l, inputs, facts)
	if err == nil && (plan == nil || findings.HasErrors()) {
		err = &Refusal{Findings: append(l.findings, findings...), Sources: l.sources, Exit: ExitFailure}
	}
	return plan, l, err
}

// PolicyExplained is what a name fits.
type PolicyExplained struct {
	Workflow string                 `json:"workflow"` // "" without a plan
	Rules    []policies.Explanation `json:"rules"`
}

// PolicyExplain tells a rule by its name or code; with a plan file or a
// workflow in req, also what it says there and why.
func PolicyExplain(ctx context.Context, e Env, name string, req PlanRequest) (PolicyExplained, error) {
	var out PolicyExplained
	var j judgeable
	var err error
	if req.Workflow == "" {
		_, j.layers, err = e.everyLayer(ctx)
	} else if j, err = e.judgeable(ctx, req); err == nil {
		out.Workflow = j.plan.Workflow.Path
	}
	if err != nil {
		return out, err
	}
	var findings diag.Findings
	out.Rules, findings, err = policies.Explain(ctx, j.document, j.layers, name)
	if errors.Is(err, policies.ErrUnevaluated) {
		return out, &Refusal{Findings: findings, Sources: j.sources, Exit: ExitUnevaluated}
	}
	same := j.unchanged()
	out.Rules = slices.DeleteFunc(out.Rules, func(x policies.Explanation) bool { return x.Base && same[x.File] })
	if err == nil && len(out.Rules) == 0 {
		err = refuse(ExitFailure, codeNoPolicy, fmt.Sprintf("No rule in force is called %q, and none has that code.", name), whereRules(req.Workflow))
	}
	return out, err
}

func whereRules(workflow string) string {
	if workflow == "" {
		return "`wf policy list` shows all rules; a code that a rule computes is known with --plan alone"
	}
	return "`wf policy list " + workflow + "` shows the rules in force there"
}
