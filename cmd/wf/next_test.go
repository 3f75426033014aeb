package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// waiting is one ticket as `wf status --json` shows it.
type waiting struct {
	ID, Status, Command string
}

// TestTheNextCommandMovesTheTicket runs, for each ticket that waits for a
// person, the command that status prints, and sees the status change. Law 12
func TestTheNextCommandMovesTheTicket(t *testing.T) {
	w := newWorld(t, "relay")
	w.must(4, "apply", "relay", "--auto-approve")
	moved := map[string]bool{}
	for _, before := range w.waiting() {
		require.NotEmpty(t, before.Command, "%s is %s", before.ID, before.Status)
		line := strings.ReplaceAll(before.Command, "…", "blue")
		out, err := w.command("sh", "-c", line).CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		for _, after := range w.waiting() {
			require.NotEqual(t, before.ID, after.ID, "%s is still %s after %s", after.ID, after.Status, line)
		}
		moved[before.Status] = true
	}
	require.Equal(t, map[string]bool{"blocked": true, "held": true, "parked": true}, moved)
	w.must(0, "apply")
}

// waiting are the tickets that wait for a person.
func (w *world) waiting() []waiting {
	var status struct{ Tickets []waiting }
	require.NoError(w.t, json.Unmarshal([]byte(w.must(0, "status", "--json")), &status))
	var out []waiting
	for _, s := range status.Tickets {
		switch s.Status {
		case "blocked", "held", "parked":
			if s.ID != "T-002" { // a template: its children wait themselves
				out = append(out, s)
			}
		}
	}
	return out
}
