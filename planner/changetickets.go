package planner

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

func byAddress(t Ticket) string { return t.Address }

// gatesDiff compares what checks the work. Of a ticket that is new, its gates
// are no news; of one that is gone, neither.
func gatesDiff(old, new *Plan) (out []Delta) {
	both(old.Tickets, new.Tickets, byAddress, func(where string, a, b *Ticket) {
		if a == nil || b == nil {
			return
		}
		both(a.Gates, b.Gates, func(g Gate) string { return g.Name }, func(name string, x, y *Gate) {
			switch {
			case x == nil:
				out = append(out, Delta{Sign: "+", Kind: "gate", Where: where, Name: name, New: y.Command()})
			case y == nil:
				out = append(out, Delta{Sign: "-", Kind: "gate", Where: where, Name: name, Old: x.Command(), Looser: true})
			default:
				out = append(out, gateDiff(where, x, y)...)
			}
		})
		out = append(out, sets("acceptance", where, rows(a), rows(b), false, true)...)
		out = append(out, stagesDiff(where, a, b)...)
		if a.Hold != b.Hold {
			out = append(out, Delta{Sign: "~", Kind: "hold", Where: where, Old: fmt.Sprint(a.Hold), New: fmt.Sprint(b.Hold), Looser: a.Hold})
		}
	})
	return out
}

// Command is what a gate does, on one line, for people.
func (g Gate) Command() string {
	switch {
	case g.Check != "":
		return "check " + g.Check
	case g.Shell != "":
		return g.Shell + ": " + strings.ReplaceAll(strings.TrimSpace(g.Script), "\n", "; ")
	}
	return strings.Join(g.Argv, " ")
}

// gateDiff: a command that changed counts as looser, since nobody but a reader can tell.
func gateDiff(where string, a, b *Gate) (out []Delta) {
	out = append(out, word("gate", where, a.Name, a.Command(), b.Command(), true)...)
	at := where + " " + a.Name
	out = append(out, number("gate", at, "min_tests", a.MinTests, b.MinTests, false, digits)...)
	out = append(out, number("gate", at, "timeout", a.TimeoutSeconds, b.TimeoutSeconds, true, seconds)...)
	out = append(out, sets("network", at, known(a.Network), known(b.Network), true, false)...)
	out = append(out, word("gate", at, "workdir", a.Workdir, b.Workdir, true)...)
	out = append(out, word("gate", at, "count", a.Count, b.Count, true)...)
	if !reflect.DeepEqual(a.Args, b.Args) {
		out = append(out, Delta{Sign: "~", Kind: "gate", Where: at, Name: "arguments", Old: fmt.Sprint(a.Args), New: fmt.Sprint(b.Args), Looser: true})
	}
	if !reflect.DeepEqual(a.Env, b.Env) {
		out = append(out, Delta{Sign: "~", Kind: "gate", Where: at, Name: "environment", Old: fmt.Sprint(a.Env), New: fmt.Sprint(b.Env), Looser: true})
	}
	return out
}

func rows(t *Ticket) []string {
	var out []string
	for _, a := range t.Acceptance {
		out = append(out, a.What+" (by "+a.By+")")
	}
	return out
}

func stagesDiff(where string, a, b *Ticket) (out []Delta) {
	both(a.Stages, b.Stages, func(s Stage) string { return s.Name }, func(name string, x, y *Stage) {
		switch {
		case x == nil:
			out = append(out, Delta{Sign: "+", Kind: "stage", Where: where, Name: name, New: y.Role, Looser: y.Writes != "none"})
		case y == nil:
			out = append(out, Delta{Sign: "-", Kind: "stage", Where: where, Name: name, Old: x.Role, Looser: len(x.Verdicts) > 0})
		default:
			at := where + " " + name
			out = append(out, word("stage", at, "role", x.Role, y.Role, true)...)
			out = append(out, word("stage", at, "mode", x.Mode, y.Mode, y.Mode == "chat")...)
			out = append(out, word("stage", at, "writes", writesWord(x), writesWord(y), true)...)
			out = append(out, word("stage", at, "verdicts", routes(x), routes(y), true)...)
			out = append(out, word("stage", at, "on_bounce.first", x.First, y.First, false)...)
			out = append(out, sets("gate after the stage", at, x.Gates, y.Gates, false, true)...)
			if x.ExpectFail != y.ExpectFail {
				out = append(out, Delta{Sign: "~", Kind: "stage", Where: at, Name: "expect fail", Old: fmt.Sprint(x.ExpectFail), New: fmt.Sprint(y.ExpectFail), Looser: y.ExpectFail})
			}
			out = append(out, number("stage", at, "timeout", x.TimeoutSeconds, y.TimeoutSeconds, true, seconds)...)
		}
	})
	return out
}

