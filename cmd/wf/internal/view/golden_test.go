package view

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/report"
	"github.com/seed9cc7a46e/wf/planner"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "%s; go test -update writes it anew", file)
}

var painted = regexp.MustCompile("\x1b\\[[0-9;]*m")

const workflow = `wf: 1
name: ship
limits:
  budget: 20 USD
tickets:
  change:
    scope: ["src/**"]
`

var workflowFile = "workflows/ship.wf.yaml"

func samplePlan() *planner.Plan {
	return &planner.Plan{
		Workflow: planner.WorkflowRef{Name: "ship", Path: workflowFile, Description: "Add one feature to each package, with independent QA and a judge who has not seen how it was made."},
		Base:     planner.Base{Commit: "0356ee339ef91f0a3c4b5d6e7f8091a2b3c4d5e6"},
		Inputs:   []planner.Input{{Name: "goal", Value: expr.Of("Give every package its missing feature, and keep what is there as it is."), Origin: "flag", Untrusted: true}},
		Limits:   planner.Limits{Budget: 20 * planner.USD, Bounces: 2, Width: "large"},
		Roles: []planner.Role{
			{Name: "builder", Mode: "chat", Adapter: "claude", Model: "sonnet", Allow: []string{"Read", "Edit", "Write", "Bash(go test:*)"}, Network: []string{"model"}, Sandbox: "landlock", Budget: 3 * planner.USD},
			{Name: "judge", Mode: "review", Adapter: "replay", Network: []string{"none"}, Sandbox: "landlock", Budget: planner.USD},
		},
		Tickets: []planner.Ticket{
			{ID: "T-001", Address: "survey", MaxUnits: 4, Stages: []planner.Stage{{Name: "work", Role: "judge", Writes: "none"}}},
			{ID: "T-002", Address: `change[*]`, MaxUnits: 70, FanOut: &planner.FanOut{ForEach: "${{ tickets.survey.outputs.areas }}", Max: 5},
				Stages: []planner.Stage{
					{Name: "implement", Role: "builder", Writes: "scope", First: "doctor"},
					{Name: "judge", Role: "judge", Writes: "none", Verdicts: []planner.Route{{Verdict: "CONFIRMED", To: "done"}, {Verdict: "REJECTED", To: "implement"}}},
				},
				Scope: []string{"money/**", "slug/**", "stats/**"}, Narrow: []string{"${{ each.value.path }}/**"}, MayChange: []string{"go.mod"},
				Gates: []planner.Gate{{Name: "tests", Argv: []string{"go", "test", "-run", "Test A|B", "./..."}, MinTests: 6},
					{Name: "no-todo", Check: "added_lines_must_not_match", Args: []planner.GateArg{{Name: "pattern", Values: []string{"TODO|FIXME"}}}}},
				Acceptance: []planner.Acceptance{{What: "All tests pass and the new feature has one", By: "tests"}}, Hold: true, Deliver: "branch"},
		},
		Edges: []planner.Edge{{From: "T-001", To: "T-002"}},
		Effects: []planner.EffectUse{
			{Effect: "network.egress", Tier: "external", By: []string{"builder@change[*]", "T-002/gate/tests", "T-002/gate/build", "T-002/gate/vet"}, Partial: true},
			{Effect: "fs.write", Tier: "local", By: []string{"builder@change[*]"}},
		},
		Bounds: planner.Bounds{
			Tickets: planner.Bound{Value: 6, Kept: "enforced"}, Agents: planner.Bound{Value: 16, Kept: "enforced"}, Units: planner.Bound{Value: 74, Kept: "enforced"},
			UnitsLeast: 4, AtOnce: planner.Bound{Value: 4, Kept: "enforced"}, Cost: planner.Bound{Value: int64(20 * planner.USD), Kept: "metered"},
			CostNoBounce: 8 * planner.USD, CriticalUnits: 5, CriticalPath: []string{"T-001", "T-002"}, Seconds: planner.Bound{Value: 5400, Kept: "enforced"},
		},
		Notices: []planner.Notice{{Code: "WF426", Level: "note", Message: "20.00 USD pays for 28 of 74 units in the worst case.", Line: 4}},
		Policy: planner.Judgement{
			Layers: []planner.Layer{{Name: "built-in", Rules: 23}, {Name: "project", Rules: 1}},
			Asks:   []planner.Ruling{{Layer: "project", Rule: "wf.team.ask", Msg: "egress needs a second pair of eyes", From: "security", Node: `change[*]`, File: "policies/team.rego", Line: 7}},
			Guards: make([]planner.Guard, 182),
		},
	}
}

func sampleFindings() diag.Findings {
	at := func(line, column, offset, n int) diag.Range {
		return diag.Range{File: workflowFile, Start: diag.Pos{Line: line, Column: column, Offset: offset}, End: diag.Pos{Line: line, Column: column + n, Offset: offset + n}}
	}
	return diag.Findings{
		{Code: "WF426", Severity: diag.Note, Summary: "the budget does not pay for the worst case", Detail: "20.00 USD pays for 28 of 74 units in the worst case.", Range: at(4, 11, strings.Index(workflow, "20 USD"), 6)},
		{Code: "WF521", Severity: diag.Warning, Summary: "a policy asks for an approval", Detail: "Egress needs a second pair of eyes. (wf.team.ask, project layer)", Range: diag.Range{File: workflowFile}},
	}
}

