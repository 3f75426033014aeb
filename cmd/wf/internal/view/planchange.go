package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

// changes says what differs from the base or the last applied plan, what gained power first.
func (s Style) changes(w io.Writer, v PlanView) {
	c := v.Change
	if c == nil {
		return
	}
	against := older(v)
	if c.Empty() {
		fmt.Fprintf(w, "No change against %s.\n\n", against)
		return
	}
	fmt.Fprintf(w, "%s\n", s.paint(bold, wrap("Changed since "+against+" (+ new, ~ changed, - gone):", s.columns(), "")))
	loose := c.Looser()
	s.deltas(w, "more power, money or less checking", loose, yellow)
	for _, part := range []struct {
		name   string
		deltas []planner.Delta
	}{{"powers", c.Powers}, {"money", c.Money}, {"limits", c.Limits}, {"gates", c.Gates}, {"tickets", c.Tickets}, {"rest", c.Rest}} {
		s.deltas(w, part.name, slices.DeleteFunc(slices.Clone(part.deltas), func(d planner.Delta) bool { return slices.Contains(loose, d) }), "")
	}
	fmt.Fprintln(w)
}

// older names what a plan is compared with.
func older(v PlanView) string {
	switch {
	case strings.HasPrefix(v.Change.Against, "sha256:"):
		return "plan " + v.Change.Against[:min(len("sha256:")+12, len(v.Change.Against))]
	case v.Plan.Change != nil && v.Change.Against != "":
		return "commit " + shortHash(v.Change.Against)
	}
	return "the plan that was applied last"
}

func (s Style) deltas(w io.Writer, title string, ds []planner.Delta, colour string) {
	if len(ds) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s\n", s.paint(colour, title))
	for i, d := range ds {
		if i == mostDeltas && len(ds) > mostDeltas+1 {
			fmt.Fprintf(w, "    … and %d more; --json shows them all\n", len(ds)-i)
			break
		}
		name := strings.TrimSpace(Text(d.Where) + " " + Text(d.Kind) + " " + Text(d.Name))
		text := ""
		switch {
		case d.Sign == "~":
			old, new := apart(d.Old, d.New)
			text = ": " + value(old) + " → " + value(new)
		case d.New != "":
			text = ": " + value(d.New)
		case d.Old != "":
			text = ": " + value(d.Old)
		}
		sign := map[string]string{"+": green, "-": red, "~": yellow}[d.Sign]
		fmt.Fprintf(w, "    %s %s\n", s.paint(sign, d.Sign), wrap(name+text, s.columns()-6, "      "))
	}
}

// mostDeltas is the most differences of one kind that a terminal is shown.
const mostDeltas = 40

// apart cuts two long texts down to where they differ, with some words around it.
func apart(old, new string) (string, string) {
	const long, around = 160, 40
	a, b := []rune(old), []rune(new)
	if len(a) <= long && len(b) <= long {
		return old, new
	}
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	cut := func(r []rune) string {
		from, to := max(0, start-around), min(len(r), len(r)-end+around)
		out := string(r[from:to])
		if to-from > 2*long {
			out = string(r[from:from+2*long]) + "…"
		}
		if from > 0 {
			out = "…" + out
		}
		if to < len(r) {
			out += "…"
		}
		return out
	}
	return cut(a), cut(b)
}

// value shows one side of a difference; of a commit its beginning says enough.
func value(text string) string {
	if len(text) == 40 && strings.Trim(text, "0123456789abcdef") == "" {
		return shortHash(text)
	}
	return Text(text)
}

// changeSummary counts what a reviewer asks for first.
func changeSummary(c *planner.Change) string {
	added, gone := 0, 0
	changed := map[string]bool{}
	for _, d := range c.Tickets {
		switch {
		case d.Kind == "ticket" && d.Sign == "+":
			added++
		case d.Kind == "ticket" && d.Sign == "-":
			gone++
		case d.Where != "":
			changed[d.Where] = true
		}
	}
	looser := len(c.Looser())
	out := fmt.Sprintf("Tickets: %d new, %d changed, %d gone. ", added, len(changed), gone)
	if looser == 0 {
		return out + "Nothing gains power, costs more or is checked less."
	}
	return out + fmt.Sprintf("%s of more power, money or less checking, listed at the top.", count(looser, "change"))
}
