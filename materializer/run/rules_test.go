package run

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// stagedPlan is one ticket: implement → qa → judge, with a debugger, gates and rows.
func stagedPlan() *planner.Plan {
	return &planner.Plan{
		Workflow: planner.WorkflowRef{Name: "ship"}, Base: planner.Base{Commit: "base"},
		Limits: planner.Limits{Budget: 40 * planner.USD, Units: 60, Concurrency: 4, Bounces: 2, Retries: 1},
		Roles: []planner.Role{{Name: "builder", Budget: 3 * planner.USD, Mode: "chat"}, {Name: "tester", Budget: planner.USD},
			{Name: "judge", Budget: planner.USD}, {Name: "debugger", Budget: planner.USD}},
		Protected: []string{"**/*_test.go", "go.mod", "**/CLAUDE.md"}, ProtectedExisting: []string{"**/*_test.go"},
		Tickets: []planner.Ticket{{
			ID: "T-001", Address: "change", Name: "change", Title: "Change it", Brief: "Make the change.", Scope: []string{"src/**", "test/**"},
			Budget: 40 * planner.USD, Acceptance: []planner.Acceptance{{What: "tests pass", By: "tests"}, {What: "it does it", By: "judge"}},
			Gates: []planner.Gate{{Name: "tests", Argv: []string{"go", "test", "./..."}}},
			Stages: []planner.Stage{
				{Name: "implement", Role: "builder", Mode: "chat", Writes: "scope", Gates: []string{"tests"}, First: "debugger", OutputsDue: true},
				{Name: "qa", Role: "tester", Mode: "review", Writes: "none", Verdicts: []planner.Route{{Verdict: "PASS", To: "next"}, {Verdict: "FAIL", To: "implement"}, {Verdict: "CANNOT_VERIFY", To: "park"}}},
				{Name: "judge", Role: "judge", Mode: "review", Writes: "none", Verdicts: []planner.Route{{Verdict: "CONFIRMED", To: "done"}, {Verdict: "REJECTED", To: "implement"}}},
			},
			Outputs: []planner.OutputField{{Name: "summary", Type: expr.Type{Kind: expr.String}}},
		}},
	}
}

// script drives a state by hand: Records fold at once, effects are answered by the test.
type script struct {
	*testing.T
	s       *State
	journal []Event
	units   []string // every unit started, in order
	gate    func(RunGate) GateOutcome
	built   int
}

func play(t *testing.T, plan *planner.Plan) *script {
	p := &script{T: t, s: New(plan), gate: func(RunGate) GateOutcome { return Pass }}
	p.fold(Started{Run: "1a2b3c4d-1", Rules: Rules})
	return p
}

func (p *script) fold(e Event) {
	require.NoError(p, Fold(p.s, e), "%+v", e)
	p.journal = append(p.journal, e)
}

// next does everything that is no unit, and gives the unit to be started; nil when there is none.
func (p *script) next() *StartUnit {
	for range 200 {
		commands := Decide(p.s)
		if len(commands) == 0 {
			return nil
		}
		switch c := commands[0].(type) {
		case Record:
			p.fold(c.Event)
		case Branch:
			p.fold(Branched{Ticket: c.Ticket, Branch: c.Branch, Base: c.Base, Tree: "tree0"})
		case BuildCandidate:
			p.build(c)
		case RunGate:
			p.fold(Gated{Unit: c.Unit, Gate: c.Gate.Name, Record: c.Record, Outcome: p.gate(c), Commit: c.Commit, Tree: c.Tree, Tests: 3})
		case Advance:
			p.fold(Moved{Ticket: c.Ticket, Commit: c.New})
		case StartUnit:
			p.units = append(p.units, c.Unit.String())
			p.fold(Launched{Unit: c.Unit, Process: json.RawMessage(`{}`), Commit: c.Commit})
			return &c
		default:
			return nil // Wait, Close
		}
	}
	p.Fatal("no end")
	return nil
}

