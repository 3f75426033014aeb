package policies

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// answer is one decision as the policy gave it, with the rule that gave it.
type answer struct {
	entry entry
	at    int // of the entry in its layer
	value ast.Value
}

// evaluate asks all entry points of the layer at once. What stopped it is a
// finding: a builtin that failed, a conflict, the deadline, the memory bound.
func (l *layer) evaluate(ctx context.Context, input ast.Value, memory uint64) ([]answer, diag.Findings) {
	if len(l.entries) == 0 {
		return nil, diag.Findings{l.speechless()}
	}
	result, err := l.ask(ctx, l.query, input, memory, nil)
	if err != nil {
		return nil, diag.Findings{l.stopped(err)}
	}
	return l.collect(result)
}

// ask evaluates a query for the value of its result variable. tracer may be nil.
func (l *layer) ask(ctx context.Context, body ast.Body, input ast.Value, memory uint64, tracer topdown.QueryTracer) (*ast.Term, error) {
	store := inmem.NewFromObjectWithOpts(l.data, inmem.OptRoundTripOnWrite(false), inmem.OptReturnASTValuesOnRead(true))
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Abort(ctx, txn)
	compiled, err := l.compiler.QueryCompiler().Compile(body)
	if err != nil {
		return nil, err
	}
	cancel := topdown.NewCancel()
	query := topdown.NewQuery(compiled).WithCompiler(l.compiler).WithStore(store).WithTransaction(txn).
		WithInput(ast.NewTerm(input)).WithCancel(cancel).WithStrictBuiltinErrors(true)
	if tracer != nil {
		query = query.WithQueryTracer(tracer)
	}
	watch := watchOver(ctx, cancel, memory)
	defer watch.stop()
	type outcome struct {
		results topdown.QueryResultSet
		err     error
	}
	got, over := within(watch.ended, func() outcome {
		results, err := query.Run(ctx)
		return outcome{results, err}
	})
	if why := watch.reason(ctx); why != nil && (over || got.err != nil) {
		return nil, why
	}
	if got.err != nil {
		return nil, got.err
	}
	if len(got.results) != 1 || got.results[0][resultVar] == nil {
		return nil, errors.New("the entry points gave no answer")
	}
	return got.results[0][resultVar], nil
}

func (l *layer) speechless() diag.Finding {
	return codeNoRule.At(diag.Range{File: l.place()}, fmt.Sprintf("The %s layer has %d rules and none of them is deny, warn, ask, guard or except.", l.name, l.rules),
		"Add an entry point, or do not name this layer.")
}

func (l *layer) collect(result *ast.Term) ([]answer, diag.Findings) {
	list, ok := result.Value.(*ast.Array)
	if !ok || list.Len() != len(l.entries) {
		return nil, diag.Findings{l.stopped(errors.New("the entry points gave an answer of unknown shape"))}
	}
	var out []answer
	for i, e := range l.entries {
		set, ok := list.Elem(i).Value.(ast.Set)
		if !ok {
			return nil, diag.Findings{l.stopped(fmt.Errorf("%s gave no set", e.name()))}
		}
		for _, t := range set.Slice() {
			out = append(out, answer{entry: e, at: i, value: t.Value})
		}
	}
	return out, nil
}

func (l *layer) stopped(err error) diag.Finding {
	r := diag.Range{File: l.place()}
	detail := err.Error()
	var te *topdown.Error
	if errors.As(err, &te) {
		detail = te.Message
		if te.Location != nil {
			r = rangeOf(te.Location)
		}
	}
	return codeEval.At(r, sentence(detail), "Guard the expression so that it is defined for every plan, or make it cheaper; what does not decide denies.")
}

// What ends an evaluation from outside.
var (
	errMemory   = errors.New("it used more memory than one layer may")
	errDeadline = errors.New("it ran past the deadline for all layers")
)

// within gives what f gives, or over when f goes on for longer than a moment
// after it was told to end: a builtin at work asks nobody whether it should
// stop. What it was asked for is then undecided, and the process ends soon.
func within[T any](ended <-chan struct{}, f func() T) (got T, over bool) {
	out := make(chan T, 1)
	go func() { out <- f() }()
	select {
	case got = <-out:
		return got, false
	case <-ended:
	}
	select {
	case got = <-out:
		return got, false
	case <-time.After(moment):
		return got, true
	}
}

const moment = 500 * time.Millisecond

// watcher cancels an evaluation that passes its deadline or its share of memory.
type watcher struct {
	done   chan struct{}
	ended  chan struct{} // closed when the evaluation was cancelled
	memory atomic.Bool
}

const sampleEvery = 5 * time.Millisecond

func watchOver(ctx context.Context, cancel topdown.Cancel, memory uint64) *watcher {
	w := &watcher{done: make(chan struct{}), ended: make(chan struct{})}
	// What is alive is known after each collection only; what was allocated
	// before the start may not have been counted yet, so all of it is let pass.
	limit := read(allObjects) + memory
	go func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			select {
			case <-w.done:
				return
			case <-ctx.Done():
				cancel.Cancel()
				close(w.ended)
				return
			case <-tick.C:
				if read(liveObjects) > limit {
					w.memory.Store(true)
					cancel.Cancel()
					close(w.ended)
					return
				}
			}
		}
	}()
	return w
}

func (w *watcher) stop() { close(w.done) }

// reason says why the evaluation was ended; nil where it was not.
func (w *watcher) reason(ctx context.Context) error {
	switch {
	case w.memory.Load():
		return errMemory
	case ctx.Err() != nil:
		return errDeadline
	}
	return nil
}

const (
	allObjects  = "/memory/classes/heap/objects:bytes"
	liveObjects = "/gc/heap/live:bytes"
)

func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
