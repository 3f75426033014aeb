package report

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/planner"
)

// eight tickets of one stage; the second holds, the last waits for the third.
func eight() *planner.Plan {
	p := &planner.Plan{Workflow: planner.WorkflowRef{Name: "w"}, Base: planner.Base{Commit: "base"},
		Limits: planner.Limits{Budget: 40 * planner.USD, Units: 60, Concurrency: 8, Bounces: 1, Retries: 0},
		Roles:  []planner.Role{{Name: "r", Budget: planner.USD}}}
	for _, id := range []string{"T-001", "T-002", "T-003", "T-004", "T-005", "T-006", "T-007", "T-008"} {
		p.Tickets = append(p.Tickets, planner.Ticket{ID: id, Name: "n" + id, Title: "t", Budget: 40 * planner.USD, Hold: id == "T-002",
			Stages: []planner.Stage{{Name: "s", Role: "r", Writes: "none"}}})
	}
	p.Tickets[5].When = "${{ 1 > 2 }}"
	p.Edges = []planner.Edge{{From: "T-003", To: "T-008", Why: "needs"}}
	return p
}

// drive starts every unit and ends those that ends names.
func drive(t *testing.T, s *run.State, ends map[string]run.Ended) {
	for range 300 {
		moved := false
		for _, c := range run.Decide(s) {
			switch c := c.(type) {
			case run.Record:
				require.NoError(t, run.Fold(s, c.Event))
				moved = true
			case run.Branch:
				require.NoError(t, run.Fold(s, run.Branched{Ticket: c.Ticket, Branch: c.Branch, Base: c.Base}))
				moved = true
			case run.StartUnit:
				require.NoError(t, run.Fold(s, run.Launched{Unit: c.Unit, Process: json.RawMessage(`{}`), Commit: c.Commit}))
				if e, ok := ends[c.Unit.Ticket]; ok {
					e.Unit = c.Unit
					require.NoError(t, run.Fold(s, e))
				}
				moved = true
			}
			if moved {
				break
			}
		}
		if !moved {
			return
		}
	}
}

func TestReport(t *testing.T) {
	s := run.New(eight())
	require.NoError(t, run.Fold(s, run.Started{Run: "1a2b3c4d-1", Plan: "sha256:x", Attempt: 1, Rules: run.Rules, Approval: "ssh", Authority: "alice"}))
	drive(t, s, map[string]run.Ended{
		"T-001": {Outcome: run.Exited, CostKnown: true, Cost: 5, Submitted: &run.Submission{Reason: "done"}},
		"T-003": {Outcome: run.Failed, Exit: 1},
		"T-004": {Outcome: run.Exited, CostKnown: true, Asked: []run.Question{{ID: "Q-001", Text: "which?"}}},
		"T-005": {Outcome: run.Exited, CostKnown: true, Blocked: "beyond me"},
	})
	require.NoError(t, run.Fold(s, run.Claimed{Unit: run.UnitID{Ticket: "T-007", Stage: "s", Round: 1, Try: 1}, Kind: "blocked", Text: "no permission"}))
	require.NoError(t, run.Fold(s, run.Alarm{Text: "a report from nobody"}))
	r := Of(s)

	type row struct{ id, status, command string }
	var rows []row
	for _, tk := range r.Tickets {
		rows = append(rows, row{tk.ID, string(tk.Status), tk.Command})
	}
	require.Equal(t, []row{ // RPT-09: blocked first, however recent its contact is
		{"T-004", "blocked", `wf answer Q-001 "…"`}, {"T-005", "blocked", `wf answer T-005 "…"`}, {"T-007", "running", "wf logs T-007"},
		{"T-002", "held", "wf approve T-002"}, {"T-003", "parked", "wf unpark T-003"},
		{"T-008", "waiting", ""}, {"T-001", "done", ""}, {"T-006", "skipped", ""},
	}, rows)
	require.Len(t, r.Next, 5)
	require.Equal(t, "T-003 (parked)", r.Tickets[5].Reason)
	for _, tk := range r.Tickets[:5] {
		require.NotEmpty(t, tk.Reason+tk.Says, tk.ID)
	}
	require.Equal(t, []string{"a report from nobody"}, r.Alarms)
	require.Equal(t, Use{Used: 5, Bound: 60, Live: 1}, r.Units)
	require.Equal(t, Money{Spent: planner.USD + 5, Reserved: planner.USD, Bound: 40 * planner.USD, Unknown: 1}, r.Cost)
	require.Equal(t, 4, r.Exit, "waiting beats parked")
	require.Len(t, r.Handoffs, 4)
	require.Equal(t, []Count{{run.Blocks, 2}, {run.Held, 1}, {run.Parks, 1}, {run.Running, 1}, {run.Waiting, 1}, {run.Done, 1}, {run.Skips, 1}}, r.Counts)
}

// Law 12: each command that a report shows is one that the rules admit.
func TestCommandsAreAdmissible(t *testing.T) {
	s := run.New(eight())
	require.NoError(t, run.Fold(s, run.Started{Run: "1a2b3c4d-1", Rules: run.Rules}))
	drive(t, s, map[string]run.Ended{
		"T-001": {Outcome: run.Exited, CostKnown: true, Submitted: &run.Submission{}}, "T-003": {Outcome: run.Failed, Exit: 1},
		"T-004": {Outcome: run.Exited, CostKnown: true, Asked: []run.Question{{ID: "Q-001", Text: "which?"}}},
		"T-005": {Outcome: run.Exited, CostKnown: true, Blocked: "beyond me"}, "T-007": {Outcome: run.Failed, Exit: 1},
	})
	for command, d := range map[string]run.Decided{
		`wf answer Q-001 "…"`: {Kind: run.Answer, Question: "Q-001"},
		`wf answer T-005 "…"`: {Kind: run.Answer, Ticket: "T-005"},
		"wf approve T-002":    {Kind: run.Approve, Ticket: "T-002"},
		"wf unpark T-003":     {Kind: run.Unpark, Ticket: "T-003"},
		"wf unpark T-007":     {Kind: run.Unpark, Ticket: "T-007"},
	} {
		require.Contains(t, Of(s).Next, command)
		require.NoError(t, run.Fold(s, d))
		require.NotContains(t, Of(s).Next, command)
	}
	require.Empty(t, Of(s).Next)
}