func (p *script) build(c BuildCandidate) {
	if c.Intended == nil {
		p.built++
		p.fold(Intended{Unit: c.Unit, Tree: fmt.Sprintf("tree%d", p.built), Parents: []string{c.Parent}, Message: c.Message})
		return
	}
	p.fold(Built{Unit: c.Unit, Commit: "commit-" + c.Intended.Tree, Tree: c.Intended.Tree})
}

func (p *script) end(u *StartUnit, change func(*Ended)) {
	e := Ended{Unit: u.Unit, Outcome: Exited, CostKnown: true, Cost: planner.USD / 2, Submitted: &Submission{Reason: "because",
		Evidence: []string{"src/a.go:1"}, Outputs: expr.OfMap([]expr.Entry{{Key: "summary", Value: expr.Of("s")}})},
		Observed: Observed{Cited: []string{"src/a.go:1"}}}
	change(&e)
	p.fold(e)
}

func works(e *Ended) { e.Observed.Changes = []Change{{"src/a.go", "modified"}} }
func idles(e *Ended) {}
func says(v string) func(*Ended) {
	return func(e *Ended) { e.Submitted.Verdict = v }
}

// unit starts the next unit, which must be the named one, and ends it.
func (p *script) unit(name string, change func(*Ended)) {
	u := p.next()
	require.NotNil(p, u, "%s should start; the ticket is %+v", name, p.ticket())
	require.Equal(p, name, u.Unit.String())
	p.end(u, change)
}

func (p *script) ticket() Ticket {
	t, _ := p.s.Ticket("T-001")
	return t
}

func (p *script) over() Ticket {
	require.Nil(p, p.next())
	return p.ticket()
}

func TestTicketDone(t *testing.T) {
	p := play(t, stagedPlan())
	p.unit("T-001/implement/1", works)
	p.unit("T-001/qa/1", says("PASS"))
	p.unit("T-001/judge/1", says("CONFIRMED"))
	tk := p.over()
	require.Equal(t, Done, tk.Status)
	require.Equal(t, "commit-tree1", tk.Head)
	require.Equal(t, []Backed{{"tests pass", "tests", "T-001/implement/1/tests"}, {"it does it", "judge", "T-001/judge/1"}}, tk.Rows)
	require.Equal(t, []Command{Close{Closed{}}}, Decide(p.s))
}

// STAGE-07 STAGE-08 STAGE-09: qa FAIL and judge REJECTED share one counter; the
// second parks after exactly two implement rounds, the debugger before the second.
func TestBounceCounterSharedAndExact(t *testing.T) {
	p := play(t, stagedPlan())
	p.unit("T-001/implement/1", works)
	p.unit("T-001/qa/1", says("FAIL"))
	p.unit("T-001/implement.first/2", idles)
	p.unit("T-001/implement/2", works)
	p.unit("T-001/qa/2", says("PASS"))
	p.unit("T-001/judge/2", says("REJECTED"))
	tk := p.over()
	require.Equal(t, Parks, tk.Status)
	require.Equal(t, ParkBounces, tk.Code)
	require.Equal(t, 2, tk.Bounces)
	require.Equal(t, "because", tk.Reason)
	require.Equal(t, 8, Decide(p.s)[0].(Close).Event.Exit)

	p.fold(Closed{Exit: 8})
	require.Empty(t, Decide(p.s))
	p.fold(Decided{Kind: Unpark, Ticket: "T-001"}) // reopens, with one more round
	p.unit("T-001/implement.first/3", idles)
	p.unit("T-001/implement/3", works)
	p.unit("T-001/qa/3", says("FAIL"))
	require.Equal(t, Parks, p.over().Status)
}

// STAGE-10: a round that changed nothing goes on where the branch holds the work.
func TestEmptyRound(t *testing.T) {
	p := play(t, stagedPlan())
	p.unit("T-001/implement/1", idles)
	require.Contains(t, mustNext(p).Unit.String(), "implement.first/2")
	require.Equal(t, ContractClosing, p.ticket().Handoffs[0].Contract)

	p = play(t, stagedPlan())
	p.unit("T-001/implement/1", works)
	p.unit("T-001/qa/1", says("FAIL"))
	p.unit("T-001/implement.first/2", idles)
	p.unit("T-001/implement/2", idles)
	p.unit("T-001/qa/2", says("PASS"))
	p.unit("T-001/judge/2", says("CONFIRMED"))
	require.Equal(t, Done, p.over().Status)
}

