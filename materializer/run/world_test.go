package run

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// world is an engine without a disk: it carries commands out in any order, loses
// what is in flight, and keeps a ledger of its own to hold the laws against.
type world struct {
	t       testing.TB
	rng     *rand.Rand
	plan    *planner.Plan
	s       *State
	journal [][]byte
	flight  map[string][]Event // what a command will answer, in order
	keys    []string           // of flight, in the order they came

	stubborn  bool // the gates of this world fail always in the same way
	questions int
	decisions int
	maxLive   int
	ended     map[UnitID]bool
	trees     map[string]string            // commit → tree
	gates     map[string]map[string]string // tree → gate → last outcome
	said      map[string]string            // ticket/stage/commit → verdict accepted
	cited     map[UnitID]bool
	refusals  map[string]int
	grants    map[string]int
	heads     map[string]string
}

func newWorld(t testing.TB, seed uint64) *world {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := &world{t: t, rng: rng, plan: randomPlan(rng), flight: map[string][]Event{}, ended: map[UnitID]bool{},
		trees: map[string]string{"base": "tree-base"}, gates: map[string]map[string]string{}, said: map[string]string{},
		cited: map[UnitID]bool{}, refusals: map[string]int{}, grants: map[string]int{}, heads: map[string]string{}}
	w.stubborn = w.chance(10)
	w.s = New(w.plan)
	w.fold(Started{Run: "1a2b3c4d-1", Plan: "sha256:1", Attempt: 1, Rules: Rules})
	return w
}

func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

// fold does what an engine does: it writes the line, reads it back, folds it.
func (w *world) fold(e Event) {
	line, err := Marshal(e)
	require.NoError(w.t, err)
	back, err := Unmarshal(line)
	require.NoError(w.t, err)
	w.before(back)
	require.NoError(w.t, Fold(w.s, back), "%s", line)
	w.journal = append(w.journal, line)
	w.laws()
}

// before holds an event against the ledger before the state sees it.
func (w *world) before(e Event) {
	switch e := e.(type) {
	case Ended:
		require.False(w.t, w.ended[e.Unit], "unit %s ended twice", e.Unit)
		w.ended[e.Unit] = true
		w.cited[e.Unit] = len(e.Observed.Cited) > 0
	case Gated:
		if e.Unit.Stage == "tests-first" {
			break // turned around: no green gate for anybody else
		}
		if w.gates[e.Tree] == nil {
			w.gates[e.Tree] = map[string]string{}
		}
		w.gates[e.Tree][e.Gate] = string(e.Outcome)
	case Accepted:
		w.said[e.Unit.Ticket+"/"+e.Unit.Stage+"/"+e.Commit] = e.Verdict
		if !w.cited[e.Unit] {
			w.said[e.Unit.Ticket+"/"+e.Unit.Stage+"/"+e.Commit] = ""
		}
	case Refused:
		w.refusals[e.Unit.Ticket]++
	case Reserved:
		require.False(w.t, w.ended[e.Unit], "unit %s starts again", e.Unit)
	case Finished:
		w.finished(e)
	case Moved:
		w.heads[e.Ticket] = e.Commit
	}
}

// finished: done only with green gates and backed rows on that very tree. Law 3
func (w *world) finished(e Finished) {
	p, ok := w.s.Planned(e.Ticket)
	require.True(w.t, ok)
	tree := w.trees[e.Commit]
	for _, g := range p.Gates {
		require.Equal(w.t, "pass", w.gates[tree][g.Name], "%s is done without gate %s", e.Ticket, g.Name)
	}
	require.Len(w.t, e.Rows, len(p.Acceptance))
	for i, row := range e.Rows {
		require.NotEmpty(w.t, row.Record, "row %d of %s is not backed", i, e.Ticket)
		if !slices.ContainsFunc(p.Gates, func(g planner.Gate) bool { return g.Name == row.By }) {
			require.NotEmpty(w.t, w.said[e.Ticket+"/"+row.By+"/"+e.Commit], "row %d of %s", i, e.Ticket)
		}
	}
	if p.Writes() {
		require.NotEqual(w.t, "tree-base", tree, "%s is done and holds nothing", e.Ticket)
	}
}

