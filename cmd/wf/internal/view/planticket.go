package view

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

// row writes one labelled line of a ticket.
func (s Style) row(w io.Writer, label, text string) {
	if text == "" {
		return
	}
	const indent = "                 " // label column
	fmt.Fprintf(w, "      %s %s\n", s.paint(dim, pad(label, 10)), wrap(text, s.columns()-len(indent), indent))
}

// plannedTickets writes every ticket; of a fan-out whose list is known, the first child
// in full and, of those that differ in nothing else, where each writes.
func (s Style) plannedTickets(w io.Writer, p *planner.Plan) {
	after := afterOf(p)
	first := map[string]*planner.Ticket{}
	for i := range p.Tickets {
		t := &p.Tickets[i]
		one := first[t.Name]
		if t.Key == "" || one == nil || !alike(one, t) || !slices.Equal(after[one.ID], after[t.ID]) {
			if one == nil {
				first[t.Name] = t
			}
			s.ticket(w, t, after[t.ID])
			continue
		}
		head := fmt.Sprintf("%s %s", t.ID, Text(t.Address))
		fmt.Fprintf(w, "  %s %s  %s\n", s.paint(green, "+"), s.paint(bold, head), s.paint(dim, wrap("as "+one.ID+"; scope "+scopeText(t), s.columns()-6-columns(head), "      ")))
		if i+1 == len(p.Tickets) || p.Tickets[i+1].Name != t.Name {
			fmt.Fprintln(w)
		}
	}
}

// alike reports whether two children of a fan-out differ in their entry and
// scope alone, as far as a reader is shown them.
func alike(a, b *planner.Ticket) bool {
	x, y := *a, *b
	for _, t := range []*planner.Ticket{&x, &y} {
		t.ID, t.Address, t.Key, t.Title, t.Brief, t.Scope, t.Narrow, t.Each, t.Matrix = "", "", "", "", "", nil, nil, planner.Ticket{}.Each, planner.Ticket{}.Matrix
	}
	return reflect.DeepEqual(x, y)
}

// afterOf says of every ticket what it waits for.
func afterOf(p *planner.Plan) map[string][]string {
	out := map[string][]string{}
	for _, e := range p.Edges {
		name := e.From
		switch {
		case e.Settled:
			name += " (settled)"
		case e.Optional:
			name += " (or skipped)"
		}
		out[e.To] = append(out[e.To], name)
	}
	return out
}

func (s Style) ticket(w io.Writer, t *planner.Ticket, after []string) {
	mark, sign := "+", green
	if t.FanOut != nil {
		mark, sign = "*", cyan
	}
	head := fmt.Sprintf("%s %s", t.ID, Text(t.Address))
	if t.FanOut != nil {
		head += fmt.Sprintf("  up to %d", t.FanOut.Max)
	}
	fmt.Fprintf(w, "  %s %s  %s\n", s.paint(sign, mark), s.paint(bold, head), s.paint(dim, fmt.Sprintf("at most %s", count(t.MaxUnits, "unit"))))
	if t.Skipped {
		s.row(w, "skipped", "its condition is false for these inputs")
	}
	if t.FanOut != nil {
		key := t.FanOut.Key
		if key == "" {
			key = "the value"
		}
		s.row(w, "each of", Text(t.FanOut.ForEach)+", keyed by "+Text(key))
	}
	s.row(w, "after", strings.Join(after, ", "))
	s.row(w, "when", Text(t.When))
	for _, x := range partsOf(t) {
		s.row(w, x.label, x.text)
	}
	for i, st := range t.Stages {
		label := ""
		if i == 0 {
			label = "stages"
		}
		s.row(w, orSpace(label), stageText(st))
	}
	s.row(w, "scope", scopeText(t))
	if len(t.MayChange) > 0 {
		s.row(w, "may change", s.paint(yellow, strings.Join(texts(t.MayChange), " "))+" although protected")
	}
	for i, g := range t.Gates {
		label := ""
		if i == 0 {
			label = "gates"
		}
		s.row(w, orSpace(label), gateText(g))
	}
	for i, a := range t.Acceptance {
		label := ""
		if i == 0 {
			label = "accepts"
		}
		s.row(w, orSpace(label), Text(a.What)+" ← "+Text(a.By))
	}
	s.row(w, "delivers", outputText(t.Outputs))
	if t.Hold {
		s.row(w, "held", "waits for an operator before its first unit")
	}
	s.around(w, t)
	if t.Deliver != "" {
		s.row(w, "deliver", Text(t.Deliver))
	}
	fmt.Fprintln(w)
}