func writesWord(s *Stage) string {
	if len(s.WriteGlobs) > 0 {
		return strings.Join(s.WriteGlobs, " ")
	}
	return s.Writes
}

func routes(s *Stage) string {
	var out []string
	for _, r := range s.Verdicts {
		out = append(out, r.Verdict+" → "+r.To)
	}
	return strings.Join(out, ", ")
}

// ticketsDiff lists tickets that come and go, and what else of the others changed.
func ticketsDiff(old, new *Plan) (out []Delta) {
	both(old.Tickets, new.Tickets, byAddress, func(where string, a, b *Ticket) {
		switch {
		case a == nil:
			out = append(out, Delta{Sign: "+", Kind: "ticket", Where: where, New: b.Title, Looser: b.Writes()})
		case b == nil:
			out = append(out, Delta{Sign: "-", Kind: "ticket", Where: where, Old: a.Title})
		default:
			out = append(out, ticketDiff(where, a, b)...)
		}
	})
	return append(out, edgesDiff(old, new)...)
}

func ticketDiff(where string, a, b *Ticket) (out []Delta) {
	out = append(out, sets("scope", where, a.Scope, b.Scope, true, false)...)
	out = append(out, sets("narrow", where, a.Narrow, b.Narrow, false, true)...)
	out = append(out, sets("may_change", where, a.MayChange, b.MayChange, true, false)...)
	out = append(out, sets("protect", where, a.Protect, b.Protect, false, true)...)
	if a.FanOut != nil && b.FanOut != nil {
		out = append(out, number("max", where, "", a.FanOut.Max, b.FanOut.Max, true, digits)...)
		out = append(out, word("for_each", where, "", a.FanOut.ForEach, b.FanOut.ForEach, false)...)
		out = append(out, word("key", where, "", a.FanOut.Key, b.FanOut.Key, false)...)
	}
	out = append(out, word("deliver", where, "", a.Deliver, b.Deliver, b.Deliver != "")...)
	out = append(out, word("title", where, "", a.Title, b.Title, false)...)
	out = append(out, word("brief", where, "", a.Brief, b.Brief, false)...)
	out = append(out, word("when", where, "", a.When, b.When, false)...)
	out = append(out, word("workdir", where, "", a.Workdir, b.Workdir, false)...)
	out = append(out, sets("keep", where, a.Keep, b.Keep, true, false)...)
	out = append(out, sets("context", where, a.Context, b.Context, false, false)...)
	out = append(out, sets("output", where, outputWords(a), outputWords(b), false, false)...)
	return append(out, number("units", where, "", a.MaxUnits, b.MaxUnits, true, digits)...)
}

func outputWords(t *Ticket) []string {
	var out []string
	for _, o := range t.Outputs {
		out = append(out, o.Name+": "+o.Type.String())
	}
	return out
}

// edgesDiff names edges by addresses: IDs move when a ticket is added before them.
func edgesDiff(old, new *Plan) []Delta {
	a, b := edgesOf(old), edgesOf(new)
	var out []Delta
	both(a, b, func(s string) string { return s }, func(name string, x, y *string) {
		switch {
		case x == nil:
			out = append(out, Delta{Sign: "+", Kind: "edge", Name: name})
		case y == nil:
			out = append(out, Delta{Sign: "-", Kind: "edge", Name: name, Looser: true})
		}
	})
	return out
}

func edgesOf(p *Plan) []string {
	address := make(map[string]string, len(p.Tickets))
	for _, t := range p.Tickets {
		address[t.ID] = t.Address
	}
	out := make([]string, 0, len(p.Edges))
	for _, e := range p.Edges {
		how := "done"
		if e.Settled {
			how = "settled"
		} else if e.Optional {
			how = "done or skipped"
		}
		out = append(out, fmt.Sprintf("%s waits for %s (%s)", address[e.To], address[e.From], how))
	}
	slices.Sort(out)
	return out
}
