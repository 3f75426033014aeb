// Package local carries a run out in this process: it does what run.Decide asks
// for, and writes what came of it to the journal.
//
// Enter with Run. One goroutine owns the state and the journal; workers do the
// slow things (git, units, gates) and send events back on one channel. No
// event is acted on before it is durable.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/agent"
	"github.com/seed9cc7a46e/wf/materializer/evidence"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/journal"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
	"github.com/seed9cc7a46e/wf/planner"
)

// Config is everything a run needs of its surroundings.
type Config struct {
	Plan    *planner.Plan
	State   *run.State // folded from Journal
	Journal *journal.Journal
	Repo    *worktree.Repo
	Run     string // run ID
	Trees   string // absolute folder of this run's worktrees and exchange folders
	Store   string // absolute folder of the run in the state: units/, evidence/
	Sockets string // absolute folder for guards' sockets where Trees has too long a path; "": there is none
	Host    evidence.Host
	Sandbox sandbox.Facts
	Env     []string                         // variables every unit gets; TempDir etc. are set per unit
	Lookup  func(name string) (string, bool) // values of variables a role names in env:
	Program []string                         // argv of the command adapter, from the user's configuration
	Self    string

	Elapsed   time.Duration // what earlier processes spent on this run
	Adapters  map[string]agent.Adapter
	Now       func() time.Time
	Hard      context.Context               // ends: everything stops at once
	Wake      <-chan struct{}               // a decision may be waiting
	Decisions func() ([]run.Decided, error) // takes waiting decisions, checked by the caller
	Watch     func(run.Event)               // told of each event after it is durable; may be nil
}

// Result is how Run left the run.
type Result struct {
	Exit    int      // 0, 4, 8, or 130
	Waiting []string // what is waited for, with exit 4
}

// Run drives the run until it is over, until nothing can move without a
// decision, or until ctx ends. The error means that wf could not do its job;
// the run stays open and another Run goes on with it.
func Run(ctx context.Context, c Config) (Result, error) {
	e := &engine{Config: c, results: make(chan result), flight: map[string]bool{}, records: map[string]evidence.Record{}}
	e.soft, e.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	defer e.cancel(nil)
	res, err := e.loop(ctx)
	e.cancel(errGone)
	e.drain()
	return res, errors.Join(err, e.failure)
}

var (
	errStopped = errors.New("stopped by the operator")
	errGone    = errors.New("the run's engine ends")
)

type engine struct {
	Config
	soft    context.Context // of workers; its cause says why they are to end
	cancel  context.CancelCauseFunc
	results chan result
	flight  map[string]bool // keys of commands under way
	records map[string]evidence.Record
	failure error // first error of a worker: nothing new is started
}

// result is what a worker sends: events, and whether it is done.
type result struct {
	key    string
	events []run.Event
	done   bool
	err    error
}

func (e *engine) loop(ctx context.Context) (Result, error) {
	if err := e.takeOver(ctx); err != nil {
		return Result{}, err
	}
	stopping := false
	var late bool
	limit := time.NewTimer(max(time.Duration(e.Plan.Limits.TimeoutSeconds)*time.Second-e.Elapsed, 0))
	defer limit.Stop()
	if e.Plan.Limits.TimeoutSeconds == 0 {
		limit.Stop()
	}
	for {
		over, err := e.step(stopping)
		if err != nil {
			return Result{}, err
		}
		if over != nil && len(e.flight) == 0 {
			return *over, e.leave(*over)
		}
		if len(e.flight) == 0 && late {
			why := fmt.Sprintf("the run has used its time, %s; what is left needs a new plan with a longer limits.timeout", time.Duration(e.Plan.Limits.TimeoutSeconds)*time.Second)
			return Result{Exit: 8, Waiting: []string{why}}, e.record(run.Stopped{Reason: "timeout", At: e.now()})
		}
		if len(e.flight) == 0 && (stopping || e.failure != nil) {
			return Result{Exit: 130}, e.record(run.Stopped{Reason: e.whyStopped(), At: e.now()})
		}
		done := ctx.Done()
		if stopping {
			done = nil
		}
		select {
		case r := <-e.results:
			if err := e.take(r); err != nil {
				return Result{}, err
			}
		case <-e.Wake:
			if err := e.decisions(); err != nil {
				return Result{}, err
			}
		case <-done:
			stopping = true
			e.cancel(errStopped)
		case <-limit.C:
			stopping, late = true, true
			e.cancel(errStopped)
		}
	}
}

func (e *engine) whyStopped() string {
	if e.failure != nil {
		return "failure"
	}
	return "operator"
}

