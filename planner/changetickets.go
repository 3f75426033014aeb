package planner

import (
	"fmt"
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
		out = append(out, sequence("gate", where, "order", gateNames(a), gateNames(b))...)
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
	spoken := []string{"name", "minTests", "timeoutSeconds", "network", "workdir", "count"}
	if a.Command() != b.Command() {
		spoken = append(spoken, "argv", "shell", "script", "check") // one line says it; where the lines are equal, the parts may still differ
	}
	return append(out, others("gate", at, a, b, spoken...)...)
}

func gateNames(t *Ticket) (out []string) {
	for _, g := range t.Gates {
		out = append(out, g.Name)
	}
	return out
}

func stageNames(t *Ticket) (out []string) {
	for _, s := range t.Stages {
		out = append(out, s.Name)
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
	out = append(out, sequence("stage", where, "order", stageNames(a), stageNames(b))...)
	both(a.Stages, b.Stages, func(s Stage) string { return s.Name }, func(name string, x, y *Stage) {
		switch {
		case x == nil:
			out = append(out, Delta{Sign: "+", Kind: "stage", Where: where, Name: name, New: y.Role, Looser: y.Writes != "none"})
		case y == nil:
			out = append(out, Delta{Sign: "-", Kind: "stage", Where: where, Name: name, Old: x.Role, Looser: len(x.Verdicts) > 0})
		default:
			out = append(out, stageDiff(where+" "+name, x, y)...)
		}
	})
	return out
}

func stageDiff(at string, x, y *Stage) (out []Delta) {
	out = append(out, word("stage", at, "role", x.Role, y.Role, true)...)
	out = append(out, word("stage", at, "mode", x.Mode, y.Mode, y.Mode == "chat")...)
	out = append(out, word("stage", at, "writes", writesWord(x), writesWord(y), true)...)
	out = append(out, word("stage", at, "verdicts", routes(x), routes(y), true)...)
	out = append(out, word("stage", at, "on_bounce.first", x.First, y.First, false)...)
	out = append(out, sets("gate after the stage", at, x.Gates, y.Gates, false, true)...)
	out = append(out, sequence("gate after the stage", at, "order", x.Gates, y.Gates)...)
	if x.ExpectFail != y.ExpectFail {
		out = append(out, Delta{Sign: "~", Kind: "stage", Where: at, Name: "expect", Old: expects(x), New: expects(y), Looser: y.ExpectFail})
	}
	out = append(out, number("stage", at, "timeout", x.TimeoutSeconds, y.TimeoutSeconds, true, seconds)...)
	return append(out, others("stage", at, x, y, "name", "role", "mode", "writes", "writeGlobs", "verdicts", "first", "gates", "expectFail", "timeoutSeconds")...)
}

func expects(s *Stage) string {
	if s.ExpectFail {
		return "fail"
	}
	return "pass"
}

func writesWord(s *Stage) string {
	return strings.TrimSpace(s.Writes + " " + strings.Join(s.WriteGlobs, " "))
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
			out = append(out, Delta{Sign: "+", Kind: "ticket", Where: where, New: checks(b), Looser: b.Writes()})
		case b == nil:
			out = append(out, Delta{Sign: "-", Kind: "ticket", Where: where, Old: checks(a)})
		default:
			out = append(out, ticketDiff(where, a, b)...)
		}
	})
	return append(out, edgesDiff(old, new)...)
}

// checks is a ticket with what checks it, so that one that comes back under
// another name without its gates shows it.
func checks(t *Ticket) string {
	by := slices.Concat(gateNames(t))
	for _, s := range t.Stages {
		if len(s.Verdicts) > 0 {
			by = append(by, "stage "+s.Name)
		}
	}
	if len(by) == 0 {
		return t.Title + " (checked by nothing)"
	}
	return t.Title + " (checked by " + strings.Join(by, ", ") + ")"
}

func ticketDiff(where string, a, b *Ticket) (out []Delta) {
	out = append(out, sets("scope", where, a.Scope, b.Scope, true, false)...)
	out = append(out, sets("narrow", where, a.Narrow, b.Narrow, false, true)...)
	out = append(out, sets("may_change", where, a.MayChange, b.MayChange, true, false)...)
	out = append(out, sets("protect", where, a.Protect, b.Protect, false, true)...)
	if a.Skipped != b.Skipped {
		out = append(out, Delta{Sign: "~", Kind: "skipped", Where: where, Old: fmt.Sprint(a.Skipped), New: fmt.Sprint(b.Skipped), Looser: a.Skipped})
	}
	if a.FanOut != nil && b.FanOut != nil {
		out = append(out, types("each", where, "type", a.FanOut.Elem, b.FanOut.Elem)...)
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
	out = append(out, outputsDiff(where, a, b)...)
	out = append(out, number("units", where, "", a.MaxUnits, b.MaxUnits, true, digits)...)
	return append(out, others("ticket", where, a, b, "id", "address", "line", "column", "fanOut", "scope", "narrow", "mayChange", "protect", "deliver", "title",
		"brief", "when", "workdir", "context", "outputs", "maxUnits", "budget", "gates", "stages", "acceptance", "hold", "skipped")...)
}

func outputsDiff(where string, a, b *Ticket) (out []Delta) {
	both(a.Outputs, b.Outputs, func(o OutputField) string { return o.Name }, func(name string, x, y *OutputField) {
		switch {
		case x == nil:
			out = append(out, Delta{Sign: "+", Kind: "output", Where: where, Name: name, New: y.Type.String()})
		case y == nil:
			out = append(out, Delta{Sign: "-", Kind: "output", Where: where, Name: name, Old: x.Type.String()})
		default:
			out = append(out, types("output", where, name, x.Type, y.Type)...)
		}
	})
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
