package dsl

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Suffix is the end of a workflow file's name.
const Suffix = ".wf.yaml"

// Found is a workflow of a repository, by the name that finds it.
type Found struct {
	Name   string // ship-feature
	Folder string // that holds workflows/, "" at the root
	Path   string
}

// Qualified is the name that finds it from everywhere: services/api:NAME.
func (f Found) Qualified() string {
	if f.Folder == "" {
		return f.Name
	}
	return f.Folder + ":" + f.Name
}

// List picks the workflows out of a repository's paths, sorted by path.
func List(paths []string) []Found {
	var out []Found
	for _, p := range paths {
		name, ok := strings.CutSuffix(path.Base(p), Suffix)
		if ok && name != "" && path.Base(path.Dir(p)) == "workflows" {
			out = append(out, Found{Name: name, Folder: Folder(p), Path: p})
		}
	}
	slices.SortFunc(out, func(a, b Found) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Discover finds the workflow that a person names, from a folder of the
// repository ("" is the root): NAME in the nearest workflows/ upwards,
// services/api:NAME in that package, or a path that ends in .wf.yaml. all lists
// the workflows there are, for suggestions; it may be nil.
func Discover(name, from string, files Files, all []Found) (string, diag.Findings) {
	candidates := candidatesOf(name, from)
	for _, c := range candidates {
		_, err := files.ReadFile(c)
		if err == nil {
			return c, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", diag.Findings{codeNoFile.At(diag.Range{File: c}, fmt.Sprintf("`%s` cannot be read: %v.", c, err), "It must be a regular file inside the repository.")}
		}
	}
	if len(candidates) == 0 {
		return "", diag.Findings{codeOutside.At(diag.Range{}, fmt.Sprintf("`%s` leaves the repository.", name), "Name a workflow of the repository.")}
	}
	return "", diag.Findings{codeNotFound.At(diag.Range{}, fmt.Sprintf("No workflow `%s`: looked for %s.", name, joined(quoted(candidates))), notFoundHint(name, all))}
}

func candidatesOf(name, from string) []string {
	inside := func(p string) []string {
		if p == ".." || strings.HasPrefix(p, "../") || path.IsAbs(p) {
			return nil
		}
		return []string{p}
	}
	if strings.HasSuffix(name, Suffix) {
		return inside(path.Join(from, name))
	}
	if folder, local, ok := strings.Cut(name, ":"); ok {
		return inside(path.Join(folder, "workflows", local+Suffix))
	}
	if strings.Contains(name, "/") {
		return inside(path.Join(from, name+Suffix))
	}
	var out []string
	for dir := path.Clean("/" + from)[1:]; ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		out = append(out, path.Join(dir, "workflows", name+Suffix))
		if dir == "" {
			return out
		}
	}
}

func notFoundHint(name string, all []Found) string {
	var names []string
	for _, f := range all {
		names = append(names, f.Qualified())
		if f.Name == name {
			return fmt.Sprintf("Did you mean `%s`?", f.Qualified())
		}
	}
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("Did you mean `%s`?", near)
	}
	if len(names) == 0 {
		return "There are no workflows yet; `wf init` writes one."
	}
	return "There are " + joined(quoted(names[:min(len(names), 10)])) + "."
}

func joined(parts []string) string { return strings.Join(parts, ", ") }
