package run

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// samples hold every event with every field set, so that a field that does not travel is seen.
func samples() []Event {
	u := UnitID{Ticket: "T-002.1", Stage: "implement", Purpose: PurposeFirst, Round: 2, Try: 3}
	v := expr.OfMap([]expr.Entry{{Key: "text", Value: expr.Of("a<b>&\u2028\n")}})
	return []Event{
		Started{Approved: "sha256:2", Run: "1a2b3c4d-1", Plan: "sha256:0", Attempt: 1, Rules: 1, Approval: "ssh", Authority: "a", Executor: "b", At: "2026-01-01T00:00:00Z"},
		HostFacts{Facts: []HostFact{{"sandbox", "landlock"}}},
		Resumed{Reaped: 2, At: "x"},
		Skipped{Ticket: "T-001", Reason: "r"},
		Expanded{Ticket: "T-002", Children: []Child{{ID: "T-002.1", Address: `c["a"]`, Key: "a", Value: v, Scope: []string{"src/**"}, Narrow: []string{"src/a/**"}}}},
		Opened{Ticket: "T-001", Brief: "b", Title: "t"},
		Branched{Ticket: "T-001", Branch: "wf/x", Base: "c", Merged: []string{"T-000"}, Tree: "t"},
		Conflicted{Ticket: "T-001", With: "T-000", Files: []string{"a b", "ü"}},
		Reserved{Unit: u, Role: "builder", Reserve: 2 * planner.USD},
		Launched{Unit: u, Process: json.RawMessage(`{"pid":1}`), Commit: "c", At: "x"},
		Ended{Unit: u, Outcome: Failed, Exit: 1, Signal: "SIGKILL", Detail: "d", Cost: 3, CostKnown: true, Tokens: 4,
			Submitted: &Submission{Verdict: "PASS", Reason: "r", Evidence: []string{"a:1"}, Outputs: v}, SubmitBad: "s",
			Observed: Observed{Changes: []Change{{"a", "added"}}, Tampered: []string{"t"}, Outside: []string{"o"}, TicketFile: []string{"f"},
				Uses: 1, Unguarded: []string{"u"}, Denied: []string{"d"}, Cited: []string{"c"}, Leftover: 1, Sections: []Section{{"Log", "l"}}},
			Asked: []Question{{"Q-001", "?"}}, Blocked: "b", Salvage: "refs/wf/salvage/x", At: "x"},
		Intended{Unit: u, Tree: "t", Parents: []string{"p"}, Date: "x", Message: "m\n"},
		Built{Unit: u, Commit: "c", Tree: "t"},
		Gated{Unit: u, Gate: "tests", Record: "T/i/1/tests", Outcome: Broken, Commit: "c", Tree: "t", Exit: 1, Tests: -1, Summary: "s", Digest: "d", Millis: 5, Sandbox: "none"},
		Accepted{Unit: u, Commit: "c", Verdict: "PASS", Reason: "r", To: "qa", Outputs: v},
		Refused{Unit: u, Contract: ContractGate, Verdict: "FAIL", Reason: "r", To: "implement", Bounces: 1, Signature: "s"},
		Rerun{Unit: u, Reason: "r", Free: true},
		Parked{Ticket: "T-001", Code: ParkBounces, Reason: "r", Stage: "s"},
		Blocked{Ticket: "T-001", Reason: "r", Question: Question{"Q-001", "?"}},
		Moved{Ticket: "T-001", Commit: "c"},
		Finished{Ticket: "T-001", Commit: "c", Outputs: v, Rows: []Backed{{"w", "b", "r"}}},
		Decided{Kind: Answer, Ticket: "T-001", Question: "Q-001", Text: "t", Stage: "s", Amount: 1, By: "b", How: "tty", Signature: "s", At: "x"},
		Claimed{Unit: u, Kind: "says", Text: "t"},
		Alarm{Text: "t"},
		Delivered{Ticket: "T-001", How: "branch", Ref: "r", Commit: "c"},
		Removed{Ticket: "T-001", What: "branch"},
		Stopped{Reason: "operator", At: "x"},
		Closed{Exit: 8, Problem: "p", Outputs: v, At: "x"},
		Repaired{Lines: 3, Unread: 1, Units: 2, Charged: 5, Tickets: []LostTicket{{Ticket: "T-001", Bounces: 1, Try: 2}}, Refs: []string{"refs/wf/salvage/x"}, Aside: "journal.jsonl.damaged-1", At: "x"},
	}
}