func mustNext(p *script) *StartUnit {
	u := p.next()
	require.NotNil(p, u)
	return u
}

// UNIT-10: all contracts broken at once: scope is told; with each mended, the next.
func TestContractOrder(t *testing.T) {
	breaks := []struct {
		contract Contract
		breaks   func(*Ended)
	}{
		{ContractScope, func(e *Ended) { e.Observed.Changes = append(e.Observed.Changes, Change{"etc/x", "added"}) }},
		{ContractTicket, func(e *Ended) { e.Observed.TicketFile = []string{"a section was added"} }},
		{ContractTrace, func(e *Ended) { e.Observed.Unguarded = []string{"Bash"} }},
		{ContractGate, func(*Ended) {}},
		{ContractClosing, func(e *Ended) { e.Submitted = nil }},
	}
	for i := range breaks {
		p := play(t, stagedPlan())
		p.gate = func(RunGate) GateOutcome {
			if i <= 3 {
				return Fail
			}
			return Pass
		}
		p.unit("T-001/implement/1", func(e *Ended) {
			works(e)
			for _, b := range breaks[i:] {
				b.breaks(e)
			}
		})
		p.next()
		require.Equal(t, breaks[i].contract, p.ticket().Handoffs[0].Contract)
		require.Equal(t, 1, p.ticket().Bounces)
		require.Equal(t, "base", p.ticket().Head, "the branch moves only after all five")
	}
}

// What a unit may not change, and what it may. UNIT-15, EVID-08
func TestScope(t *testing.T) {
	for name, c := range map[string]struct {
		change Change
		ok     bool
	}{
		"in scope":                   {Change{"src/x/y.go", "added"}, true},
		"a new test":                 {Change{"src/new_test.go", "added"}, true},
		"an existing test":           {Change{"src/old_test.go", "modified"}, false},
		"a deleted test":             {Change{"src/old_test.go", "deleted"}, false},
		"outside":                    {Change{"docs/a.md", "added"}, false},
		"a manifest":                 {Change{"go.mod", "modified"}, false},
		"a new instruction file":     {Change{"src/CLAUDE.md", "added"}, false},
		"the path of another module": {Change{"vendor/src/a.go", "added"}, false},
	} {
		p := play(t, stagedPlan())
		p.unit("T-001/implement/1", func(e *Ended) { e.Observed.Changes = []Change{c.change} })
		u := mustNext(p)
		require.Equal(t, c.ok, u.Unit.Stage == "qa", name)
		if !c.ok {
			require.Equal(t, 0, p.built, "%s is committed", name)
		}
	}
}

func TestMayChangeLifts(t *testing.T) {
	plan := stagedPlan()
	plan.Tickets[0].MayChange = []string{"src/old_test.go"}
	p := play(t, plan)
	p.unit("T-001/implement/1", func(e *Ended) { e.Observed.Changes = []Change{{"src/old_test.go", "modified"}} })
	require.Equal(t, "qa", mustNext(p).Unit.Stage)
}

