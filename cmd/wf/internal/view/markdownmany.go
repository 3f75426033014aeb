package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// ChangedView is one workflow of a pull request.
type ChangedView struct {
	Workflow, Path string
	Verdict        string         // denied, needs approval, allowed, cannot be planned, not judged, removed
	View           *PlanView      // nil where there is no plan
	Findings       diag.Findings  // beside the plan, or why there is none
	Exit           int            // what `wf plan` of it alone ends with
	Change         planner.Change // zero where there is no plan
}

// The verdicts, the gravest first.
var verdicts = []string{VerdictNotJudged, VerdictDenied, VerdictUnplannable, VerdictAsks, VerdictAllowed, VerdictRemoved}

// What becomes of a workflow of a pull request.
const (
	VerdictNotJudged   = "policies could not be evaluated"
	VerdictDenied      = "denied"
	VerdictUnplannable = "cannot be planned"
	VerdictAsks        = "needs approval"
	VerdictAllowed     = "allowed"
	VerdictRemoved     = "removed"
)

// ChangedMarker is what the one comment of a pull request begins with.
const ChangedMarker = "<!-- wf pull request -->"

// MarkdownChanged writes one comment about all workflows whose plan differs
// from a base: a table of verdicts, then each workflow, the gravest first, with
// an equal share of the room.
func MarkdownChanged(w io.Writer, base string, list []ChangedView) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b ChangedView) int {
		return slices.Index(verdicts, a.Verdict) - slices.Index(verdicts, b.Verdict)
	})
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n## wf plan: %s\n\n", ChangedMarker, changedTitle(base, list))
	if len(list) > 0 {
		rest := "`wf plan --changed --base " + shortHash(base) + "`"
		changedTable(list).write(&out, markdownLimit/3, rest)
	}
	for i, c := range list {
		if room := (markdownLimit - out.Len()) / (len(list) - i); room > leastRoom {
			c.markdown(&out, base, room)
		}
	}
	fmt.Fprint(w, out.String())
}

// leastRoom is what a workflow needs to say more than its row of the table.
const leastRoom = 1200

func changedTitle(base string, list []ChangedView) string {
	if len(list) == 0 {
		return "no workflow differs from " + code(shortHash(base))
	}
	verb := " differ from "
	if len(list) == 1 {
		verb = " differs from "
	}
	return count(len(list), "workflow") + verb + code(shortHash(base))
}

func changedTable(list []ChangedView) section {
	s := section{head: []string{"| workflow | verdict | more power, money or less checking | money at most |", "|---|---|--:|--:|"}}
	for _, c := range list {
		loose, money := "", ""
		if c.View != nil {
			loose, money = fmt.Sprint(len(gathered(&c.Change, func(d planner.Delta) bool { return d.Looser }))), planner.Money(c.View.Plan.Bounds.Cost.Value).String()
		}
		verdict := c.Verdict
		if c.Exit != 0 {
			verdict = "**" + verdict + "**"
		}
		s.lines = append(s.lines, fmt.Sprintf("| %s | %s | %s | %s |", cell(shortened(c.Workflow, markdownName)), verdict, loose, money))
	}
	return s
}

// markdown writes one workflow into room bytes.
func (c ChangedView) markdown(w *strings.Builder, base string, room int) {
	if c.Verdict == VerdictRemoved {
		return
	}
	end := w.Len() + room
	fmt.Fprintf(w, "### %s\n\n", code(shortened(c.Workflow, markdownName)))
	rest := "`wf validate`"
	sections := []section{{head: []string{"**" + capital(c.Verdict) + ".**", ""}, lines: findingLines(c.Findings), whole: true}}
	if c.View != nil {
		rest = code("wf plan " + words([]string{c.Workflow}) + " --base " + shortHash(base))
		sections = planSections(*c.View, c.Findings)
	}
	fill(w, sections, end-w.Len(), rest)
}

// ChangedJSON writes {"base", "exit", "workflows": […]}.
func ChangedJSON(w io.Writer, base string, exit int, list []ChangedView) error {
	type row struct {
		Workflow string          `json:"workflow"`
		Path     string          `json:"path"`
		Verdict  string          `json:"verdict"`
		Exit     int             `json:"exit"`
		Digest   string          `json:"digest,omitempty"`
		Change   *planner.Change `json:"change,omitempty"`
		Findings []jsonFinding   `json:"findings"`
	}
	rows := []row{}
	for _, c := range list {
		r := row{Workflow: c.Workflow, Path: c.Path, Verdict: c.Verdict, Exit: c.Exit, Findings: jsonFindings(c.Findings)}
		if c.View != nil {
			r.Digest, r.Change = c.View.Digest, &c.Change
		}
		rows = append(rows, r)
	}
	return JSON(w, struct {
		Base      string `json:"base"`
		Exit      int    `json:"exit"`
		Workflows []row  `json:"workflows"`
	}{base, exit, rows})
}

// Changed writes the verdict of each workflow for a terminal, and below each
// what gained power.
func (s Style) Changed(w io.Writer, base string, list []ChangedView) {
	fmt.Fprintf(w, "%s\n", s.paint(bold, strings.ReplaceAll(changedTitle(base, list), "`", "")))
	for _, c := range list {
		sign := green
		if c.Exit != 0 {
			sign = red
		} else if c.Verdict == VerdictAsks {
			sign = yellow
		}
		fmt.Fprintf(w, "\n%s %s\n", s.paint(bold, Text(c.Workflow)), s.paint(sign, c.Verdict))
		if c.View == nil {
			s.each(w, c.Findings, nil)
			continue
		}
		s.rulings(w, red, "denied", c.View.Plan.Policy.Denials)
		s.rulings(w, yellow, "asks", c.View.Plan.Policy.Asks)
		s.deltas(w, "more power, money or less checking", c.Change.Looser(), yellow)
		fmt.Fprintf(w, "  %s\n", s.paint(dim, "all of it: wf plan "+words([]string{c.Workflow})+" --base "+shortHash(base)))
	}
}

func sortedOnce(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
