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
	"github.com/seed9cc7a46e/wf/planner/approval"
	"github.com/seed9cc7a46e/wf/planner/planfile"
	"github.com/seed9cc7a46e/wf/policies"
)

// operatorsFile names the people who may approve; it counts as the base commit has it.
const operatorsFile = "policies/operators"

// notInForce is a file that says of its folder, below policies/, that what lies
// there is not this repository's policy: examples, or the source of a program.
// Laying it aside is a change that the base commit's policies, which still hold
// the folder, judge like any other.
const notInForce = ".wf-not-in-force"

// judge evaluates every policy layer, of the base commit and of the working
// tree, and puts what they say and what they are into the plan.
func (p *project) judge(ctx context.Context, out *Planned, l loaded) error {
	layers, err := p.layers(ctx, out.Plan.Base.Commit, l)
	if err != nil {
		return err
	}
	operators, err := p.operatorsSource(ctx, out.Plan.Base.Commit)
	if err != nil {
		return err
	}
	out.Plan.AddPolicy(planner.Judgement{}, append(policySources(layers), operators...))
	if out.before != nil {
		if out.Plan.Change, err = p.change(ctx, out.before, out.Plan); err != nil {
			return err
		}
	}
	for _, layer := range layers {
		for _, f := range layer.Files {
			out.Sources[f.Path] = f.Data
		}
	}
	document, err := planfile.Unjudged(out.Plan)
	if err != nil {
		return err
	}
	judgement, findings, err := policies.Judge(ctx, document, out.Plan, layers, policies.Options{})
	out.Findings = append(out.Findings, findings...)
	if errors.Is(err, policies.ErrUnevaluated) {
		return &Refusal{Findings: findings, Sources: out.Sources, Exit: ExitUnevaluated}
	}
	if err != nil {
		return err
	}
	out.Plan.AddPolicy(judgement, nil)
	return nil
}

// layers gathers the policy layers: the built-in one, the organisation's, and
// all policies/ folders from the root to the workflow, as the working tree has
// them and as the base commit has them.
func (p *project) layers(ctx context.Context, base string, l loaded) ([]policies.LayerSource, error) {
	out := []policies.LayerSource{policies.BuiltIn()}
	pin, err := p.pinned(ctx, base, l)
	if err != nil {
		return nil, err
	}
	organisation, err := p.organisation(pin)
	if err != nil {
		return nil, err
	}
	out = append(out, organisation...)
	for i, folder := range policyFolders(l.path) {
		name := policies.LayerProject
		if i > 0 {
			name = policies.LayerPackage
		}
		head, err := p.policyFiles(folder)
		if err != nil {
			return nil, err
		}
		before, err := p.policyFilesAt(ctx, base, folder)
		if err != nil {
			return nil, err
		}
		if len(head) > 0 {
			out = append(out, policies.LayerSource{Name: name, Files: head})
		}
		if len(before) > 0 && !sameFiles(head, before) {
			out = append(out, policies.LayerSource{Name: name, Base: true, Files: before})
		}
	}
	return out, nil
}

// policyFolders lists the policies/ folders that bear on a workflow, the root first.
func policyFolders(workflow string) []string {
	out := []string{"policies"}
	at := ""
	for _, part := range strings.Split(dsl.Folder(workflow), "/") {
		if part == "" {
			continue
		}
		at = path.Join(at, part)
		out = append(out, path.Join(at, "policies"))
	}
	return out
}

func (p *project) policyFiles(folder string) ([]policies.File, error) {
	var out []policies.File
	var walk func(dir string) error
	walk = func(dir string) error {
		entries, err := p.tree.ReadDir(dir)
		if dir != folder && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == notInForce }) {
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) && dir == folder {
			return nil
		}
		if err != nil {
			return refuseIn(ExitUnevaluated, codeBadFile, dir, "The policies there cannot be read: "+whyNot(err)+".", "mend the folder; a policy that cannot be read is a denial")
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, entry := range entries {
			name := path.Join(dir, entry.Name())
			if entry.IsDir() {
				if err := walk(name); err != nil {
					return err
				}
				continue
			}
			if !isPolicy(name) {
				continue
			}
			data, err := p.tree.ReadFile(name)
			if err != nil {
				return refuseIn(ExitUnevaluated, codeBadFile, name, "The policy cannot be read: "+whyNot(err)+".", "mend the file; a policy that cannot be read is a denial")
			}
			out = append(out, policies.File{Path: name, Data: data})
		}
		return nil
	}
	return out, walk(folder)
}

