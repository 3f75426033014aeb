package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/planner"
)

// A run whose journal lost its end never gets more than its plan: at each cut, what
// is gone counts as used, with the whole reserve, and the last bounce is the last.
func TestWhatARepairTookAwayIsUsedUp(t *testing.T) {
	p := play(t, stagedPlan())
	p.unit("T-001/implement/1", works)
	p.unit("T-001/qa/1", says("PASS"))
	p.unit("T-001/judge/1", says("REJECTED"))
	p.unit("T-001/implement.first/2", idles)
	p.unit("T-001/implement/2", works)
	p.next()
	full := p.s.Totals()
	for cut := 1; cut <= len(p.journal); cut++ {
		s := New(stagedPlan())
		for _, e := range p.journal[:cut] {
			require.NoError(t, Fold(s, e))
		}
		e := Lost(s, p.journal[cut:], 0)
		require.NoError(t, Fold(s, e))
		got := s.Totals()
		require.Equal(t, full.Units, got.Units, "after %d events", cut)
		require.GreaterOrEqual(t, got.Spent+got.Reserved, full.Spent+full.Reserved)
		before, _ := p.s.Ticket("T-001")
		after, _ := s.Ticket("T-001")
		require.Equal(t, before.Bounces, after.Bounces)
	}
}

// What nobody can read counts at its most: the dearest session, and all but the last bounce.
func TestAnUnreadEventCountsAtItsMost(t *testing.T) {
	p := play(t, stagedPlan())
	e := Lost(p.s, nil, 3)
	require.Equal(t, 3, e.Units)
	require.Equal(t, 9*planner.USD, e.Charged, "the dearest role costs 3 USD")
	p.fold(e)
	p.unit("T-001/implement/1", works)
	p.unit("T-001/qa/1", says("FAIL"))
	p.next()
	require.Equal(t, Parks, p.ticket().Status, "the next refusal is the last")
}

// A repair can come before a fan-out is told anew: its children start with what they had used.
func TestChildrenThatTheJournalForgotKeepTheirBounces(t *testing.T) {
	plan := stagedPlan()
	s := New(plan)
	require.NoError(t, Fold(s, Started{Run: "1a2b3c4d-1", Rules: Rules}))
	e := Lost(s, []Event{Refused{Unit: UnitID{Ticket: "T-001.2"}, Bounces: 1}}, 0)
	require.Equal(t, []LostTicket{{Ticket: "T-001", Bounces: 1}}, e.Tickets)
	require.NoError(t, Fold(s, e))
	require.Equal(t, 1, s.child(s.byID["T-001"], 1).Bounces)
}
