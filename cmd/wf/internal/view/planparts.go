package view

import (
	"fmt"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

// ticketPart is one labelled line about a ticket that only some tickets have.
type ticketPart struct{ label, text string }

// partsOf lists them in the order of the language.
func partsOf(t *planner.Ticket) []ticketPart {
	var out []ticketPart
	add := func(label, text string) { out = append(out, ticketPart{label, text}) }
	if t.Kind != "" {
		add("kind", Text(t.Kind))
	}
	if t.Review != nil {
		add("review", reviewText(t.Review))
	}
	if t.Within != nil {
		add("within", withinText(t.Within))
	}
	if t.Base != "" {
		add("base", shortCommit(t.Base))
	}
	if c := t.Checkout; c != nil {
		add("checkout", checkoutText(c))
	}
	var helpers []string
	for _, h := range []ticketPart{{"blocked units ask", t.Escalate}, {"stalled units are read by", t.Inspector}, {"conflicts go to", t.OnConflict}} {
		if h.text != "" {
			helpers = append(helpers, h.label+" "+Text(h.text))
		}
	}
	if len(helpers) > 0 {
		add("helpers", strings.Join(helpers, "; "))
	}
	if n := t.Notify; n != nil {
		add("notify", words(n.Argv)+" on "+strings.Join(n.On, ", ")+networkText(n.Network))
	}
	return out
}

func shortCommit(commit string) string { return Text(commit[:min(12, len(commit))]) }

func reviewText(r *planner.Review) string {
	var gated, told []string
	for _, a := range r.Axes {
		if a.Gated {
			gated = append(gated, Text(a.Name))
		} else {
			told = append(told, Text(a.Name))
		}
	}
	out := fmt.Sprintf("at most %s", count(r.MaxFindings, "finding"))
	if r.Confirm != nil {
		out += "; " + r.Confirm.AtLeast + " and graver need another reviewer"
	}
	if len(gated) > 0 {
		out += "; tightened by " + strings.Join(gated, ", ")
	}
	if len(told) > 0 {
		out += "; told: " + strings.Join(told, ", ")
	}
	return out
}

func withinText(w *planner.Within) string {
	out := fmt.Sprintf("%s, %s, roles %s", count(w.Units, "unit"), w.Budget, strings.Join(texts(w.Roles), ", "))
	var names []string
	for _, p := range w.Pipelines {
		names = append(names, Text(p.Name))
	}
	if len(names) > 0 {
		out += ", pipelines " + strings.Join(names, ", ")
	}
	if len(w.Scope) > 0 {
		out += ", scope " + strings.Join(texts(w.Scope), " ")
	}
	if len(w.Effects) > 0 {
		out += ", effects " + strings.Join(texts(w.Effects), ", ")
	}
	return out
}

func checkoutText(c *planner.Checkout) string {
	out := shortCommit(c.Commit)
	if c.Submodules {
		out += ", with submodules"
	}
	if c.LFS {
		out += ", with LFS files"
	}
	if len(c.Sparse) > 0 {
		out += ", only " + strings.Join(texts(c.Sparse), " ")
	}
	return out
}

func networkText(network []string) string {
	if len(network) == 0 || network[0] == "none" {
		return ""
	}
	return " (network: " + strings.Join(texts(network), " ") + ")"
}
