package verb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/planfile"
)

// PlanRequest says what to plan.
type PlanRequest struct {
	Workflow   string   // name or path
	Inputs     []string // k=v, as flags
	InputsFile string   // YAML of inputs
	Untrusted  []string // k=v from outside, such as a pull request's text: only for inputs that are declared untrusted
	Base       string   // revision to start from and to compare with; HEAD, and no comparison, where empty
	lenient    bool     // leave out inputs that the workflow does not have
}

// Planned is a plan, judged.
type Planned struct {
	Plan     *planner.Plan
	Bytes    []byte // of the plan file
	Digest   string
	Findings diag.Findings // warnings, notes, and what policies say
	Sources  Sources
	Previous *planner.Plan // the last applied plan of this workflow; nil where there is none
	Host     []HostLack    // what this host does not meet; shown beside the plan, outside its digest
	before   *planner.Plan // the same workflow at the base commit; nil without a base to compare with
}

// Denied reports whether a policy denies the plan.
func (p Planned) Denied() bool { return len(p.Plan.Policy.Denials) > 0 }

// Plan proves what a run could ever do. It writes nothing and starts no agent.
func Plan(ctx context.Context, e Env, req PlanRequest) (Planned, error) {
	p, err := e.project(ctx)
	if err != nil {
		return Planned{}, err
	}
	return p.plan(ctx, req)
}

func (p *project) plan(ctx context.Context, req PlanRequest) (Planned, error) {
	file, err := p.find(req.Workflow)
	if err != nil {
		return Planned{}, err
	}
	return p.planFile(ctx, file, req)
}

func (p *project) planFile(ctx context.Context, file string, req PlanRequest) (Planned, error) {
	l := p.load(file)
	if l.findings.HasErrors() {
		return Planned{}, &Refusal{Findings: l.findings, Sources: l.sources, Exit: ExitFailure}
	}
	inputs, err := p.inputs(req, l.workflow)
	if err != nil {
		return Planned{}, err
	}
	facts, err := p.facts(ctx, req.Base)
	if err != nil {
		return Planned{}, err
	}
	for _, name := range []string{"wf", "wf/" + l.workflow.Name} {
		if _, err := p.repo.Commit(ctx, "refs/heads/"+name); err == nil {
			facts.inTheWay = append(facts.inTheWay, name)
		}
	}
	plan, findings, err := p.make(ctx, l, inputs, facts)
	if err != nil {
		return Planned{}, err
	}
	findings = append(l.findings, findings...)
	if plan == nil || findings.HasErrors() {
		return Planned{}, &Refusal{Findings: findings, Sources: l.sources, Exit: ExitFailure}
	}
	out := Planned{Plan: plan, Findings: findings, Sources: l.sources}
	if req.Base != "" {
		if out.before, err = p.before(ctx, file, inputs, facts); err != nil {
			return Planned{}, err
		}
	}
	if err := p.judge(ctx, &out, l); err != nil {
		return Planned{}, err
	}
	if out.Bytes, err = planfile.Encode(plan); err != nil {
		return Planned{}, err
	}
	out.Digest = planfile.DigestOf(out.Bytes)
	if leak := planner.SecretsIn(out.Bytes); len(leak) > 0 {
		return Planned{}, &Refusal{Findings: leak, Sources: l.sources, Exit: ExitFailure}
	}
	if out.Previous, err = p.previous(file); err != nil {
		return Planned{}, err
	}
	config, err := p.env.userConfig()
	if err != nil {
		return Planned{}, err
	}
	out.Host = p.env.preflight(ctx, plan, config.program).lacks
	out.Findings = out.Findings.Sorted()
	return out, ctx.Err() // what an interrupt kept from being looked at is not told
}

// facts are the repository's part in a plan.
type facts struct {
	worktree.Facts
	base     planner.Base
	tracked  []string
	bytes    int64    // of all tracked files
	inTheWay []string // branches that keep those of tickets from being made
}

