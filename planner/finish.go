package planner

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// finish puts in what needs no computing: sources, protected paths, outputs, and
// what a host must offer.
func (m *maker) finish() {
	p := m.plan
	for _, s := range m.wf.Sources {
		m.source(s)
	}
	p.Sources = sortSources(p.Sources)
	p.Protected = m.protected()
	p.ProtectedExisting = sorted(ProtectedTests)
	p.Outputs = []Output{}
	for _, o := range m.wf.Outputs {
		p.Outputs = append(p.Outputs, Output{Name: o.Name, Expr: o.Value.Template.Source()})
	}
	p.Requirements = m.requirements()
	slices.SortStableFunc(p.Notices, func(a, b Notice) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	p.fill()
}

func (m *maker) source(s dsl.Source) {
	if !utf8.Valid(s.Data) {
		m.find(codeSourceText, diag.Range{File: s.Path}, fmt.Sprintf("%s is not valid UTF-8, and a plan holds the text of its sources.", s.Path), "Save it as UTF-8.")
		return
	}
	m.plan.Sources = append(m.plan.Sources, Source{
		Path: s.Path, Kind: s.Kind, Digest: Hash(s.Data), Text: string(s.Data),
		Uncommitted: slices.Contains(m.req.Uncommitted, s.Path),
	})
}

// Hash names bytes: "sha256:" and 64 hex digits.
func Hash(data []byte) string {
	h := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(h[:])
}

func sortSources(list []Source) []Source {
	slices.SortStableFunc(list, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Digest, b.Digest))
	})
	return slices.Compact(list)
}

func (m *maker) protected() []string {
	list := slices.Concat(ProtectedAlways, ProtectedTests, m.wf.Settings.Protect, m.globs(m.texts(m.wf.Protect, m.vars)))
	return sorted(list)
}

func (m *maker) requirements() []Requirement {
	set := map[Requirement]bool{{Kind: "sandbox", Name: m.floor()}: true}
	for _, f := range m.wf.Features {
		set[Requirement{Kind: "feature", Name: f.Name}] = true
	}
	for _, a := range m.plan.Agents {
		set[Requirement{Kind: "adapter", Name: a.Adapter}] = true
		if a.Model != "" {
			set[Requirement{Kind: "model", Name: a.Model, Value: a.Adapter}] = true
		}
	}
	for _, t := range m.plan.Tickets {
		if t.Notify != nil && len(t.Notify.Argv) > 0 && !strings.Contains(t.Notify.Argv[0], "/") {
			set[Requirement{Kind: "program", Name: t.Notify.Argv[0]}] = true
		}
		for _, g := range t.Gates {
			if program := program(g); program != "" {
				set[Requirement{Kind: "program", Name: program}] = true
			}
		}
	}
	out := make([]Requirement, 0, len(set))
	for r := range set {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Requirement) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	return out
}

// program is what a gate starts, where that is looked up and not a path of the repository.
func program(g Gate) string {
	if g.Shell != "" {
		return g.Shell
	}
	if len(g.Argv) == 0 || strings.Contains(g.Argv[0], "/") {
		return ""
	}
	return g.Argv[0]
}

// about says what of the repository at hand the plan does not see. It stays out
// of the plan's bytes: the same base commit gives the same plan.
func (m *maker) about(f Facts) {
	if n := len(f.Dirty); n > 0 {
		detail := fmt.Sprintf("%s%s: tickets start from commit %.12s and will not see it.", f.Dirty[0], andOthers(n-1), m.plan.Base.Commit)
		m.found = append(m.found, codeDirty.At(diag.Range{}, detail, "Commit first where the tickets need it."))
	}
	for _, name := range f.InTheWay {
		m.found = append(m.found, codeRefName.At(diag.Range{}, fmt.Sprintf("Git keeps no branch below a branch: with %s there is no wf/%s/….", name, m.plan.Workflow.Name), fmt.Sprintf("Rename it: `git branch -m %s %s`.", name, strings.ReplaceAll(name, "/", "-")+"-old")))
	}
	if f.Unpushed > 0 {
		m.found = append(m.found, codeUnpushed.At(diag.Range{}, fmt.Sprintf("Commits of the base that no remote has: %d.", f.Unpushed), ""))
	}
}

func andOthers(n int) string {
	switch n {
	case 0:
		return " is not committed"
	case 1:
		return " and 1 other are not committed"
	}
	return fmt.Sprintf(" and %d others are not committed", n)
}
