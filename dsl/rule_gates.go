package dsl

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

func eachGate(f *facts, judge func(t *Ticket, i int, g *Gate) diag.Findings) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		for i, g := range t.Checks() {
			out = append(out, judge(t, i, g)...)
		}
	}
	return out
}

// Checks lists the gates of a ticket, then those that the axes of its review are.
func (t *Ticket) Checks() []*Gate {
	var out []*Gate
	for i := range t.Gates {
		out = append(out, &t.Gates[i])
	}
	if t.Review != nil {
		for i := range t.Review.Axes {
			out = append(out, &t.Review.Axes[i].Gate)
		}
	}
	return out
}

// ruleGateNames: a gate's name is its own.
func ruleGateNames(f *facts) diag.Findings {
	return eachGate(f, func(t *Ticket, i int, g *Gate) diag.Findings {
		first := slices.Index(gateNames(t), g.Name)
		if g.Name == "" || first < 0 || first == i {
			return nil
		}
		return diag.Findings{related(codeTwiceGate.At(g.Range, fmt.Sprintf("ticket `%s` has two gates `%s`; a record could not say which it means.", t.Name, g.Name), "Rename one."), t.Gates[first].Range, "the first")}
	})
}

// ruleChecks: a built-in check gets its arguments and no others.
func ruleChecks(f *facts) diag.Findings {
	return eachGate(f, func(t *Ticket, i int, g *Gate) diag.Findings {
		c, ok := checkNamed(g.Check)
		if !ok && g.CheckRange != g.Range {
			return nil // told already
		}
		var out diag.Findings
		for _, a := range g.Args {
			if !slices.Contains(c.args, a.Name) {
				out = append(out, strayArg(g, c, a))
			}
			out = append(out, patternFindings(a)...)
		}
		for _, name := range c.required {
			if !slices.ContainsFunc(g.Args, func(a GateArg) bool { return a.Name == name }) {
				out = append(out, codeNoGateArg.At(g.CheckRange, fmt.Sprintf("`check: %s` has no `%s`.", c.name, name), fmt.Sprintf("Add `%s:`.", name)))
			}
		}
		return out
	})
}

func strayArg(g *Gate, c builtinCheck, a GateArg) diag.Finding {
	if c.name == "" {
		return codeStrayGateArg.At(a.Range, fmt.Sprintf("`%s` is an argument of checks; gate `%s` runs a command.", a.Name, g.Name), "Remove it, or put it into the command.")
	}
	if len(c.args) == 0 {
		return codeStrayGateArg.At(a.Range, fmt.Sprintf("`check: %s` takes no arguments.", c.name), "Remove it.")
	}
	return codeStrayGateArg.At(a.Range, fmt.Sprintf("`check: %s` takes no `%s`.", c.name, a.Name), "Its arguments are "+joined(quoted(c.args))+".")
}

func patternFindings(a GateArg) diag.Findings {
	var out diag.Findings
	for _, s := range a.Values {
		text, ok := s.Value.Str()
		if a.Name != "pattern" || !ok {
			continue
		}
		if _, err := regexp.Compile(text); err != nil {
			out = append(out, codePattern.At(s.Range, unreadablePattern(err), "Patterns are RE2, as in Go; `\\` before a sign takes it as it stands."))
		}
	}
	return out
}

// ruleCounted: min_tests has something that counts.
func ruleCounted(f *facts) diag.Findings {
	return eachGate(f, func(t *Ticket, i int, g *Gate) diag.Findings {
		if !g.MinTests.Set || g.CountsBy() != "" || g.CountRange != g.Range {
			return nil
		}
		if len(g.Argv) == 0 && g.Script == "" && g.Check == "" {
			return nil // told already
		}
		return diag.Findings{codeUncounted.At(g.MinTests.Range, fmt.Sprintf("gate `%s` cannot tell how many tests ran.", g.Name), "Add `count:` (`go`, `tap`, `junit:PATH` or `pattern:RE`); only `go test` is counted by itself.")}
	})
}

// ruleStageGates: a stage names gates that some ticket of its pipeline has, and
// a stage that expects failure has gates to fail.
func ruleStageGates(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		var out diag.Findings
		for k, name := range s.Gates {
			if t := f.without(p.Name, name); t != nil {
				out = append(out, related(unknownWord(codeUnknownGate, name, s.GateRanges[k], fmt.Sprintf("stage `%s` wants gate `%s`, which ticket `%s` does not have.", s.Name, name, t.Name), gateNames(t)), t.Range, "the ticket"))
			}
		}
		if s.ExpectFail && (!s.writing() || s.GatesSet && len(s.Gates) == 0) {
			out = append(out, codeExpectNoGate.At(s.Range, fmt.Sprintf("stage `%s` has `expect: fail`, and no gate runs after it.", s.Name), "Name the gates that must fail, and let the stage write."))
		}
		return out
	})
}

// without finds a ticket of the pipeline that lacks the gate.
func (f *facts) without(pipeline, gate string) *Ticket {
	for i := range f.w.Tickets {
		t := &f.w.Tickets[i]
		if t.Pipeline == pipeline && !slices.Contains(gateNames(t), gate) {
			return t
		}
	}
	return nil
}

func gateNames(t *Ticket) []string {
	out := make([]string, 0, len(t.Gates))
	for i := range t.Gates {
		out = append(out, t.Gates[i].Name)
	}
	return out
}
