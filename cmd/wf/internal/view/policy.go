package view

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/policies"
)

// PolicyRules writes the rules in force, a line each under its layer. counted
// says whether they were counted over a plan.
func (s Style) PolicyRules(w io.Writer, rules []policies.Rule, counted bool) {
	layer, width := "", 0
	for _, r := range rules {
		width = max(width, columns(r.Name))
	}
	for _, r := range rules {
		if l := layerName(r); l != layer {
			layer = l
			fmt.Fprintf(w, "%s\n", s.paint(bold, strings.ToUpper(layer[:1])+layer[1:]))
		}
		times := ""
		if counted {
			times = s.paint(countSign(r), pad(times4(r.Count), 5))
		}
		fmt.Fprintf(w, "  %s%s %s %s\n", times, pad(Text(r.Name), width), pad(r.Level, 6), Text(r.Title))
		fmt.Fprintf(w, "  %s%s\n", strings.Repeat(" ", columnsIf(counted, 5)), s.paint(dim, Text(strings.Join(notEmpty(r.File+":"+strconv.Itoa(r.Line), r.Code, asks(r.From)), ", "))))
	}
	if counted {
		fmt.Fprintf(w, "%s\n", s.paint(dim, "The number is how often a rule speaks in this plan; of guard, how many rules it gives to every unit."))
	}
}

func layerName(r policies.Rule) string {
	if r.Base {
		return r.Layer + " layer as the base commit has it"
	}
	return r.Layer + " layer"
}

func countSign(r policies.Rule) string {
	switch {
	case r.Count == 0 || r.Kind == "guard":
		return dim
	case r.Kind == "deny":
		return red
	}
	return yellow
}

