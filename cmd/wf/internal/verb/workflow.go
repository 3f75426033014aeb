package verb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/materializer/agent/replay"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

// project is the repository the user stands in, open for reading.
type project struct {
	env  Env
	repo *worktree.Repo
	tree tree
	here string // the working folder below the root, slash-separated; "" at the root
}

func (e Env) project(ctx context.Context) (*project, error) {
	repo, err := e.open(ctx)
	if err != nil {
		return nil, err
	}
	t, err := openTree(repo)
	if err != nil {
		return nil, systemRefusal(err)
	}
	return &project{env: e, repo: repo, tree: t, here: below(repo.Root(), e.Dir)}, nil
}

// below gives dir as a slash-separated path below root, "" where it is not below it.
func below(root, dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// workflows lists the workflow files of the working tree. Folders of other
// tools, of dependencies and of wf itself are passed over.
func (p *project) workflows() ([]dsl.Found, error) {
	var paths []string
	err := fs.WalkDir(p.tree.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		base := d.Name()
		if strings.HasSuffix(base, dsl.Suffix) && path.Base(path.Dir(name)) == "workflows" {
			paths = append(paths, name) // also what is no file: it is named like a workflow, and gets a finding
			return skip(d)
		}
		if d.IsDir() && name != "." && passedOver(base) {
			return fs.SkipDir
		}
		return nil
	})
	slices.Sort(paths)
	return dsl.List(paths), err
}