func sampleView() PlanView {
	return PlanView{Plan: samplePlan(), Digest: "sha256:" + strings.Repeat("c36b1ec0", 8), SavedAs: "ship.wfplan",
		Change: &planner.Change{
			Powers:  []planner.Delta{{Sign: "+", Kind: "effect", Where: "network.egress", Name: "builder@change[*]", Looser: true}},
			Money:   []planner.Delta{{Sign: "~", Kind: "limit", Name: "budget", Old: "10.00 USD", New: "20.00 USD", Looser: true}},
			Tickets: []planner.Delta{{Sign: "-", Kind: "ticket", Where: "docs"}},
			Rest:    []planner.Delta{{Sign: "~", Kind: "base", Old: strings.Repeat("ab12", 10), New: strings.Repeat("cd34", 10)}},
		},
		Findings: sampleFindings(), Sources: map[string][]byte{workflowFile: []byte(workflow)},
		Lacks: []string{"needs adapter claude: this version of wf plans for it and cannot start it yet; use agent: replay to rehearse the workflow"},
	}
}

func sampleStatus() StatusView {
	return StatusView{
		Others: []string{"77e5de9a-2"}, Key: "--key ~/.ssh/id_ed25519", Drift: []string{"T-002.1: its worktree is gone; `wf apply` makes it again when it is needed"},
		Report: report.Report{Run: "c36b1ec0-1", Workflow: "ship", Units: report.Use{Used: 27, Bound: 78},
			Cost: report.Money{Spent: 4_810_000, Bound: 20 * planner.USD, Unknown: 1}, Alarms: []string{"a report came from nobody"},
			Counts: []report.Count{{Status: run.Blocks, N: 1}, {Status: run.Parks, N: 1}, {Status: run.Running, N: 1}, {Status: run.Done, N: 1}},
			Closed: true, Outputs: `{"report":"Four packages have their feature. Pop of package queue was refused twice by the judge and waits."}`,
			Tickets: []report.Ticket{
				{ID: "T-002.1", Address: `change["日本語"]`, Status: run.Blocks, Reason: "waits for an answer", Question: "Round half up, or half to even?\x1b[2J", Command: `wf answer Q-001 "…"`},
				{ID: "T-002.5", Address: `change["queue"]`, Status: run.Parks, Reason: "the judge refused it twice: a queue is first in, first out; Pop takes the newest order", Command: "wf unpark T-002.5", Bounces: 2, Bound: 2, Spent: 1_220_000, Branch: "wf/ship/c36b1ec0-1/T-002.5", Commits: 2, Head: "c5728ef9cb3e0a"},
				{ID: "T-002.2", Address: `change["slug"]`, Status: run.Running, Unit: "T-002.2/qa/1"},
				{ID: "T-001", Address: "survey", Status: run.Done, Spent: 120_000},
			},
		},
	}
}

// PLAN-09, RPT-09: what a person reads fits the terminal, and says the same
// with colour and without.
func TestGolden(t *testing.T) {
	renderings := map[string]func(Style, *bytes.Buffer){
		"plan":   func(s Style, b *bytes.Buffer) { s.Plan(b, sampleView()) },
		"status": func(s Style, b *bytes.Buffer) { s.Status(b, sampleStatus()) },
		"parked": func(s Style, b *bytes.Buffer) { s.Applied(b, AppliedView{Status: sampleStatus(), Exit: 8}) },
		"findings": func(s Style, b *bytes.Buffer) {
			s.Findings(b, sampleFindings(), map[string][]byte{workflowFile: []byte(workflow)})
		},
	}
	for _, name := range []string{"plan", "status", "parked", "findings"} {
		for _, width := range []int{60, 80, 120} {
			var plain, colour bytes.Buffer
			renderings[name](Style{Width: width}, &plain)
			renderings[name](Style{Width: width, Colour: true}, &colour)
			golden(t, fmt.Sprintf("%s-%d", name, width), plain.String())
			require.Equal(t, plain.String(), painted.ReplaceAllString(colour.String(), ""), "colour says nothing of its own")
			require.NotContains(t, plain.String(), "\x1b")
			for line := range strings.Lines(plain.String()) {
				if line = strings.TrimRight(line, "\n"); columns(line) > width {
					require.Regexp(t, `^(Digest sha256:|\s+(do: )?wf )`, line, "%s at %d: only what is copied may be wider", name, width)
				}
				require.Equal(t, strings.TrimRight(line, " "), line, "space at the end of a line")
			}
		}
	}
}

// Law 12: the command that is shown works as it is printed.
func TestCommandsAreWhole(t *testing.T) {
	v := sampleStatus()
	parked := v.Report.Tickets[1]
	require.Equal(t, "wf unpark T-002.5 --run c36b1ec0-1 --key ~/.ssh/id_ed25519", v.command(parked))
	v.Others, v.Key = nil, ""
	require.Equal(t, "wf unpark T-002.5", v.command(parked))
	parked.Status, parked.Command, v.Key = run.Running, "wf logs T-002.5", "--key FILE"
	require.Equal(t, "wf logs T-002.5", v.command(parked), "looking needs no signature")
}

// What a plan says stands in it once.
func TestPlanSaysThingsOnce(t *testing.T) {
	for name, v := range map[string]PlanView{"with files": sampleView(), "alone": {Plan: samplePlan()}} {
		var b bytes.Buffer
		Style{Width: 120}.Plan(&b, v)
		require.Equal(t, 1, strings.Count(b.String(), "28 of 74"), name)
		require.Equal(t, 1, strings.Count(strings.ToLower(b.String()), "second pair of eyes"), name)
	}
}
