package run

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// simulations is how many random runs `make test` drives; raise it for a long one.
const simulations = 800

// TestSimulation drives random plans with random agents, crashes between any two
// events and completions in any order, and holds the laws against each event.
// BUD-01 BUD-06 STAGE-07 STAGE-08 STAGE-11 UNIT-07 EVID-04
func TestSimulation(t *testing.T) {
	var seen census
	for seed := range uint64(simulations) {
		w := newWorld(t, seed)
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d", seed)
				}
			}()
			w.run()
		}()
		seen.count(w)
	}
	t.Logf("%+v", seen)
	seen.demand(t)
}

// census shows that the simulation reaches what it is meant to try.
type census struct {
	events, done, parked, skipped, blocked, children, crashes, full int
	codes                                                           map[string]int
}

func (c *census) count(w *world) {
	c.events += len(w.journal)
	if c.codes == nil {
		c.codes = map[string]int{}
	}
	if w.maxLive == w.plan.Limits.Concurrency {
		c.full++
	}
	for t := range w.s.Tickets() {
		switch t.Status {
		case Done:
			c.done++
		case Skips:
			c.skipped++
		case Parks:
			c.parked++
			c.codes[t.Code]++
		case Blocks:
			c.blocked++
		}
		c.children += len(t.Children)
		for _, h := range t.Handoffs {
			if h.Outcome == Interrupted {
				c.crashes++
			}
		}
	}
}

func (c *census) demand(t *testing.T) {
	for what, n := range map[string]int{"done": c.done, "parked": c.parked, "skipped": c.skipped, "blocked": c.blocked,
		"children": c.children, "crashes": c.crashes, "full": c.full} {
		if n == 0 {
			t.Errorf("no simulation reached: %s", what)
		}
	}
	for _, code := range []string{ParkBounces, ParkGate, ParkVerdict, ParkTampering, ParkBudget, ParkUnits, ParkConflict, ParkCrash, ParkEvaluation, ParkSignature} {
		if c.codes[code] == 0 {
			t.Errorf("no simulation parked with %s", code)
		}
	}
}

func randomPlan(rng *rand.Rand) *planner.Plan {
	p := &planner.Plan{Format: 1, Workflow: planner.WorkflowRef{Name: "sim"}, Base: planner.Base{Commit: "base"},
		Limits: planner.Limits{Budget: planner.Money(5+rng.Int64N(80)) * planner.USD, Units: 4 + rng.IntN(80), Concurrency: 1 + rng.IntN(4),
			Bounces: rng.IntN(6), Retries: rng.IntN(4)},
		Protected: []string{"**/*_test.go"}}
	for _, name := range []string{"builder", "tester", "judge", "debugger"} {
		p.Roles = append(p.Roles, planner.Role{Name: name, Budget: planner.Money(rng.Int64N(3)) * planner.USD})
	}
	for i := range 1 + rng.IntN(7) {
		p.Tickets = append(p.Tickets, randomTicket(rng, p, i))
		randomEdges(rng, p, i)
	}
	return p
}

func randomEdges(rng *rand.Rand, p *planner.Plan, i int) {
	for j := range i {
		if rng.IntN(3) == 0 {
			p.Edges = append(p.Edges, planner.Edge{From: p.Tickets[j].ID, To: p.Tickets[i].ID,
				Settled: rng.IntN(3) == 0, Optional: rng.IntN(3) == 0, Why: "needs"})
		}
	}
	if p.Tickets[i].FanOut != nil {
		p.Edges = append(p.Edges, planner.Edge{From: "T-001", To: p.Tickets[i].ID, Why: "reference"})
	}
}

func randomTicket(rng *rand.Rand, p *planner.Plan, i int) planner.Ticket {
	t := planner.Ticket{ID: fmt.Sprintf("T-%03d", i+1), Name: fmt.Sprintf("t%d", i), Title: "work", Brief: "do it",
		Scope: []string{"src/**"}, Budget: p.Limits.Budget, Hold: rng.IntN(8) == 0}
	t.Address = t.Name
	if rng.IntN(4) == 0 {
		t.Budget = planner.Money(1+rng.Int64N(5)) * planner.USD
	}
	if rng.IntN(6) == 0 {
		t.When = "${{ 1 > 2 }}"
	}
	if rng.IntN(4) == 0 {
		t.Deliver = "branch"
	}
	if i == 0 {
		area := expr.Type{Kind: expr.Record, Name: "area", Fields: []expr.Field{
			{Name: "name", Type: expr.Type{Kind: expr.Slug}}, {Name: "path", Type: expr.Type{Kind: expr.Path}}}}
		t.Stages = []planner.Stage{{Name: "work", Role: "tester", Writes: "none", OutputsDue: true}}
		t.Outputs = []planner.OutputField{{Name: "areas", Type: expr.ListOf(area)}}
		t.When = ""
		return t
	}
	randomStages(rng, &t)
	if rng.IntN(3) == 0 {
		elem := p.Tickets[0].Outputs[0].Type.Elem
		t.FanOut = &planner.FanOut{ForEach: "${{ tickets.t0.outputs.areas }}", Key: "${{ each.value.name }}", Max: 2 + rng.IntN(3), Elem: *elem}
		t.Brief = "Build ${{ each.value.name }}"
		if rng.IntN(2) == 0 {
			t.Narrow = []string{"${{ each.value.path }}/**", "src/*.go"}
		}
	}
	return t
}

func randomStages(rng *rand.Rand, t *planner.Ticket) {
	t.Gates = []planner.Gate{{Name: "tests", Argv: []string{"go", "test"}}, {Name: "vet", Argv: []string{"go", "vet"}}}[:rng.IntN(3)]
	var names []string
	for _, g := range t.Gates {
		names = append(names, g.Name)
		t.Acceptance = append(t.Acceptance, planner.Acceptance{What: g.Name + " pass", By: g.Name})
	}
	if rng.IntN(5) == 0 && len(names) > 0 {
		t.Stages = append(t.Stages, planner.Stage{Name: "tests-first", Role: "builder", Writes: "globs", WriteGlobs: []string{"src/**"},
			Gates: names[:1], ExpectFail: true})
	}
	st := planner.Stage{Name: "implement", Role: "builder", Writes: "scope", Gates: names}
	if rng.IntN(2) == 0 {
		st.First = "debugger"
	}
	if rng.IntN(5) == 0 {
		st.Gates = nil
	}
	t.Stages = append(t.Stages, st)
	if rng.IntN(2) == 0 {
		t.Stages = append(t.Stages, planner.Stage{Name: "qa", Role: "tester", Writes: "none", Verdicts: []planner.Route{
			{Verdict: "PASS", To: "next"}, {Verdict: "FAIL", To: "implement"}, {Verdict: "CANNOT_VERIFY", To: "park"}}})
	}
	if rng.IntN(2) == 0 {
		t.Stages = append(t.Stages, planner.Stage{Name: "judge", Role: "judge", Writes: "none", Verdicts: []planner.Route{
			{Verdict: "CONFIRMED", To: "done"}, {Verdict: "REJECTED", To: "implement"}}})
		t.Acceptance = append(t.Acceptance, planner.Acceptance{What: "it does what the brief says", By: "judge"})
	}
}
