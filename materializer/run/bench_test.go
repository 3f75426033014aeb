package run

import (
	"fmt"
	"testing"

	"github.com/seed9cc7a46e/wf/planner"
)

// wide is n tickets of one stage, each waiting for the one ten before it.
func wide(n int) *planner.Plan {
	p := &planner.Plan{Workflow: planner.WorkflowRef{Name: "wide"}, Base: planner.Base{Commit: "base"},
		Limits: planner.Limits{Budget: planner.Money(n) * planner.USD, Units: 10 * n, Concurrency: 8, Bounces: 2, Retries: 1},
		Roles:  []planner.Role{{Name: "r", Budget: 1}}}
	for i := range n {
		p.Tickets = append(p.Tickets, planner.Ticket{ID: fmt.Sprintf("T-%06d", i), Name: fmt.Sprintf("t%d", i), Title: "t", Brief: "b",
			Budget: p.Limits.Budget, Stages: []planner.Stage{{Name: "s", Role: "r", Writes: "none"}}})
		if i >= 10 {
			p.Edges = append(p.Edges, planner.Edge{From: p.Tickets[i-10].ID, To: p.Tickets[i].ID, Why: "needs"})
		}
	}
	return p
}

// carry out a whole run, deciding after every event as an engine does.
func wholeRun(b testing.TB, p *planner.Plan) []Event {
	s := New(p)
	var journal []Event
	fold := func(e Event) {
		if err := Fold(s, e); err != nil {
			b.Fatal(err)
		}
		journal = append(journal, e)
	}
	fold(Started{Run: "1a2b3c4d-1", Rules: Rules})
	for {
		commands := Decide(s)
		if len(commands) == 0 {
			b.Fatal("nothing to do")
		}
		switch c := commands[0].(type) {
		case Record:
			fold(c.Event)
		case Branch:
			fold(Branched{Ticket: c.Ticket, Base: c.Base})
		case StartUnit:
			fold(Launched{Unit: c.Unit, Commit: c.Commit})
			fold(Ended{Unit: c.Unit, Outcome: Exited, CostKnown: true, Submitted: &Submission{}})
		case Close:
			return journal
		default:
			b.Fatalf("%T", c)
		}
	}
}

func BenchmarkDecideAfterOneEvent(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := New(wide(n))
			_ = Fold(s, Started{Run: "1a2b3c4d-1", Rules: Rules})
			for _, c := range Decide(s) {
				if r, ok := c.(Record); ok {
					_ = Fold(s, r.Event)
				}
			}
			Decide(s)
			b.ResetTimer()
			for i := range b.N {
				id := fmt.Sprintf("T-%06d", i%10)
				s.touch(s.byID[id])
				Decide(s)
			}
		})
	}
}

func BenchmarkFold(b *testing.B) {
	p := wide(10_000)
	journal := wholeRun(b, p)
	b.ResetTimer()
	n := 0
	for n < b.N {
		b.StopTimer()
		s := New(p)
		b.StartTimer()
		for _, e := range journal {
			if err := Fold(s, e); err != nil {
				b.Fatal(err)
			}
			if n++; n >= b.N {
				break
			}
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkWholeRun(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := wide(n)
			events := 0
			for range b.N {
				events += len(wholeRun(b, p))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	journal := wholeRun(b, wide(1000))
	lines := make([][]byte, len(journal))
	for i, e := range journal {
		lines[i], _ = Marshal(e)
	}
	b.ResetTimer()
	for i := range b.N {
		if _, err := Unmarshal(lines[i%len(lines)]); err != nil {
			b.Fatal(err)
		}
	}
}