// Each way a round can go wrong, and what follows from it.
func TestWhatFollows(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(*Ended)
		gate   GateOutcome
		status Status
		code   string
		next   string
	}{
		"tampering parks at once":              {func(e *Ended) { works(e); e.Observed.Tampered = []string{".git"} }, Pass, Parks, ParkTampering, ""},
		"tampering and a crash parks":          {func(e *Ended) { e.Outcome = Failed; e.Observed.Tampered = []string{".git"} }, Pass, Parks, ParkTampering, ""},
		"a broken gate parks":                  {works, Broken, Parks, ParkGate, ""},
		"a failed gate goes back":              {works, Fail, Ready, "", "T-001/implement.first/2"},
		"exit 1 with a good submission reruns": {func(e *Ended) { works(e); e.Outcome = Failed; e.Exit = 1 }, Pass, Ready, "", "T-001/implement/1.2"},
		"interrupted reruns":                   {func(e *Ended) { e.Outcome = Interrupted }, Pass, Ready, "", "T-001/implement/1.2"},
		"a wrong output goes back":             {func(e *Ended) { works(e); e.Submitted.Outputs = expr.OfMap(nil) }, Pass, Ready, "", "T-001/implement.first/2"},
		"a link that leads out goes back":      {func(e *Ended) { works(e); e.Observed.Outside = []string{"src/l"} }, Pass, Ready, "", "T-001/implement.first/2"},
		"a question blocks":                    {func(e *Ended) { works(e); e.Asked = []Question{{"Q-001", "?"}} }, Pass, Blocks, "", ""},
		"blocked blocks":                       {func(e *Ended) { e.Blocked = "beyond me" }, Pass, Blocks, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, stagedPlan())
			p.gate = func(RunGate) GateOutcome { return c.gate }
			p.unit("T-001/implement/1", c.end)
			u := p.next()
			if c.next == "" {
				require.Nil(t, u)
				require.Equal(t, c.status, p.ticket().Status)
				require.Equal(t, c.code, p.ticket().Code)
				require.NotEmpty(t, p.ticket().Reason)
				return
			}
			require.Equal(t, c.next, u.Unit.String())
		})
	}
}

// UNIT-06 UNIT-07: a unit that prints "waiting" and exits 0 without a verdict fails.
func TestVerdictContract(t *testing.T) {
	for name, end := range map[string]func(*Ended){
		"no submission": func(e *Ended) { e.Submitted = nil },
		"no verdict":    func(e *Ended) { e.Submitted.Verdict = "" },
		"not its own":   func(e *Ended) { e.Submitted.Verdict = "LGTM" },
		"it wrote":      func(e *Ended) { e.Submitted.Verdict = "PASS"; works(e) },
		"unguarded":     func(e *Ended) { e.Submitted.Verdict = "PASS"; e.Observed.Unguarded = []string{"Bash"} },
	} {
		p := play(t, stagedPlan())
		p.unit("T-001/implement/1", works)
		p.unit("T-001/qa/1", end)
		u := mustNext(p)
		require.Equal(t, "T-001/qa/2", u.Unit.String(), name)
		require.Equal(t, 1, p.ticket().Bounces, name)
	}
	p := play(t, stagedPlan())
	p.unit("T-001/implement/1", works)
	p.unit("T-001/qa/1", says("PASS"))
	p.unit("T-001/judge/1", func(e *Ended) { e.Submitted.Verdict = "CONFIRMED"; e.Observed.Cited = nil })
	require.Equal(t, "T-001/judge/2", mustNext(p).Unit.String(), "an acceptance row needs evidence that exists")
}

func TestParkVerdictCarriesItsReason(t *testing.T) {
	p := play(t, stagedPlan())
	p.unit("T-001/implement/1", works)
	p.unit("T-001/qa/1", says("CANNOT_VERIFY"))
	tk := p.over()
	require.Equal(t, ParkVerdict, tk.Code)
	require.Equal(t, "qa: CANNOT_VERIFY: because", tk.Reason)
	p.fold(Decided{Kind: Retry, Ticket: "T-001", Stage: "implement"})
	require.Equal(t, "T-001/implement/2", mustNext(p).Unit.String())
}

// Law 7: the answer starts a continuation: same round, no retry used, a unit drawn.
func TestAnswerContinues(t *testing.T) {
	p := play(t, stagedPlan())
	p.unit("T-001/implement/1", func(e *Ended) { works(e); e.Asked = []Question{{"Q-001", "which?"}}; e.Submitted = nil })
	require.Nil(t, p.next())
	require.Equal(t, []Command{Wait{[]string{`wf answer Q-001 "…"`}}}, Decide(p.s))
	d := Decided{Kind: Answer, Question: "Q-001", Text: "the second"}
	p.fold(d)
	_, twice := Admissible(p.s, d)
	require.False(t, twice)
	require.Error(t, Fold(p.s, d))
	u := mustNext(p)
	require.Equal(t, "T-001/implement/1.2", u.Unit.String())
	require.Equal(t, "commit-tree1", u.Commit, "its work is not thrown away")
	require.Contains(t, Prompt(p.s, u.Unit), "the second")
	require.Equal(t, 0, p.ticket().Retries)
	p.end(u, idles)
	require.Equal(t, "qa", mustNext(p).Unit.Stage, "what it had done counts")
}