// around shows what surrounds a ticket's units.
func (s Style) around(w io.Writer, t *planner.Ticket) {
	for _, v := range t.Services {
		s.row(w, "service", Text(v.Name)+": "+strings.Join(texts(v.Argv), " "))
	}
	s.row(w, "generated", strings.Join(texts(t.Generated), " "))
	s.row(w, "keeps", strings.Join(texts(t.Keep), " "))
}

func orSpace(label string) string {
	if label == "" {
		return " "
	}
	return label
}

func stageText(st planner.Stage) string {
	out := fmt.Sprintf("%s by %s", Text(st.Name), strings.Join(texts(st.Workers()), ", "))
	switch st.Writes {
	case "scope":
		out += ", writes its scope"
	case "globs":
		out += ", writes " + strings.Join(texts(st.WriteGlobs), " ")
	default:
		out += ", read-only"
	}
	if st.First != "" {
		out += "; after a refusal " + Text(st.First) + " diagnoses first"
	}
	if st.When != "" {
		out += "; when " + Text(st.When)
	}
	if len(st.Outputs) > 0 {
		out += "; owes " + strings.Join(texts(st.Outputs), ", ")
	}
	if st.ExpectFail {
		out += "; its gates must fail"
	}
	var routes []string
	for _, r := range st.Verdicts {
		routes = append(routes, Text(r.Verdict)+" → "+Text(r.To))
	}
	if len(routes) > 0 {
		out += "; " + strings.Join(routes, ", ")
	}
	return out
}

func scopeText(t *planner.Ticket) string {
	out := strings.Join(texts(t.Scope), " ")
	if len(t.Narrow) > 0 {
		out += ", narrowed to " + strings.Join(texts(t.Narrow), " ")
	}
	return out
}

func gateText(g planner.Gate) string {
	out := Text(g.Name) + ": "
	switch {
	case g.Check != "":
		if len(g.Argv) > 0 {
			out += words(g.Argv) + ", then "
		}
		out += "check " + g.Check
		for _, a := range g.Args {
			out += " " + Text(a.Name) + "=" + strings.Join(texts(a.Values), ",")
		}
	case g.Shell != "":
		lines := Lines(g.Script)
		out += Text(g.Shell) + " -c " + lines[0]
		if len(lines) > 1 {
			out += fmt.Sprintf(" … (%d lines)", len(lines))
		}
	default:
		out += words(g.Argv)
	}
	if g.MinTests > 0 {
		out += fmt.Sprintf(" (at least %s)", count(g.MinTests, "test"))
	}
	out += networkText(g.Network)
	if len(g.Proves) > 0 {
		out += " (proves: " + strings.Join(texts(g.Proves), " ") + " fail on the base)"
	}
	if g.Reused {
		out += " (its checkout is not new: weak evidence)"
	}
	if g.Workdir != "" {
		out += " (in " + Text(g.Workdir) + ")"
	}
	return out
}

func outputText(fields []planner.OutputField) string {
	var out []string
	for _, f := range fields {
		out = append(out, Text(f.Name)+" "+f.Type.String())
	}
	return strings.Join(out, ", ")
}

func texts(list []string) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = Text(t)
	}
	return out
}
