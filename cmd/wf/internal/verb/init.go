package verb

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/workflows"
)

// InitRequest says which workflow to write, and what to call it.
type InitRequest struct {
	Name     string // its name in this repository; that of Workflow where empty
	Workflow string // one that ships; where empty, the one called Name, or else the first workflow
	Force    bool
}

// Written lists the files a verb wrote, those it left alone, and what to type next.
type Written struct {
	Wrote, Kept, Next []string
}

// Shipped is a workflow that wf brings along.
type Shipped struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// ListShipped gives the workflows that Init can write, the first workflow first.
func ListShipped() ([]Shipped, error) {
	names, err := workflows.Names()
	if err != nil {
		return nil, err
	}
	var out []Shipped
	for _, name := range names {
		text, err := workflows.Description(name)
		if err != nil {
			return nil, err
		}
		out = append(out, Shipped{name, text})
	}
	return out, nil
}

var workflowName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
})

// Init writes a workflow that ships, with its replay script and its roles, and
// .gitignore lines; the first workflow brings a policy with its test. It plans
// at once. Files that are there stay.
func Init(ctx context.Context, e Env, req InitRequest) (Written, error) {
	p, err := e.project(ctx)
	if err != nil {
		return Written{}, err
	}
	from, name, err := req.names()
	if err != nil {
		return Written{}, err
	}
	files, err := workflows.Files(from)
	if err != nil {
		return Written{}, err
	}
	var out Written
	for _, f := range files {
		data := []byte(strings.ReplaceAll(string(f.Data), from, name))
		if err := p.lay(&out, strings.ReplaceAll(f.Path, from, name), data, req.Force); err != nil {
			return out, systemRefusal(err)
		}
	}
	if err := p.ignore(&out); err != nil {
		return out, systemRefusal(err)
	}
	out.Next = []string{"git add -A && git commit -m \"first workflow\"", "wf plan " + name}
	if from == workflows.StarterName {
		out.Next = append(out.Next, "wf apply "+name+" --auto-approve")
	}
	return out, nil
}

// names gives the workflow to take and the name to give it.
func (req InitRequest) names() (from, name string, err error) {
	all, err := workflows.Names()
	if err != nil {
		return "", "", err
	}
	from, name = req.Workflow, req.Name
	switch {
	case from == "" && slices.Contains(all, name):
		from = name
	case from == "":
		from = workflows.StarterName
	case !slices.Contains(all, from):
		return "", "", refuse(ExitUsage, codeNoWorkflow, "wf brings no workflow "+from+".", "there are: "+strings.Join(all, ", "))
	}
	if name == "" {
		name = from
	}
	if !workflowName().MatchString(name) || len(name) > 60 {
		return "", "", refuse(ExitUsage, codeNoWorkflow, "A workflow's name is lower-case words with dashes, at most 60 characters; "+name+" is not.", "try `wf init my-workflow`")
	}
	return from, name, nil
}

// lay writes a file below the folder the user stands in, through no link.
func (p *project) lay(out *Written, file string, data []byte, force bool) error {
	name := filepath.FromSlash(filepath.ToSlash(filepath.Join(p.here, file)))
	if err := p.tree.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if info, err := p.tree.root.Lstat(name); err == nil {
		if !force || !info.Mode().IsRegular() {
			out.Kept = append(out.Kept, file)
			return nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out.Wrote = append(out.Wrote, file)
	return p.tree.root.WriteFile(name, data, 0o644)
}

// ignore adds the lines that .gitignore lacks, and touches no other.
func (p *project) ignore(out *Written) error {
	name := filepath.Join(filepath.FromSlash(p.here), ".gitignore")
	have := ""
	data, err := p.tree.root.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	have = string(data)
	var add []string
	for _, line := range workflows.IgnoreLines() {
		if !strings.Contains("\n"+have+"\n", "\n"+line+"\n") {
			add = append(add, line)
		}
	}
	if len(add) == 0 {
		out.Kept = append(out.Kept, ".gitignore")
		return nil
	}
	if have != "" && !strings.HasSuffix(have, "\n") {
		have += "\n"
	}
	out.Wrote = append(out.Wrote, ".gitignore")
	return p.tree.root.WriteFile(name, []byte(have+strings.Join(add, "\n")+"\n"), 0o644)
}

// lockFile pins what a repository's workflows were planned with.
const lockFile = "wf.lock"

// Lock writes wf.lock at the root. It pins the organisation's policies; agent
// programs and prices join it with the adapters that have them.
func Lock(ctx context.Context, e Env, upgrade bool) (Written, error) {
	p, err := e.project(ctx)
	if err != nil {
		return Written{}, err
	}
	text := "# Written by `wf lock`; commit it. It pins what workflows here are planned with.\nlock: 1\nagents:\n  replay: embedded\n"
	if folder := e.Getenv("WF_ORG_POLICY"); folder != "" {
		files, err := organisationFiles(e.abs(folder))
		if err != nil {
			return Written{}, systemRefusal(err)
		}
		text += "organisation: " + digestOf(files) + "\n"
	}
	var out Written
	have, err := p.tree.root.ReadFile(lockFile)
	switch {
	case err == nil && string(have) == text, err == nil && !upgrade:
		out.Kept = append(out.Kept, lockFile)
		return out, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return out, systemRefusal(err)
	}
	out.Wrote = append(out.Wrote, lockFile)
	return out, systemRefusal(p.tree.root.WriteFile(lockFile, []byte(text), 0o644))
}