// step does what the state calls for until it calls for nothing new. The
// result is not nil when the run is over or waits.
func (e *engine) step(stopping bool) (*Result, error) {
	for {
		var facts []run.Event
		var work []run.Command
		for _, c := range run.Decide(e.State) {
			switch c := c.(type) {
			case run.Record:
				if _, begins := c.Event.(run.Reserved); begins && (stopping || e.failure != nil) {
					continue // it would not be started, and look as if it ran
				}
				facts = append(facts, c.Event)
			case run.Wait:
				return &Result{Exit: 4, Waiting: c.Reasons}, nil
			case run.Close:
				if len(e.flight) > 0 {
					continue
				}
				c.Event.At = e.now()
				return &Result{Exit: c.Event.Exit}, e.record(c.Event)
			default:
				work = append(work, c)
			}
		}
		if len(facts) > 0 {
			// What follows from the state alone goes into the journal together;
			// then the state is another one.
			if err := e.record(facts...); err != nil {
				return nil, err
			}
			continue
		}
		if stopping || e.failure != nil {
			return nil, nil
		}
		if len(work)+len(e.flight) == 0 {
			return e.nothing()
		}
		for _, c := range work {
			e.start(c)
		}
		return nil, nil
	}
}

// nothing is to be done and nothing is under way: a run that is over is left as
// it ended. In any other one waiting would have no end.
func (e *engine) nothing() (*Result, error) {
	if t := e.State.Totals(); t.Closed {
		return &Result{Exit: t.Exit}, nil
	}
	return nil, errors.New("the run is open and its rules ask for nothing")
}

func (e *engine) leave(r Result) error {
	if r.Exit == 4 {
		return e.record(run.Stopped{Reason: "waiting", At: e.now()})
	}
	return nil
}

// start hands a command to a worker.
func (e *engine) start(c run.Command) {
	key := c.Key()
	if e.flight[key] {
		return
	}
	work, err := e.work(c)
	if err != nil {
		e.fail(err)
		return
	}
	e.flight[key] = true
	go func() {
		send := func(events ...run.Event) { e.results <- result{key: key, events: events} }
		events, err := work(e.soft, send)
		e.results <- result{key: key, events: events, done: true, err: err}
	}()
}

// worker does one command. It may send events while it works.
type worker func(ctx context.Context, send func(...run.Event)) ([]run.Event, error)

// work prepares a command in the owner's goroutine, where the state may be read.
func (e *engine) work(c run.Command) (worker, error) {
	switch c := c.(type) {
	case run.Branch:
		return e.branch(c), nil
	case run.StartUnit:
		return e.unit(c)
	case run.BuildCandidate:
		return e.candidate(c), nil
	case run.RunGate:
		return e.gate(c), nil
	case run.Advance:
		return e.advance(c), nil
	case run.Deliver:
		return e.deliver(c), nil
	}
	return nil, fmt.Errorf("the engine does not know the command %T", c)
}

func (e *engine) fail(err error) {
	if e.failure == nil {
		e.failure = err
		e.cancel(errStopped)
	}
}

func (e *engine) take(r result) error {
	if r.done {
		delete(e.flight, r.key)
	}
	if r.err != nil {
		e.fail(r.err)
	}
	return e.record(r.events...)
}

// drain waits for workers after a failure of the engine itself; what they
// report is lost, as in a crash, and done again by the next Run.
func (e *engine) drain() {
	for len(e.flight) > 0 {
		if r := <-e.results; r.done {
			delete(e.flight, r.key)
		}
	}
}

// record makes events durable before anything is done because of them. They are
// folded first: one that does not fit must not get into the journal, which would
// then never be read to its end again. When it cannot be written, the state that
// is ahead of it goes with the engine.
func (e *engine) record(events ...run.Event) error {
	if len(events) == 0 {
		return nil
	}
	lines := make([]json.RawMessage, 0, len(events))
	folded := make([]run.Event, 0, len(events))
	for _, ev := range events {
		line, err := run.Marshal(e.complete(ev))
		if err != nil {
			return fmt.Errorf("event %s: %w", ev.Type(), err)
		}
		// What is folded is what a later process will read.
		back, err := run.Unmarshal(line)
		if err != nil {
			return fmt.Errorf("event %s: %w", ev.Type(), err)
		}
		if err := run.Fold(e.State, back); err != nil {
			return fmt.Errorf("an event that does not fit was not written to the journal: %w", err)
		}
		lines, folded = append(lines, line), append(folded, back)
	}
	if err := e.Journal.Append(lines...); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if e.Watch != nil {
		for _, ev := range folded {
			e.Watch(ev)
		}
	}
	return nil
}

// complete adds what only the owner of the state and the journal knows.
func (e *engine) complete(ev run.Event) run.Event {
	switch ev := ev.(type) {
	case run.Intended:
		ev.Message += "Wf-Journal-Head: " + e.Journal.Head() + "\n"
		return ev
	case run.Ended:
		ev.Asked = slices.Clone(ev.Asked)
		for i := range ev.Asked {
			ev.Asked[i].ID = e.State.Question(i + 1)
		}
		return ev
	}
	return ev
}

func (e *engine) decisions() error {
	taken, err := e.Decisions()
	if err != nil {
		return fmt.Errorf("decisions: %w", err)
	}
	for _, d := range taken {
		if why, ok := run.Admissible(e.State, d); !ok {
			if err := e.record(run.Alarm{Text: fmt.Sprintf("decision %s %s by %s was not taken: %s", d.Kind, d.Ticket, d.By, why)}); err != nil {
				return err
			}
			continue
		}
		if err := e.record(d); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) now() string { return e.Now().UTC().Format(time.RFC3339) }
