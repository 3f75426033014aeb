package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// ruleGlobs: constant globs can be read.
func ruleGlobs(f *facts) diag.Findings {
	var out diag.Findings
	for _, list := range f.globs() {
		for _, s := range list {
			text, ok := s.Value.Str()
			if !ok || !s.Known {
				continue
			}
			if _, err := glob.Compile(text); err != nil {
				out = append(out, codeGlob.At(s.Range, fmt.Sprintf("`%s`: %s", text, sentence(err.Error())), "`*` stands for text in one segment, `**` for any segments; `\\` takes a sign literally."))
			}
		}
	}
	return out
}

// ruleGitFolder: no glob of what may be written names git's own folder.
// Commits, refs and hooks there are the runner's alone.
func ruleGitFolder(f *facts) diag.Findings {
	var out diag.Findings
	for _, list := range f.writable() {
		for _, s := range list {
			if text, ok := s.Value.Str(); ok && s.Known && NamesGitFolder(text) {
				out = append(out, codeGitFolder.At(s.Range, fmt.Sprintf("`%s` names git's own folder, which no unit writes.", text), "Remove it; the runner commits what a unit changes."))
			}
		}
	}
	return out
}

// NamesGitFolder reports whether a segment of the pattern is .git, in any case,
// since some file systems see no difference.
func NamesGitFolder(pattern string) bool {
	return slices.ContainsFunc(strings.Split(strings.ReplaceAll(pattern, `\`, ""), "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

// writable are the lists of globs that say what may be written.
func (f *facts) writable() [][]Scalar {
	var out [][]Scalar
	for _, p := range f.w.Pipelines {
		for _, s := range p.Stages {
			out = append(out, s.WriteGlobs)
		}
	}
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		out = append(out, t.Scope, t.Narrow, t.MayChange)
	}
	return out
}

func (f *facts) globs() [][]Scalar {
	out := [][]Scalar{f.w.Protect}
	for _, p := range f.w.Pipelines {
		for _, s := range p.Stages {
			out = append(out, s.WriteGlobs)
		}
	}
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		out = append(out, t.Scope, t.Narrow, t.MayChange, t.Protect, t.Keep, t.Generated)
		if t.Within != nil {
			out = append(out, t.Within.Scope)
		}
		if t.Checkout != nil {
			out = append(out, t.Checkout.Sparse)
		}
		for _, g := range t.Checks() {
			out = append(out, g.Proves)
			for _, a := range g.Args {
				if a.Name == "paths" {
					out = append(out, a.Values)
				}
			}
		}
	}
	return out
}