// laws hold after every event. BUD-01 BUD-06 STAGE-08
func (w *world) laws() {
	c := w.s.Totals()
	require.LessOrEqual(w.t, c.Units, w.plan.Limits.Units)
	require.LessOrEqual(w.t, c.Live, w.plan.Limits.Concurrency)
	require.LessOrEqual(w.t, c.Spent+c.Reserved, w.plan.Limits.Budget)
	require.GreaterOrEqual(w.t, c.Reserved, planner.Money(0))
	w.maxLive = max(w.maxLive, c.Live)
	for id, n := range w.refusals {
		require.LessOrEqual(w.t, n, max(1, w.plan.Limits.Bounces)+w.grants[id], "bounces of %s", id)
	}
}

// run drives the world until it closes and nobody decides anything more.
func (w *world) run() {
	for range 4000 {
		if w.chance(2) {
			w.crash()
		}
		over := w.decide()
		if over && !w.decideByPerson() {
			w.end()
			return
		}
		if len(w.keys) > 0 && w.chance(70) {
			w.complete()
		} else if w.chance(3) {
			w.decideByPerson()
		}
	}
	for _, line := range w.journal[max(len(w.journal)-12, 0):] {
		w.t.Logf("%s", line)
	}
	w.t.Fatalf("the run does not come to an end: %d events", len(w.journal))
}

// decide takes commands up. It reports whether the run closed or waits.
func (w *world) decide() bool {
	for {
		commands := Decide(w.s)
		require.Equal(w.t, commands, Decide(w.s), "deciding again gives something else")
		again := false
		for _, c := range commands {
			if r, ok := c.(Record); ok {
				w.fold(r.Event)
				if again = true; w.chance(50) {
					break // an engine may decide anew after the first
				}
				continue
			}
			if over, stop := w.take(c); stop {
				return over
			}
		}
		if !again {
			return w.s.Totals().Closed
		}
	}
}

func (w *world) take(c Command) (over, stop bool) {
	switch c := c.(type) {
	case Wait:
		require.NotEmpty(w.t, c.Reasons)
		return true, true
	case Close:
		w.fold(c.Event)
		return true, true
	}
	if _, under := w.flight[c.Key()]; !under {
		w.flight[c.Key()] = w.answer(c)
		w.keys = append(w.keys, c.Key())
	}
	return false, false
}

// complete lets one command in flight give its next event. Commands overtake each other.
func (w *world) complete() {
	i := w.rng.IntN(len(w.keys))
	key := w.keys[i]
	events := w.flight[key]
	if len(events) > 0 {
		w.fold(events[0])
		w.flight[key] = events[1:]
	}
	if len(w.flight[key]) == 0 {
		delete(w.flight, key)
		w.keys = slices.Delete(w.keys, i, i+1)
	}
}

// crash loses what is in flight. The state comes back from the journal, to the
// byte; a unit that ran is interrupted. Law 8
func (w *world) crash() {
	before, err := json.Marshal(w.s)
	require.NoError(w.t, err)
	w.s = w.replay()
	after, err := json.Marshal(w.s)
	require.NoError(w.t, err)
	require.Equal(w.t, string(before), string(after))
	w.flight, w.keys = map[string][]Event{}, nil
	if w.s.Totals().Closed {
		return
	}
	w.fold(Resumed{})
	for _, u := range Unended(w.s) {
		if len(u.Process) > 0 {
			w.fold(Ended{Unit: u.Unit, Outcome: Interrupted})
		}
	}
}

func (w *world) replay() *State {
	s := New(w.plan)
	for _, line := range w.journal {
		e, err := Unmarshal(line)
		require.NoError(w.t, err)
		require.NoError(w.t, Fold(s, e))
	}
	return s
}

// end: a saved state decides as the living one does, and everything is final,
// parked, or waits for a person or behind what does.
func (w *world) end() {
	raw, err := json.Marshal(w.s)
	require.NoError(w.t, err)
	restored, err := Restore(w.plan, raw)
	require.NoError(w.t, err)
	require.Equal(w.t, Decide(w.s), Decide(restored))
	again, err := json.Marshal(restored)
	require.NoError(w.t, err)
	require.Equal(w.t, string(raw), string(again))
	for t := range w.s.Tickets() {
		require.NotContains(w.t, []Status{Ready}, t.Status, t.ID)
		if t.Status == Waiting {
			require.NotEmpty(w.t, w.s.WaitsFor(t.ID))
		}
		if t.Status == Running {
			require.NotEmpty(w.t, t.Children, "%s runs, and nothing happens", t.ID)
		}
	}
}

