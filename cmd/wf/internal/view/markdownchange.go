package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

// sameDelta is one difference at all the places that have it, so that a tool
// added to a role of two hundred agents is one line and not two hundred.
type sameDelta struct {
	planner.Delta
	group  string
	places []string
}

// group is one part of a difference.
type group struct {
	word string
	list []planner.Delta
}

// groups are the parts of a difference in the order a reviewer asks. Policies
// and operators stand with what checks a run, wherever the planner lists them.
func groups(c *planner.Change) []group {
	watches := func(d planner.Delta) bool { return d.Kind == "policy" || d.Kind == "operators" }
	others := func(d planner.Delta) bool { return !watches(d) }
	only := func(list []planner.Delta, drop func(planner.Delta) bool) []planner.Delta {
		return slices.DeleteFunc(slices.Clone(list), drop)
	}
	checks := slices.Concat(only(c.Powers, others), only(c.Rest, others), c.Gates)
	return []group{{"power", only(c.Powers, watches)}, {"money", c.Money}, {"check", checks}, {"limit", c.Limits}, {"ticket", c.Tickets}, {"other", only(c.Rest, watches)}}
}

// gathered joins equal differences, those that keep holds for. First the places
// of one name are joined, then the names of one place: an effect names its
// agents so.
func gathered(c *planner.Change, keep func(planner.Delta) bool) []sameDelta {
	var out []sameDelta
	index := map[[6]string]int{}
	for _, g := range groups(c) {
		for _, d := range g.list {
			if !keep(d) {
				continue
			}
			one := sameDelta{Delta: d, group: g.word, places: []string{d.Where}}
			if d.Kind == "effect" && d.Where != "" {
				one.Name, one.places = d.Where, []string{d.Name}
			}
			key := [6]string{g.word, d.Sign, d.Kind, one.Name, d.Old, d.New}
			if i, ok := index[key]; ok {
				out[i].places = append(out[i].places, one.places...)
				continue
			}
			index[key] = len(out)
			out = append(out, one)
		}
	}
	slices.SortStableFunc(out, func(a, b sameDelta) int { return reach(a) - reach(b) })
	return out
}

// reach puts new effects first, the farthest-reaching before all.
func reach(d sameDelta) int {
	if d.Kind != "effect" || d.Sign != "+" || d.group != "power" {
		return 3
	}
	return max(0, slices.Index([]string{"external", "shared", "local"}, d.New))
}

func (d sameDelta) markdown() string {
	word := map[string]string{"+": "new", "-": "gone", "~": "changed"}[d.Sign]
	text := fmt.Sprintf("- %s %s: %s", d.group, word, md(d.Kind))
	if d.Name != "" {
		text += " " + code(d.Name)
	}
	places := slices.DeleteFunc(d.places, func(p string) bool { return p == "" })
	if len(places) > 0 {
		var shown []string
		for _, p := range places[:min(3, len(places))] {
			shown = append(shown, code(p))
		}
		text += " of " + strings.Join(shown, ", ")
		if more := len(places) - len(shown); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	switch {
	case d.Old != "" && d.New != "":
		text += ", " + md(value(d.Old)) + " → " + md(value(d.New))
	case d.Old+d.New != "":
		text += ", " + md(value(d.Old+d.New))
	}
	return text
}

// markdownLoose is what a reviewer has to see first: what may do more, cost
// more, or is checked less than before.
func markdownLoose(v PlanView) []section {
	c := v.Change
	if c == nil {
		return []section{{head: []string{"Nothing to compare with: all of it is new."}}}
	}
	against := "the last applied plan"
	if v.Plan.Change != nil && c.Against != "" {
		against = code(shortHash(c.Against))
	}
	if c.Empty() {
		return []section{{head: []string{"No difference to " + against + "."}}}
	}
	loose := gathered(c, func(d planner.Delta) bool { return d.Looser })
	if len(loose) == 0 {
		return []section{{head: []string{"No more power, no more money and no less checking than " + against + "."}}}
	}
	s := section{head: []string{fmt.Sprintf("**More power, more money, or less checking** than %s:", against), ""}}
	for _, d := range loose {
		s.lines = append(s.lines, d.markdown())
	}
	return []section{s}
}

// markdownOther is the rest of a difference.
func markdownOther(c *planner.Change) section {
	var s section
	if c == nil {
		return s
	}
	for _, d := range gathered(c, func(d planner.Delta) bool { return !d.Looser }) {
		s.lines = append(s.lines, d.markdown())
	}
	if len(s.lines) > 0 {
		s.folded = "What else differs"
	}
	return s
}