func TestEveryEventTravels(t *testing.T) {
	var names []string
	for _, e := range samples() {
		names = append(names, e.Type())
		requireFull(t, reflect.ValueOf(e), e.Type())
		line, err := Marshal(e)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(line), `{"type":"`+e.Type()+`",`), "%s", line)
		require.NotContains(t, string(line), "\n")
		back, err := Unmarshal(line)
		require.NoError(t, err)
		require.Equal(t, e, back)
		again, err := Marshal(back)
		require.NoError(t, err)
		require.Equal(t, string(line), string(again))
	}
	require.Equal(t, Types(), names, "each type once, in the order of its declaration")
}

// requireFull fails where a sample leaves a field empty that travels.
func requireFull(t *testing.T, v reflect.Value, path string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Tag.Get("json") == "-" || !f.IsExported() {
			continue
		}
		require.False(t, v.Field(i).IsZero(), "%s.%s is not tried", path, f.Name)
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"no JSON": `{"type":"started"`, "no type": `{"run":"x"}`, "unknown": `{"type":"approved"}`, "null type": `{"type":null}`,
		"list": `[]`, "wrong field": `{"type":"started","attempt":"one"}`, "number": `{"type":1}`, "empty": ``,
		"outputs twice": `{"type":"closed","outputs":{"a":1,"a":2}}`,
	} {
		_, err := Unmarshal([]byte(raw))
		require.Error(t, err, name)
	}
}

// An event written by a later version of wf has fields that this one passes over.
func TestUnmarshalPassesOverNewFields(t *testing.T) {
	e, err := Unmarshal([]byte(` { "new": {"x":[1]}, "type" : "moved", "ticket":"T-001","commit":"c"}`))
	require.NoError(t, err)
	require.Equal(t, Moved{Ticket: "T-001", Commit: "c"}, e)
}

func FuzzUnmarshal(f *testing.F) {
	for _, e := range samples() {
		line, err := Marshal(e)
		require.NoError(f, err)
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := Unmarshal(raw)
		if err != nil {
			return
		}
		line, err := Marshal(e)
		require.NoError(t, err)
		back, err := Unmarshal(line)
		require.NoError(t, err)
		again, err := Marshal(back)
		require.NoError(t, err)
		require.Equal(t, string(line), string(again))
	})
}

// FuzzFold feeds any sequence of readable events: none may panic or change the state on error.
func FuzzFold(f *testing.F) {
	var all []string
	for _, e := range samples() {
		line, err := Marshal(e)
		require.NoError(f, err)
		all = append(all, string(line))
	}
	f.Add(strings.Join(all, "\n"))
	f.Fuzz(func(t *testing.T, journal string) {
		s := New(stagedPlan())
		for line := range strings.SplitSeq(journal, "\n") {
			e, err := Unmarshal([]byte(line))
			if err != nil {
				continue
			}
			_ = Fold(s, e) // a refusal is as good: it must not panic
			Decide(s)
		}
	})
}

func TestUnitNames(t *testing.T) {
	for text, u := range map[string]UnitID{
		"T-003/implement/1":         {Ticket: "T-003", Stage: "implement", Round: 1, Try: 1},
		"T-003/implement/1.2":       {Ticket: "T-003", Stage: "implement", Round: 1, Try: 2},
		"T-002.1/implement.first/2": {Ticket: "T-002.1", Stage: "implement", Purpose: PurposeFirst, Round: 2, Try: 1},
	} {
		require.Equal(t, text, u.String())
		back, ok := ParseUnitID(text)
		require.True(t, ok)
		require.Equal(t, u, back)
	}
	for _, bad := range []string{"", "T-003", "T-003/implement", "T-003/implement/x", "T-003/implement/1.1", "T-003/implement/1.x", "a/b/c/1"} {
		_, ok := ParseUnitID(bad)
		require.False(t, ok, bad)
	}
}