func (p *project) policyFilesAt(ctx context.Context, commit, folder string) ([]policies.File, error) {
	entries, err := p.repo.ListTree(ctx, commit)
	if err != nil {
		return nil, repositoryRefusal(err)
	}
	var aside []string
	for _, entry := range entries {
		if path.Base(entry.Path) == notInForce && path.Dir(entry.Path) != folder {
			aside = append(aside, path.Dir(entry.Path)+"/")
		}
	}
	var out []policies.File
	for _, entry := range entries {
		within := func(dir string) bool { return strings.HasPrefix(entry.Path, dir) }
		if !within(folder+"/") || !isPolicy(entry.Path) || slices.ContainsFunc(aside, within) {
			continue
		}
		data, err := p.repo.ReadFile(ctx, commit, entry.Path)
		if err != nil {
			return nil, repositoryRefusal(err)
		}
		out = append(out, policies.File{Path: entry.Path, Data: data})
	}
	return out, nil
}

func isPolicy(name string) bool {
	return strings.HasSuffix(name, ".rego") || strings.HasSuffix(name, ".json")
}

func sameFiles(a, b []policies.File) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	byPath := func(x, y policies.File) int { return strings.Compare(x.Path, y.Path) }
	slices.SortFunc(a, byPath)
	slices.SortFunc(b, byPath)
	return slices.EqualFunc(a, b, func(x, y policies.File) bool { return x.Path == y.Path && string(x.Data) == string(y.Data) })
}

// atBase ends the name of a policy's source as the base commit has it, where
// the working tree has another.
const atBase = "@base"

func policySources(layers []policies.LayerSource) []planner.Source {
	var out []planner.Source
	for i, layer := range layers {
		for _, f := range layer.Files {
			name := f.Path
			if i > 0 && slices.ContainsFunc(out, func(s planner.Source) bool { return s.Path == name }) {
				name += atBase
			}
			out = append(out, planner.Source{Path: name, Kind: "policy", Digest: planner.Hash(f.Data)})
		}
	}
	return out
}

func (p *project) operatorsSource(ctx context.Context, base string) ([]planner.Source, error) {
	data, err := p.repo.ReadFile(ctx, base, operatorsFile)
	if worktree.KindOf(err) == worktree.NoObject {
		return nil, nil
	}
	if err != nil {
		return nil, repositoryRefusal(err)
	}
	return []planner.Source{{Path: operatorsFile, Kind: "operators", Digest: planner.Hash(data), Text: string(data)}}, nil
}

// operators reads who may approve and decide where a plan's base is commit: the
// operators of that commit who are still operators at HEAD. An old base so
// brings back nobody who was taken out since, and no approval without a
// signature once there are operators.
func (p *project) operators(ctx context.Context, commit string) (approval.Operators, error) {
	base, err := p.operatorsAt(ctx, commit)
	if err != nil {
		return approval.Operators{}, err
	}
	head, err := p.repo.Commit(ctx, "HEAD")
	if worktree.KindOf(err) == worktree.NoObject || head == commit {
		return base, nil
	}
	if err != nil {
		return approval.Operators{}, repositoryRefusal(err)
	}
	now, err := p.operatorsAt(ctx, head)
	if err != nil {
		return approval.Operators{}, err
	}
	return base.Within(now), nil
}

func (p *project) operatorsAt(ctx context.Context, commit string) (approval.Operators, error) {
	data, err := p.repo.ReadFile(ctx, commit, operatorsFile)
	if worktree.KindOf(err) == worktree.NoObject {
		return approval.Operators{}, nil
	}
	if err != nil {
		return approval.Operators{}, repositoryRefusal(err)
	}
	ops, findings := approval.ParseOperators(operatorsFile, data)
	if findings.HasErrors() {
		return approval.Operators{}, &Refusal{Findings: findings, Sources: Sources{operatorsFile: data}, Exit: ExitUnevaluated}
	}
	return ops, nil
}
