package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/planner"
)

// Every command comes back as it was, with its key: an engine may hand it to a
// worker in another process.
func TestCommandsSerialize(t *testing.T) {
	unit := UnitID{Ticket: "T-002.1", Stage: "implement", Round: 2, Try: 3}
	for _, c := range []Command{
		Record{Parked{Ticket: "T-001", Code: ParkBudget, Reason: "no money left"}},
		Record{Accepted{Unit: unit, Commit: "c", To: "qa"}},
		Branch{Ticket: "T-002.1", Branch: "wf/x/T-002.1", Base: "b", Upstream: []Upstream{{"T-001", "u"}}},
		StartUnit{Unit: unit, Role: "builder", Reserve: 2 * planner.USD, Commit: "c", Writes: []string{"a/**"}},
		BuildCandidate{Unit: unit, Parent: "p", Paths: []string{"a/x"}, Message: "m\n", Intended: &Intended{Unit: unit, Tree: "t", Parents: []string{"p"}, Date: "2026-01-02T03:04:05Z", Message: "m\n"}},
		RunGate{Unit: unit, Gate: planner.Gate{Name: "tests", Argv: []string{"go", "test"}, MinTests: 1, Network: []string{}}, Record: "T-002.1/implement/2/tests", Commit: "c", Tree: "t", Start: "s", Expect: "pass"},
		Advance{Ticket: "T-002.1", Branch: "wf/x", Old: "o", New: "n"},
		Deliver{Ticket: "T-002.1", How: "branch", Branch: "wf/x", Commit: "c"},
		Wait{Reasons: []string{"T-003 waits"}},
		Close{Closed{Exit: 8, At: "now"}},
	} {
		raw, err := MarshalCommand(c)
		require.NoError(t, err)
		back, err := UnmarshalCommand(raw)
		require.NoError(t, err, string(raw))
		require.Equal(t, c, back)
		require.Equal(t, c.Key(), back.Key())
	}
}

func TestUnknownCommandsAreRefused(t *testing.T) {
	for _, raw := range []string{
		``, `[]`, `{}`, `{"command":"merge","work":{}}`, `{"command":"advance"}`,
		`{"command":"advance","work":{"Ticket":"T-001","Force":true}}`, `{"command":"record","work":{"type":"nothing"}}`,
	} {
		_, err := UnmarshalCommand([]byte(raw))
		require.Error(t, err, raw)
	}
}
