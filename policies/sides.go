package policies

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Side is a condition that the tests saw only one way, or never: nothing would
// fail if it were left out or turned round.
type Side struct {
	Line int    `json:"line"`
	Text string `json:"text"` // first line of the condition, as the author wrote it
	Seen string `json:"seen"` // never, always true, always false
}

// sides is a tracer that notes for each expression whether it held and whether
// it did not. It sees an expression hold when its query goes on behind it.
type sides struct {
	held, failed map[*ast.Expr]bool
	last         map[uint64]*ast.Expr // by query
}

func newSides() *sides {
	return &sides{held: map[*ast.Expr]bool{}, failed: map[*ast.Expr]bool{}, last: map[uint64]*ast.Expr{}}
}

func (s *sides) Enabled() bool               { return true }
func (s *sides) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

func (s *sides) TraceEvent(e topdown.Event) {
	expr, isExpr := e.Node.(*ast.Expr)
	switch e.Op {
	case topdown.EvalOp:
		if before := s.last[e.QueryID]; isExpr && before != nil && before.Index < expr.Index {
			s.held[before] = true
		}
		if isExpr {
			s.last[e.QueryID] = expr
		}
	case topdown.ExitOp:
		if before := s.last[e.QueryID]; before != nil {
			s.held[before] = true
		}
	case topdown.FailOp:
		if isExpr {
			s.failed[expr] = true
		}
	}
}

// runSides evaluates every test once more, without the index and the early exit
// by which OPA leaves out what cannot matter to the result: here it matters.
func runSides(ctx context.Context, compiler *ast.Compiler, store storage.Store, txn storage.Transaction) (*sides, error) {
	seen := newSides()
	for _, file := range slices.Sorted(maps.Keys(compiler.Modules)) {
		m := compiler.Modules[file]
		asked := map[string]bool{}
		for _, r := range m.Rules {
			name := nameOf(r.Head.Ref()[0].Value)
			if !strings.HasPrefix(name, "test_") || asked[name] {
				continue
			}
			asked[name] = true
			if err := seen.ask(ctx, compiler, store, txn, append(slices.Clone(m.Package.Path), ast.StringTerm(name))); err != nil {
				return nil, err
			}
		}
	}
	return seen, nil
}

func (s *sides) ask(ctx context.Context, compiler *ast.Compiler, store storage.Store, txn storage.Transaction, test ast.Ref) error {
	ctx, stop := context.WithTimeout(ctx, oneTest)
	defer stop()
	cancel := topdown.NewCancel()
	defer context.AfterFunc(ctx, cancel.Cancel)()
	query, err := compiler.QueryCompiler().Compile(ast.NewBody(ast.NewExpr(ast.NewTerm(test))))
	if err != nil {
		return fmt.Errorf("asking the test %s: %w", test, err)
	}
	clear(s.last) // numbers of queries begin anew
	// What fails here failed in the runner, which says so.
	_, _ = topdown.NewQuery(query).WithCompiler(compiler).WithStore(store).WithTransaction(txn).WithCancel(cancel).
		WithIndexing(false).WithEarlyExit(false).WithQueryTracer(s).Run(ctx)
	return nil
}

// condition is one expression of a rule as its author wrote it.
type condition struct {
	row, col int
	text     string
	binds    bool // it names or iterates something, and cannot sensibly be false
}

// conditions lists what stands in the rule's bodies, by place.
func conditions(r *ast.Rule) []condition {
	var out []condition
	for at := r; at != nil; at = at.Else {
		ast.WalkExprs(at.Body, func(e *ast.Expr) bool {
			if e.Location == nil {
				return false
			}
			if t, ok := e.Terms.(*ast.Term); ok {
				if _, constant := t.Value.(ast.Boolean); constant {
					return false // the body of a rule without one
				}
			}
			text, _, _ := strings.Cut(string(e.Location.Text), "\n")
			_, some := e.Terms.(*ast.SomeDecl)
			if a, _, ok := operands(e, "eq"); ok {
				_, some = a.Value.(ast.Var)
			}
			out = append(out, condition{row: e.Location.Row, col: e.Location.Col, text: strings.TrimSpace(text), binds: some || e.IsAssignment()})
			return false
		})
	}
	slices.SortStableFunc(out, func(a, b condition) int { return cmp.Or(a.row-b.row, a.col-b.col) })
	return out
}

// compiledCondition is what the compiler made of one condition: the look-ups it put before
// it, and the condition itself at the end.
type compiledCondition struct {
	row, col int
	exprs    []*ast.Expr
}

// grouped parts a compiled body into the conditions its author wrote. What only
// the head needs stands behind the last one and is left out.
func grouped(body ast.Body) []compiledCondition {
	var out []compiledCondition
	var before []*ast.Expr
	for _, e := range body {
		before = append(before, e)
		if e.Generated || e.Location == nil {
			continue
		}
		out = append(out, compiledCondition{row: e.Location.Row, col: e.Location.Col, exprs: before})
		before = nil
	}
	return out
}

// exprPlace names a condition in a file.
type exprPlace struct {
	file     string
	row, col int
}

// places joins what was seen of the compiled expressions by place.
func (s *sides) places(compiler *ast.Compiler) map[exprPlace]Side {
	type both struct{ held, failed, seen bool }
	at := map[exprPlace]both{}
	for file, m := range compiler.Modules {
		ast.WalkBodies(m, func(body ast.Body) bool {
			for _, g := range grouped(body) {
				key := exprPlace{file, g.row, g.col}
				b, known := at[key]
				held := true
				for _, e := range g.exprs {
					held = held && s.held[e]
					b.failed = b.failed || s.failed[e]
					b.seen = b.seen || s.held[e] || s.failed[e]
				}
				b.held = held && (!known || b.held)
				at[key] = b
			}
			return false
		})
	}
	out := map[exprPlace]Side{}
	for key, b := range at {
		side := Side{}
		switch {
		case !b.seen:
			side.Seen = "never"
		case b.held && !b.failed:
			side.Seen = "always true"
		case !b.held:
			side.Seen = "always false"
		}
		out[key] = side
	}
	return out
}

// oneSided gives the conditions of a rule that the tests did not see both ways.
func oneSided(file string, r *ast.Rule, places map[exprPlace]Side) []Side {
	out := []Side{}
	for _, c := range conditions(r) {
		side, known := places[exprPlace{file, c.row, c.col}]
		if !known || side.Seen == "" || c.binds && side.Seen == "always true" {
			continue
		}
		out = append(out, Side{Line: c.row, Text: c.text, Seen: side.Seen})
	}
	return out
}