// decideByPerson makes a random admissible decision, sometimes twice.
func (w *world) decideByPerson() bool {
	if w.decisions >= 12 {
		return false
	}
	var can []Decided
	for t := range w.s.Tickets() {
		for _, kind := range []string{Approve, Reject, Unpark, Retry, Raise, Cancel, ParkIt, ToShip} {
			can = append(can, Decided{Kind: kind, Ticket: t.ID, Amount: planner.USD, By: "op"})
		}
		for _, q := range t.Asked {
			can = append(can, Decided{Kind: Answer, Ticket: t.ID, Question: q.ID, Text: "yes"})
		}
	}
	w.rng.Shuffle(len(can), func(i, j int) { can[i], can[j] = can[j], can[i] })
	for _, d := range can {
		if rare := d.Kind == Cancel || d.Kind == ParkIt || d.Kind == Reject; rare && w.chance(90) {
			continue
		}
		if _, ok := Admissible(w.s, d); !ok {
			if !w.chance(2) {
				continue // folding what is refused is tried now and then
			}
			before, _ := json.Marshal(w.s)
			require.Error(w.t, Fold(w.s, d), "not admissible, and folded: %+v", d)
			after, _ := json.Marshal(w.s)
			require.Equal(w.t, string(before), string(after))
			continue
		}
		w.decisions++
		if d.Kind == Unpark || d.Kind == Retry || d.Kind == Raise {
			w.grants[d.Ticket]++
			if tk, _ := w.s.Ticket(d.Ticket); len(tk.Children) > 0 {
				for _, c := range tk.Children {
					w.grants[c]++
				}
			}
		}
		w.fold(d)
		if _, twice := Admissible(w.s, d); d.Kind == Answer && d.Question != "" {
			require.False(w.t, twice, "a question is answered twice")
		}
		return true
	}
	return false
}

// answer works out what a command will answer.
func (w *world) answer(c Command) []Event {
	switch c := c.(type) {
	case Branch:
		return w.branch(c)
	case StartUnit:
		return w.unit(c)
	case BuildCandidate:
		return w.build(c)
	case RunGate:
		return w.gate(c)
	case Advance:
		require.NotEmpty(w.t, c.Branch)
		require.Contains(w.t, w.trees, c.New)
		return []Event{Moved{Ticket: c.Ticket, Commit: c.New}}
	case Deliver:
		return []Event{Delivered{Ticket: c.Ticket, How: c.How, Ref: c.Branch, Commit: c.Commit}}
	}
	w.t.Fatalf("unknown command %T", c)
	return nil
}

func (w *world) branch(c Branch) []Event {
	if len(c.Upstream) > 1 && w.chance(20) {
		return []Event{Conflicted{Ticket: c.Ticket, With: c.Upstream[1].Ticket, Files: []string{"src/a.go"}}}
	}
	base, tree := c.Base, w.trees[c.Base]
	for _, up := range c.Upstream {
		require.Contains(w.t, w.trees, up.Commit)
		base, tree = base+"+"+up.Commit, tree+"+"+w.trees[up.Commit]
	}
	w.trees[base] = tree
	return []Event{Branched{Ticket: c.Ticket, Branch: c.Branch, Base: base, Tree: tree}}
}

// gate: the plan's gates only, on commits that exist. Law 1
func (w *world) gate(c RunGate) []Event {
	require.Contains(w.t, w.trees, c.Commit)
	p, _ := w.s.Planned(c.Unit.Ticket)
	require.True(w.t, slices.ContainsFunc(p.Gates, func(g planner.Gate) bool { return g.Name == c.Gate.Name }))
	outcome := Pass
	switch n := w.rng.IntN(100); {
	case n < 20, w.stubborn:
		outcome = Fail
	case n < 24:
		outcome = Broken
	}
	return []Event{Gated{Unit: c.Unit, Gate: c.Gate.Name, Record: c.Record, Outcome: outcome, Commit: c.Commit,
		Tree: w.trees[c.Commit], Exit: 1, Tests: -1, Summary: "FAIL TestX"}}
}

func (w *world) build(c BuildCandidate) []Event {
	in := Intended{Unit: c.Unit, Tree: w.treeOf(c), Parents: []string{c.Parent}, Date: "2026-01-01T00:00:00Z", Message: c.Message}
	if c.Intended != nil {
		in = *c.Intended
		commit := "commit-" + digest(in.Tree, in.Parents[0], in.Message)
		w.trees[commit] = in.Tree
		return []Event{Built{Unit: c.Unit, Commit: commit, Tree: in.Tree}}
	}
	return []Event{in}
}