// A refused candidate is not on the branch; the next round goes on from it, and
// its commit holds both rounds' paths on the branch's head.
func TestWorkIsCarried(t *testing.T) {
	p := play(t, stagedPlan())
	p.gate = func(RunGate) GateOutcome { return Fail }
	p.unit("T-001/implement/1", works)
	p.unit("T-001/implement.first/2", idles)
	u := mustNext(p)
	require.Equal(t, "commit-tree1", u.Commit)
	p.gate = func(RunGate) GateOutcome { return Pass }
	p.end(u, func(e *Ended) { e.Observed.Changes = []Change{{"src/b.go", "added"}} })
	c := Decide(p.s)[0].(BuildCandidate)
	require.Equal(t, "base", c.Parent)
	require.Equal(t, []string{"src/a.go", "src/b.go"}, c.Paths)
	require.Equal(t, "qa", mustNext(p).Unit.Stage)
}

func TestRetriesEndInParking(t *testing.T) {
	p := play(t, stagedPlan())
	crash := func(e *Ended) { e.Outcome = VendorError; e.CostKnown = false }
	p.unit("T-001/implement/1", crash)
	p.unit("T-001/implement/1.2", crash)
	tk := p.over()
	require.Equal(t, ParkCrash, tk.Code)
	require.Equal(t, 0, tk.Bounces)
	require.Equal(t, 6*planner.USD, tk.Spent, "a cost that is not known is the whole reserve")
}

func TestSameFailureThriceParks(t *testing.T) {
	plan := stagedPlan()
	plan.Limits.Bounces = 9
	p := play(t, plan)
	p.gate = func(RunGate) GateOutcome { return Fail }
	p.unit("T-001/implement/1", works)
	p.unit("T-001/implement.first/2", idles)
	p.unit("T-001/implement/2", works)
	p.unit("T-001/implement.first/3", idles)
	p.unit("T-001/implement/3", works)
	require.Equal(t, ParkSignature, p.over().Code)
}

// BUD-01: a reserve that does not fit parks with the sum that is missing.
func TestBudgetParksWithTheSum(t *testing.T) {
	plan := stagedPlan()
	plan.Tickets[0].Budget = 4 * planner.USD
	p := play(t, plan)
	p.unit("T-001/implement/1", func(e *Ended) { works(e); e.Cost = 3 * planner.USD })
	p.unit("T-001/qa/1", func(e *Ended) { e.Submitted.Verdict = "PASS"; e.Cost = planner.USD })
	tk := p.over()
	require.Equal(t, ParkBudget, tk.Code)
	require.True(t, strings.HasPrefix(tk.Reason, "1.00 USD more is needed"), tk.Reason)
	why, ok := Admissible(p.s, Decided{Kind: Unpark, Ticket: "T-001"})
	require.False(t, ok)
	require.Contains(t, why, "new plan")
	p.fold(Decided{Kind: Raise, Ticket: "T-001", Amount: 2 * planner.USD})
	p.unit("T-001/judge/1", says("CONFIRMED"))
	require.Equal(t, Done, p.over().Status)
}

// A tests-first stage passes when its gate fails.
func TestExpectFail(t *testing.T) {
	plan := stagedPlan()
	first := planner.Stage{Name: "tests-first", Role: "builder", Writes: "globs", WriteGlobs: []string{"test/**"}, Gates: []string{"tests"}, ExpectFail: true}
	plan.Tickets[0].Stages = append([]planner.Stage{first}, plan.Tickets[0].Stages...)
	p := play(t, plan)
	ran := 0
	p.gate = func(c RunGate) GateOutcome { ran++; return Pass } // of the first, turned around by evidence
	p.unit("T-001/tests-first/1", func(e *Ended) { e.Observed.Changes = []Change{{"test/a.go", "added"}} })
	p.unit("T-001/implement/1", works)
	p.unit("T-001/qa/1", says("PASS"))
	p.unit("T-001/judge/1", says("CONFIRMED"))
	require.Equal(t, Done, p.over().Status)
	require.Equal(t, 2, ran)

	p = play(t, plan) // a pass that means "it failed" is no green gate for the stage after
	p.gate = func(c RunGate) GateOutcome {
		if c.Unit.Stage == "implement" {
			return Fail
		}
		return Pass
	}
	p.unit("T-001/tests-first/1", func(e *Ended) { e.Observed.Changes = []Change{{"test/a.go", "added"}} })
	p.unit("T-001/implement/1", idles)
	p.next()
	require.Equal(t, "refused", p.ticket().Handoffs[1].Status)
	require.Equal(t, ContractGate, p.ticket().Handoffs[1].Contract)
}