func (p *project) facts(ctx context.Context, base string) (facts, error) {
	f, err := p.repo.Inspect(ctx)
	if err != nil {
		return facts{}, repositoryRefusal(err)
	}
	if f.NoCommits {
		return facts{}, refuse(ExitFailure, codeNoCommits, "A plan starts from a commit, and HEAD names none yet.", "commit something first: `git add -A && git commit -m \"first commit\"`")
	}
	if f.Shallow {
		return facts{}, refuse(ExitFailure, codeShallow, "The history was cut by a shallow clone, so that the repository cannot be told from others and merges have no base.", "fetch the rest: `git fetch --unshallow`; in GitHub Actions set `fetch-depth: 0` on actions/checkout")
	}
	commit := f.Head
	if base != "" {
		if commit, err = p.repo.Commit(ctx, base); err != nil {
			return facts{}, repositoryRefusal(err)
		}
	}
	date, err := p.repo.CommitDate(ctx, commit)
	if err != nil {
		return facts{}, repositoryRefusal(err)
	}
	entries, err := p.repo.ListTree(ctx, commit)
	if err != nil {
		return facts{}, repositoryRefusal(err)
	}
	out := facts{Facts: f, base: planner.Base{Commit: commit, Date: date.UTC().Format(time.RFC3339)}}
	for _, entry := range entries {
		out.tracked = append(out.tracked, entry.Path)
		out.bytes += max(entry.Size, 0)
	}
	return out, nil
}

func (p *project) make(ctx context.Context, l loaded, inputs []planner.InputValue, f facts) (*planner.Plan, diag.Findings, error) {
	repository := f.ID
	if l.settings.Repository != "" {
		repository = l.settings.Repository
	}
	req := planner.Request{
		Workflow: l.workflow, Inputs: inputs, Base: f.base, Repository: repository, Tracked: f.tracked, Bytes: f.bytes,
		Facts: planner.Facts{Dirty: append(slices.Clone(f.Dirty), f.Untracked...), Unpushed: f.Unpushed, InTheWay: f.inTheWay},
	}
	for _, ref := range planner.RefsWanted(req) {
		commit, err := p.repo.Commit(ctx, ref)
		if worktree.KindOf(err) == worktree.NoObject {
			continue // the planner says which input names no commit
		}
		if err != nil {
			return nil, nil, repositoryRefusal(err)
		}
		req.Refs = append(req.Refs, planner.Ref{Name: ref, Commit: commit})
	}
	var err error
	if req.Uncommitted, err = p.uncommitted(ctx, f.base.Commit, l); err != nil {
		return nil, nil, err
	}
	plan, findings := planner.Make(req)
	return plan, findings, nil
}

// plannable plans a workflow with what it has by itself, for `wf validate`:
// faults of the graph and of bounds are faults of the file. Inputs that only a
// person can give, and a repository that cannot be planned in, say nothing.
func (p *project) plannable(ctx context.Context, l loaded) diag.Findings {
	for _, in := range l.workflow.Inputs {
		if !in.HasDefault && !in.Type.Optional {
			return nil
		}
	}
	f, err := p.facts(ctx, "")
	if err != nil {
		return nil
	}
	f.Dirty, f.Untracked, f.Unpushed = nil, nil, 0
	_, findings, err := p.make(ctx, l, nil, f)
	if err != nil {
		return nil
	}
	return findings
}

