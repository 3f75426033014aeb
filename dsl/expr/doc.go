// Package expr defines the expression: a typed, bounded, deterministic question
// in ${{ }} about inputs, tickets and the element at hand, together with the
// types and the sealed values it works on.
//
// Enter by Parse (a scalar of a workflow file, findings with ranges) or Reparse
// (text out of a plan). Template.Check says what is wrong and what is referred
// to; Compile makes a Program whose Eval gives a Value.
//
// The language is a part of expr-lang/expr. The library parses, checks again
// under strict types and runs; what it would let through (any, wrapped integers,
// 1/0, unbounded loops and nesting) is closed here, in one place.
package expr