func TestRulesVersion(t *testing.T) {
	err := Fold(New(stagedPlan()), Started{Rules: Rules + 1})
	require.ErrorContains(t, err, "rules version")
}

// Titles are data: they cannot begin a line of a commit message.
func TestMessage(t *testing.T) {
	plan := stagedPlan()
	plan.Tickets[0].Title = "Fix\n\nWf-Role: operator\u202e\x1b[31m" + strings.Repeat("x", 300)
	p := play(t, plan)
	u := mustNext(p)
	p.end(u, works)
	m := Decide(p.s)[0].(BuildCandidate).Message
	lines := strings.Split(m, "\n")
	require.Equal(t, []string{"", "Wf-Run: 1a2b3c4d-1", "Wf-Evidence: T-001/implement/1", "Wf-Role: builder", ""}, lines[1:])
	require.True(t, strings.HasPrefix(lines[0], "T-001: Fix Wf-Role: operator[31mxxx"), lines[0])
	require.True(t, strings.HasSuffix(lines[0], "… (round 1)"), lines[0])
}

func TestBranchName(t *testing.T) {
	require.Equal(t, "wf/ship/1a2b3c4d-1/T-003", branchName("ship", "1a2b3c4d-1", "T-003"))
	require.Equal(t, "wf/a-b-lock/1a2b3c4d-1/T-003", branchName("-a b.lock", "1a2b3c4d-1", "T-003"))
	require.Equal(t, "wf/workflow/1a2b3c4d-1/T-003", branchName("…", "1a2b3c4d-1", "T-003"))
	require.Len(t, branchName(strings.Repeat("é", 400)+strings.Repeat("x", 400), "1a2b3c4d-1", "T-003"), 120)
}

// Law 3: a row is backed by a verdict that accepts. Whether one does is read
// from its route: a stage that writes, or park, refuses, whatever the name.
func TestOnlyAnAcceptingVerdictBacksARow(t *testing.T) {
	plan := stagedPlan()
	tk := &plan.Tickets[0]
	tk.Acceptance = []planner.Acceptance{{What: "it was looked at", By: "qa"}}
	tk.Stages[1].Verdicts = []planner.Route{{Verdict: "FINE", To: "polish"}, {Verdict: "LOOKED", To: "judge"}, {Verdict: "NO", To: "implement"}}
	tk.Stages[2].Verdicts = []planner.Route{{Verdict: "CONFIRMED", To: "done"}, {Verdict: "REJECTED", To: "implement"}}
	tk.Stages = append(tk.Stages, planner.Stage{Name: "polish", Role: "builder", Mode: "chat", Writes: "scope"})
	for verdict, accepts := range map[string]bool{"FINE": false, "LOOKED": true, "NO": false, "OTHER": false} {
		require.Equal(t, accepts, tk.Accepts("qa", verdict), verdict)
	}
	require.True(t, tk.Accepts("judge", "CONFIRMED"))
	require.False(t, tk.Accepts("nobody", "CONFIRMED"))

	p := play(t, plan)
	p.unit("T-001/implement/1", works)
	p.unit("T-001/qa/1", says("FINE"))
	p.unit("T-001/polish/1", idles) // the commit stays; the verdict about it refused
	require.Equal(t, "T-001/qa/2", mustNext(p).Unit.String())
	require.Contains(t, p.ticket().Handoffs[len(p.ticket().Handoffs)-1].Reason, "nothing from qa backs it")
}
