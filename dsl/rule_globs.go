package dsl

import (
	"fmt"

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

func (f *facts) globs() [][]Scalar {
	out := [][]Scalar{f.w.Protect}
	for _, p := range f.w.Pipelines {
		for _, s := range p.Stages {
			out = append(out, s.WriteGlobs)
		}
	}
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		out = append(out, t.Scope, t.Narrow, t.MayChange, t.Protect)
		for k := range t.Gates {
			g := &t.Gates[k]
			for _, a := range g.Args {
				if a.Name == "paths" {
					out = append(out, a.Values)
				}
			}
		}
	}
	return out
}