// passedOver reports whether a folder belongs to other tools or to dependencies.
func passedOver(base string) bool {
	return strings.HasPrefix(base, ".") || base == "node_modules" || base == "vendor" || base == "testdata"
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// find gives the path of the workflow a person names.
func (p *project) find(name string) (string, error) {
	all, err := p.workflows()
	if err != nil {
		return "", systemRefusal(err)
	}
	if strings.HasSuffix(name, dsl.Suffix) {
		name = p.fromHere(name)
	}
	found, findings := dsl.Discover(name, p.here, p.tree, all)
	if findings.HasErrors() {
		return "", &Refusal{Findings: findings, Exit: ExitFailure}
	}
	return found, nil
}

// fromHere reads a path as the shell's user means it: from the working folder.
func (p *project) fromHere(name string) string {
	if filepath.IsAbs(name) {
		if rel := below(p.repo.Root(), name); rel != "" {
			return rel
		}
		return name
	}
	joined := path.Join(p.here, filepath.ToSlash(name))
	if _, err := p.tree.ReadFile(joined); errors.Is(err, fs.ErrNotExist) {
		return path.Clean(filepath.ToSlash(name))
	}
	return joined
}

// loaded is a workflow as it was read, with what was said of it.
type loaded struct {
	path     string
	workflow *dsl.Workflow
	settings dsl.Settings
	findings diag.Findings
	sources  Sources
}

// load reads a workflow, its settings and its replay script.
func (p *project) load(file string) loaded { return loadFrom(file, p.tree) }

func loadFrom(file string, files dsl.Files) loaded {
	l := loaded{path: file, sources: Sources{}}
	settings, findings := dsl.LoadSettings(file, files)
	l.settings, l.findings = settings, findings
	var more diag.Findings
	l.workflow, more = dsl.Load(file, files, settings)
	l.findings = append(l.findings, more...)
	for _, s := range settings.Sources {
		l.sources[s.Path] = s.Data
	}
	if l.workflow == nil {
		l.addFile(files, file)
		return l
	}
	for _, s := range l.workflow.Sources {
		l.sources[s.Path] = s.Data
		if s.Kind == "script" {
			script, said := replay.ParseScript(s.Path, s.Data)
			l.findings = append(l.findings, said...)
			if !l.findings.HasErrors() {
				l.findings = append(l.findings, script.Unknown(scriptable(l.workflow), expr.Nearest)...)
			}
		}
	}
	l.addFile(files, file)
	return l
}

// scriptable are the names of a workflow that a replay script can speak of.
func scriptable(w *dsl.Workflow) replay.Tickets {
	out := replay.Tickets{}
	for _, t := range w.Tickets {
		if t.Include != nil && t.Include.Workflow != nil {
			for name, parts := range scriptable(t.Include.Workflow) {
				out[t.Name+"."+name] = parts
			}
			continue
		}
		parts := []string{}
		for _, s := range w.Stages(&t) {
			parts = append(parts, s.Name)
			if s.First != "" {
				parts = append(parts, s.First)
			}
		}
		out[t.Name] = parts
	}
	return out
}

// addFile keeps a file's bytes for the excerpt of a finding.
func (l *loaded) addFile(files dsl.Files, file string) {
	if _, have := l.sources[file]; !have {
		if data, err := files.ReadFile(file); err == nil {
			l.sources[file] = data
		}
	}
}

// Validated is what Validate found.
type Validated struct {
	Workflows []string // paths
	Findings  diag.Findings
	Sources   Sources
}

// Validate checks workflows by name or path; all of the repository without a name.
func Validate(ctx context.Context, e Env, names []string) (Validated, error) {
	p, err := e.project(ctx)
	if err != nil {
		return Validated{}, err
	}
	files, err := p.named(names)
	if err != nil {
		return Validated{}, err
	}
	return p.validate(ctx, files), nil
}

func (p *project) validate(ctx context.Context, files []string) Validated {
	out := Validated{Workflows: files, Sources: Sources{}}
	for _, file := range files {
		l := p.load(file)
		out.Findings = append(out.Findings, l.findings...)
		for name, data := range l.sources {
			out.Sources[name] = data
		}
		if !l.findings.HasErrors() {
			out.Findings = append(out.Findings, p.plannable(ctx, l)...)
		}
	}
	out.Findings = out.Findings.Sorted()
	return out
}

func (p *project) named(names []string) ([]string, error) {
	if len(names) == 0 {
		all, err := p.workflows()
		if err != nil {
			return nil, systemRefusal(err)
		}
		if len(all) == 0 {
			return nil, refuse(ExitFailure, codeNoWorkflow, "This repository has no workflows/*.wf.yaml.", "write one with `wf init`")
		}
		var files []string
		for _, f := range all {
			files = append(files, f.Path)
		}
		return files, nil
	}
	var files []string
	for _, name := range names {
		file, err := p.find(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// Listed is one workflow of the repository.
type Listed struct {
	Name        string `json:"name"` // as `wf plan` takes it from the root
	Path        string `json:"path"`
	Description string `json:"description"`
	Errors      int    `json:"errors"`
}

// List gives every workflow of the repository.
func List(ctx context.Context, e Env) ([]Listed, error) {
	p, err := e.project(ctx)
	if err != nil {
		return nil, err
	}
	all, err := p.workflows()
	if err != nil {
		return nil, systemRefusal(err)
	}
	out := []Listed{}
	for _, f := range all {
		l := p.load(f.Path)
		row := Listed{Name: f.Qualified(), Path: f.Path}
		if l.workflow != nil {
			row.Description = l.workflow.Description
		}
		for _, finding := range l.findings {
			if finding.Severity == diag.Error {
				row.Errors++
			}
		}
		out = append(out, row)
	}
	return out, nil
}

// inputsFromEnvironment are the WF_INPUT_k variables, sorted by name.
func (e Env) inputsFromEnvironment() []string {
	var out []string
	for _, entry := range e.Environ {
		if strings.HasPrefix(entry, "WF_INPUT_") {
			out = append(out, strings.TrimPrefix(entry, "WF_INPUT_"))
		}
	}
	slices.Sort(out)
	return out
}

func cut(pair, what string) (name, value string, err error) {
	name, value, ok := strings.Cut(pair, "=")
	if !ok || name == "" {
		return "", "", fmt.Errorf("%s %q is not NAME=VALUE", what, pair)
	}
	return name, value, nil
}