func times4(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func columnsIf(on bool, n int) int {
	if on {
		return n
	}
	return 0
}

func notEmpty(list ...string) []string {
	var out []string
	for _, text := range list {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

func asks(group string) string {
	if group == "" {
		return ""
	}
	return "asks " + group
}

// PolicyChecked says that nothing was found.
func (s Style) PolicyChecked(w io.Writer, rules int, folders []string) {
	safe := make([]string, len(folders))
	for i, f := range folders {
		safe[i] = Text(f)
	}
	fmt.Fprintf(w, "%s %s in %s; none that can never hold\n", s.paint(green, "ok"), count(rules, "rule"), strings.Join(safe, ", "))
}

// PolicyExplanations tells rules one after the other.
func (s Style) PolicyExplanations(w io.Writer, list []policies.Explanation, planned bool) {
	for i, e := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		s.explanation(w, e, planned)
	}
}

func (s Style) explanation(w io.Writer, e policies.Explanation, planned bool) {
	about := strings.Join(notEmpty(e.Level, e.Kind, "of the "+layerName(e.Rule)), " ")
	fmt.Fprintf(w, "%s, %s\n", s.paint(bold, Text(e.Name)), about)
	if e.Title != "" {
		fmt.Fprintf(w, "  %s\n", wrap(strings.Join(notEmpty(Text(e.Title), Text(e.Description)), ": "), s.columns()-2, "  "))
	}
	fmt.Fprintf(w, "\n  %s %s:%d\n", s.paint(blue, "-->"), Text(e.File), e.Line)
	for i, line := range Lines(strings.ReplaceAll(e.Text, "\t", "    ")) {
		fmt.Fprintf(w, "  %s %s\n", s.paint(blue, fmt.Sprintf("%4d |", e.Line+i)), line)
	}
	fmt.Fprintln(w)
	if !planned {
		fmt.Fprintf(w, "  %s\n", s.paint(dim, "With --plan WORKFLOW it tells what the rule says there, and why."))
		return
	}
	s.said(w, e)
	if e.Count == 0 && len(e.Steps) > 0 {
		s.silence(w, e)
	}
}

func (s Style) said(w io.Writer, e policies.Explanation) {
	if e.Count == 0 {
		fmt.Fprintf(w, "  It says nothing about this plan.\n")
		return
	}
	fmt.Fprintf(w, "  It speaks %s in this plan:\n", count(e.Count, "time"))
	for _, x := range e.Said {
		fmt.Fprintf(w, "\n  %s %s\n", s.paint(yellow, "●"), wrap(strings.Join(notEmpty(Text(x.Guard), Text(x.Msg), Text(x.Node)), "; "), s.columns()-4, "    "))
		for _, p := range x.Parts {
			fmt.Fprintf(w, "      %s %s\n", s.paint(dim, fmt.Sprintf("line %d:", p.Line)), part(p))
		}
	}
	if more := e.Count - len(e.Said); more > 0 {
		fmt.Fprintf(w, "\n  and %d more\n", more)
	}
}

// silence tells in words where the rule stopped.
func (s Style) silence(w io.Writer, e policies.Explanation) {
	for _, step := range e.Steps {
		sign, how := green, fmt.Sprintf("held %d of %s", step.Held, count(step.Tried, "time"))
		switch {
		case step.Held > step.Tried:
			how = "found " + strconv.Itoa(step.Held)
		case step.Tried == 0:
			sign, how = dim, "was not reached"
		case step.Held == 0:
			sign, how = red, "never held, tried "+count(step.Tried, "time")
		}
		fmt.Fprintf(w, "    %s %s %s\n", s.paint(dim, fmt.Sprintf("line %d:", step.Line)), Text(step.Text), s.paint(sign, how))
		for _, p := range step.Missed {
			if step.Held == 0 {
				fmt.Fprintf(w, "      %s\n", part(p))
			}
		}
	}
}

func part(p policies.Part) string {
	if p.Value == "" {
		return Text(p.Path)
	}
	return Text(p.Path) + " is " + Text(p.Value)
}

// PolicyChange is a workflow under the policies of two sides.
type PolicyChange struct {
	Workflow, Before, After, Why string
	Gained, Lost                 []planner.Ruling
	Changed                      bool
}

// PolicyDiff writes the workflows about which the policies say something else.
func (s Style) PolicyDiff(w io.Writer, base string, list []PolicyChange) {
	same, unplanned := 0, 0
	for _, c := range list {
		switch {
		case c.Before == "":
			unplanned++
			fmt.Fprintf(w, "%s %s: %s\n", s.paint(yellow, "?"), s.paint(bold, Text(c.Workflow)), Text(c.Why))
		case !c.Changed:
			same++
		default:
			s.policyChange(w, c)
		}
	}
	fmt.Fprintf(w, "%s the policies of %s and of the working tree say the same about %s", s.paint(green, "="), Text(base), count(same, "workflow"))
	if unplanned > 0 {
		fmt.Fprintf(w, "; %s could not be planned", count(unplanned, "workflow"))
	}
	fmt.Fprintln(w)
}

func (s Style) policyChange(w io.Writer, c PolicyChange) {
	verdict := c.After
	if c.Before != c.After {
		verdict = c.Before + " → " + s.paint(verdictSign(c.After), c.After)
	}
	fmt.Fprintf(w, "%s %s: %s\n", s.paint(yellow, "~"), s.paint(bold, Text(c.Workflow)), verdict)
	if c.Why != "" {
		fmt.Fprintf(w, "    %s\n", wrap(Text(c.Why), s.columns()-4, "    "))
	}
	for _, r := range c.Gained {
		s.ruling(w, s.paint(red, "+"), r)
	}
	for _, r := range c.Lost {
		s.ruling(w, s.paint(green, "-"), r)
	}
}

func verdictSign(word string) string {
	if word == "allowed" {
		return green
	}
	return red
}

func (s Style) ruling(w io.Writer, sign string, r planner.Ruling) {
	fmt.Fprintf(w, "    %s %s\n      %s\n", sign, wrap(Text(r.Rule+": "+r.Msg), s.columns()-6, "      "), s.paint(dim, Text(strings.Join(notEmpty(r.Node, r.File+":"+strconv.Itoa(r.Line)), ", "))))
}