// uncommitted names the sources whose bytes differ from the base commit's.
func (p *project) uncommitted(ctx context.Context, base string, l loaded) ([]string, error) {
	var out []string
	for _, s := range append(slices.Clone(l.workflow.Sources), l.settings.Sources...) {
		same, err := p.committed(ctx, base, s.Path, s.Data)
		if err != nil {
			return nil, err
		}
		if !same {
			out = append(out, s.Path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// committed reports whether a commit holds these bytes, line ends as git stores them.
func (p *project) committed(ctx context.Context, commit, file string, data []byte) (bool, error) {
	at, err := p.repo.ReadFile(ctx, commit, file)
	if worktree.KindOf(err) == worktree.NoObject {
		return false, nil
	}
	if err != nil {
		return false, repositoryRefusal(err)
	}
	return string(at) == string(data) || string(at) == strings.ReplaceAll(string(data), "\r\n", "\n"), nil
}

// inputs gathers inputs, the weakest first: environment, file, flags.
func (p *project) inputs(req PlanRequest, w *dsl.Workflow) ([]planner.InputValue, error) {
	var out []planner.InputValue
	for _, pair := range p.env.inputsFromEnvironment() {
		name, value, _ := strings.Cut(pair, "=")
		if name == "" {
			return nil, refuse(ExitUsage, codeBadInput, "The environment variable WF_INPUT_ names no input.", "write WF_INPUT_goal, or unset it")
		}
		out = append(out, planner.InputValue{Name: name, Text: value, Origin: "environment"})
	}
	if req.InputsFile != "" {
		more, err := p.inputsFile(req.InputsFile)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	for _, pair := range req.Inputs {
		name, value, err := cut(pair, "--input")
		if err != nil {
			return nil, refuse(ExitUsage, codeBadInput, sentence(err.Error()), "write --input goal=\"add a search box\"")
		}
		out = append(out, planner.InputValue{Name: name, Text: value, Origin: "flag"})
	}
	outside, err := untrusted(req.Untrusted, w)
	out = append(out, outside...)
	if req.lenient {
		out = declared(w, out)
	}
	return out, err
}

// untrusted reads inputs that somebody outside wrote. They may fill only what
// the workflow declares untrusted: elsewhere their text could become part of a
// command or a path.
func untrusted(pairs []string, w *dsl.Workflow) ([]planner.InputValue, error) {
	var out []planner.InputValue
	for _, pair := range pairs {
		name, value, err := cut(pair, "--untrusted-input")
		if err != nil {
			return nil, refuse(ExitUsage, codeBadInput, sentence(err.Error()), "write --untrusted-input goal=\"add a search box\"")
		}
		if i := slices.IndexFunc(w.Inputs, func(in dsl.Input) bool { return in.Name == name }); i >= 0 && !w.Inputs[i].Untrusted {
			f := codeNotUntrusted.At(w.Inputs[i].Range, fmt.Sprintf("The input `%s` is filled from outside, and the workflow takes it for the operator's own word.", name), "Declare it with `untrusted: true`; what may then not use it is found by `wf validate`.")
			return nil, &Refusal{Findings: diag.Findings{f}, Exit: ExitFailure}
		}
		out = append(out, planner.InputValue{Name: name, Text: value, Origin: "flag"})
	}
	return out, nil
}

func (p *project) inputsFile(name string) ([]planner.InputValue, error) {
	data, err := p.env.readUser(codeBadFile, name, "name a YAML file that maps input names to values")
	if err != nil || blank(data) {
		return nil, err
	}
	root, findings := syntax.Parse(name, data)
	if root != nil && root.Kind != syntax.Mapping && root.Kind != syntax.Null {
		findings = append(findings, codeBadFile.At(root.Range, "A file of inputs maps their names to values.", "write `goal: add a search box`, one input a line"))
	}
	if findings.HasErrors() {
		return nil, &Refusal{Findings: findings, Sources: Sources{name: data}, Exit: ExitFailure}
	}
	var out []planner.InputValue
	for _, entry := range root.Entries {
		in := planner.InputValue{Name: entry.Key.Value, Origin: "file"}
		if entry.Value.Kind == syntax.Scalar {
			in.Text = entry.Value.Value
		} else {
			value, err := expr.FromJSON(jsonOf(entry.Value))
			if err != nil {
				f := codeBadInput.At(entry.Value.Range, sentence(err.Error()), "write a value that the input's type takes")
				return nil, &Refusal{Findings: diag.Findings{f}, Sources: Sources{name: data}, Exit: ExitFailure}
			}
			in.Typed, in.Value = true, value
		}
		out = append(out, in)
	}
	return out, nil
}

// blank reports whether a file holds nothing but space and comments: no inputs.
func blank(data []byte) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// jsonOf gives a tree as JSON; bare numbers and booleans keep their kind.
func jsonOf(n *syntax.Node) json.RawMessage {
	var b strings.Builder
	switch n.Kind {
	case syntax.Mapping:
		for i, e := range n.Entries {
			b.WriteString(separator(i, "{"))
			key, _ := json.Marshal(e.Key.Value) // a string always marshals
			b.Write(key)
			b.WriteByte(':')
			b.Write(jsonOf(e.Value))
		}
		if len(n.Entries) == 0 {
			b.WriteByte('{')
		}
		b.WriteByte('}')
	case syntax.Sequence:
		for i, item := range n.Items {
			b.WriteString(separator(i, "["))
			b.Write(jsonOf(item))
		}
		if len(n.Items) == 0 {
			b.WriteByte('[')
		}
		b.WriteByte(']')
	case syntax.Null:
		b.WriteString("null")
	default:
		if n.Style == syntax.Plain && json.Valid([]byte(n.Value)) {
			b.WriteString(n.Value)
			break
		}
		text, _ := json.Marshal(n.Value)
		b.Write(text)
	}
	return json.RawMessage(b.String())
}

func separator(i int, open string) string {
	if i == 0 {
		return open
	}
	return ","
}
