package dsl

import (
	"fmt"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// bounded is a number with the least and most it may be.
type bounded struct {
	name        string
	value       *Scalar
	least, most int64
}

// ruleLimits keeps numbers inside what a run can keep. Two refusals need two
// rounds, so bounces begin at 1; there is always one unit at a time.
func ruleLimits(f *facts) diag.Findings {
	l := &f.w.Limits
	numbers := []bounded{
		{"units", &l.Units, 1, 1_000_000}, {"concurrency", &l.Concurrency, 1, 1000}, {"depth", &l.Depth, 0, 5}, {"children", &l.Children, 0, 100},
		{"bounces", &l.Bounces, 1, 20}, {"retries", &l.Retries, 0, 10},
	}
	for i := range f.w.Roles {
		numbers = append(numbers, bounded{"children", &f.w.Roles[i].Children, 0, 100})
	}
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		numbers = append(numbers, bounded{"max", &t.Max, 1, 10_000})
		for _, g := range t.Checks() {
			numbers = append(numbers, bounded{"min_tests", &g.MinTests, 0, 1_000_000})
			numbers = append(numbers, argBounds(g)...)
		}
		if t.Review != nil {
			numbers = append(numbers, bounded{"max_findings", &t.Review.MaxFindings, 1, 1000})
		}
		if t.Within != nil {
			numbers = append(numbers, bounded{"units", &t.Within.Units, 1, 10_000})
		}
	}
	var out diag.Findings
	for _, n := range numbers {
		if !n.value.Set || !n.value.Known {
			continue
		}
		if v, ok := n.value.Value.Int(); ok && (v < n.least || v > n.most) {
			out = append(out, codeOutOfRange.At(n.value.Range, fmt.Sprintf("`%s` is %d; it is from %d to %d.", n.name, v, n.least, n.most), ""))
		}
	}
	return append(append(out, widthFindings(l.Width)...), zeroFindings(f.w)...)
}

// argBounds are those of a check's numbers.
func argBounds(g *Gate) []bounded {
	var out []bounded
	for i := range g.Args {
		for k := range g.Args[i].Values {
			switch v := &g.Args[i].Values[k]; g.Args[i].Name {
			case "status":
				out = append(out, bounded{"status", v, 100, 599})
			case "max":
				out = append(out, bounded{"max", v, 0, 10_000_000})
			}
		}
	}
	return out
}

func widthFindings(s Scalar) diag.Findings {
	text, ok := s.Value.Str()
	if !s.Set || !s.Known || !ok || WidthAgents(text) > 0 {
		return nil
	}
	return diag.Findings{unknownWord(codeUnknownWord, text, s.Range, fmt.Sprintf("`width: %s` is no guideline for the number of agents.", text), []string{"small", "medium", "large", "unlimited", "a number"})}
}

// zeroFindings refuse times in which nothing could be done.
func zeroFindings(w *Workflow) diag.Findings {
	var out diag.Findings
	zero := func(name string, s *Scalar) {
		if length, ok := s.Value.Duration(); s.Set && s.Known && ok && length == 0 {
			out = append(out, codeOutOfRange.At(s.Range, fmt.Sprintf("`%s` is 0; nothing could be done.", name), "Give it a time, or leave it out."))
		}
	}
	zero("timeout", &w.Limits.Timeout)
	for _, p := range w.Pipelines {
		for i := range p.Stages {
			zero("timeout", &p.Stages[i].Timeout)
		}
	}
	for at := range w.Tickets {
		t := &w.Tickets[at]
		for _, g := range t.Checks() {
			zero("timeout", &g.Timeout)
		}
		if t.Notify != nil {
			zero("timeout", &t.Notify.Timeout)
		}
	}
	return out
}