func (w *world) treeOf(c BuildCandidate) string {
	require.NotEmpty(w.t, c.Paths)
	p, _ := w.s.Planned(c.Unit.Ticket)
	for _, path := range c.Paths {
		require.True(w.t, strings.HasPrefix(path, "src/"), "%s of %s is committed", path, p.ID)
	}
	return w.trees[c.Parent] + "," + c.Unit.String()
}

// unit lets an agent work: honest mostly, and in every way not.
func (w *world) unit(c StartUnit) []Event {
	require.Contains(w.t, w.trees, c.Commit)
	require.True(w.t, slices.ContainsFunc(w.plan.Roles, func(r planner.Role) bool { return r.Name == c.Role && c.Reserve <= r.Budget }))
	require.False(w.t, w.ended[c.Unit])
	e := Ended{Unit: c.Unit, Outcome: Exited, Cost: planner.Money(w.rng.Int64N(int64(c.Reserve) + 1)), CostKnown: !w.chance(10)}
	p, _ := w.s.Planned(c.Unit.Ticket)
	stage := p.Stages[slices.IndexFunc(p.Stages, func(s planner.Stage) bool { return s.Name == c.Unit.Stage })]
	w.submit(&e, stage, p)
	if len(c.Writes) > 0 && !w.chance(10) {
		e.Observed.Changes = []Change{{Path: "src/a.go", Kind: "modified"}}
	}
	w.misbehave(&e)
	if w.chance(5) {
		return []Event{e} // it ends before the launch was recorded
	}
	return []Event{Launched{Unit: c.Unit, Process: json.RawMessage(`{"pid":1}`), Commit: c.Commit}, e}
}

func (w *world) submit(e *Ended, stage planner.Stage, p *planner.Ticket) {
	sub := &Submission{Reason: "because", Evidence: []string{"src/a.go:1"}}
	e.Observed.Cited = []string{"src/a.go:1"}
	if len(stage.Verdicts) > 0 {
		i := 0
		if w.chance(35) {
			i = w.rng.IntN(len(stage.Verdicts))
		}
		sub.Verdict = stage.Verdicts[i].Verdict
	}
	if len(p.Outputs) > 0 {
		sub.Outputs = w.areas()
	}
	e.Submitted = sub
}

func (w *world) areas() expr.Value {
	var items []expr.Value
	for range w.rng.IntN(5) {
		name := fmt.Sprintf("a%d", w.rng.IntN(12))
		items = append(items, expr.OfMap([]expr.Entry{{Key: "name", Value: expr.Of(name)}, {Key: "path", Value: expr.Of("src/" + name)}}))
	}
	return expr.OfMap([]expr.Entry{{Key: "areas", Value: expr.OfList(items)}})
}

func (w *world) misbehave(e *Ended) {
	switch w.rng.IntN(60) {
	case 0:
		e.Outcome, e.Exit = Failed, 1
	case 1:
		e.Outcome = Stalled
	case 2:
		e.Outcome = VendorError
	case 3:
		e.Outcome = NotStarted
	case 4:
		e.Submitted = nil
	case 5:
		e.Submitted.Verdict = "LGTM"
	case 6:
		e.Observed.Changes = []Change{{Path: "etc/passwd", Kind: "modified"}}
	case 7:
		e.Observed.Changes = []Change{{Path: "src/a_test.go", Kind: "modified"}}
	case 8:
		e.Observed.Tampered = []string{".git/config"}
	case 9:
		e.Observed.TicketFile = []string{"another section"}
	case 10:
		e.Observed.Unguarded = []string{"Bash"}
	case 11:
		e.Observed.Cited = nil
	case 12:
		e.Submitted.Outputs = expr.Of(3)
	case 13:
		e.Outcome = TimedOut
	case 14, 15:
		w.questions++
		e.Asked = []Question{{ID: fmt.Sprintf("Q-%03d", w.questions), Text: "which?"}}
		if w.chance(50) {
			w.questions++
			e.Asked = append(e.Asked, Question{ID: fmt.Sprintf("Q-%03d", w.questions), Text: "and?"})
		}
	case 16:
		e.Blocked = "beyond my capability"
	}
}
