package expr

import (
	"fmt"
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// Names of the environment that no author can write.
const (
	runtimeName = "wf.rt"   // the *runtime of one evaluation
	stepName    = "wf.step" // counts one turn of a loop
)

// lowerer rewrites a checked tree into one that the library runs safely: every
// operator and function becomes a call of ours, which is exact, checks its
// operands again and is charged to the evaluation's budget; every turn of a loop
// is counted. What stays the library's are members, ?., ??, and, or, ? : and loops.
type lowerer struct {
	calls  map[ast.Node]call
	config *conf.Config
}

// compile gives the library's program for a checked tree. The environment has
// only the names the tree uses, under strict types, so that its cost does not
// grow with the workflow.
func compile(e *expression, calls map[ast.Node]call, env types.Map) (program *vm.Program, err error) {
	defer recovered(&err)
	env[runtimeName] = types.Any
	config := conf.New(env)
	l := lowerer{calls: calls, config: config}
	l.define(stepName, reflect.TypeFor[func(...any) bool](), func(args ...any) (any, error) {
		return true, args[0].(*runtime).charge(perCall)
	})
	tree := &parser.Tree{Node: l.lower(e.tree), Source: file.NewSource(e.source)}
	if _, err := checker.Check(tree, config); err != nil {
		return nil, fmt.Errorf("strict types: %w", err)
	}
	return compiler.Compile(tree, config)
}

func (l *lowerer) define(name string, t reflect.Type, fn func(args ...any) (any, error)) {
	l.config.Functions[name] = &builtin.Function{Name: name, Func: fn, Types: []reflect.Type{t}}
}

func (l *lowerer) all(nodes []ast.Node) []ast.Node {
	out := make([]ast.Node, len(nodes))
	for i, n := range nodes {
		out[i] = l.lower(n)
	}
	return out
}

func (l *lowerer) lower(n ast.Node) ast.Node {
	out := l.rewrite(n)
	out.SetLocation(n.Location())
	return out
}

func (l *lowerer) rewrite(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return &ast.IntegerNode{Value: n.Value}
	case *ast.FloatNode:
		return &ast.FloatNode{Value: n.Value}
	case *ast.BoolNode:
		return &ast.BoolNode{Value: n.Value}
	case *ast.StringNode:
		return &ast.StringNode{Value: n.Value}
	case *ast.IdentifierNode:
		return &ast.IdentifierNode{Value: n.Value}
	case *ast.PointerNode:
		return &ast.PointerNode{Name: n.Name}
	case *ast.ChainNode:
		return &ast.ChainNode{Node: l.lower(n.Node)}
	case *ast.MemberNode:
		return &ast.MemberNode{Node: l.lower(n.Node), Property: l.lower(n.Property), Optional: n.Optional}
	case *ast.ConditionalNode:
		return &ast.ConditionalNode{Ternary: true, Cond: l.lower(n.Cond), Exp1: l.lower(n.Exp1), Exp2: l.lower(n.Exp2)}
	case *ast.ArrayNode:
		return &ast.ArrayNode{Nodes: l.all(n.Nodes)}
	case *ast.MapNode:
		return &ast.MapNode{Pairs: l.all(n.Pairs)}
	case *ast.PairNode:
		return &ast.PairNode{Key: l.lower(n.Key), Value: l.lower(n.Value)}
	case *ast.UnaryNode:
		return l.unary(n)
	case *ast.BinaryNode:
		return l.binary(n)
	case *ast.BuiltinNode:
		return l.function(n, n.Name, n.Arguments)
	case *ast.CallNode:
		return l.function(n, n.Callee.(*ast.IdentifierNode).Value, n.Arguments)
	}
	return &ast.NilNode{}
}

func (l *lowerer) unary(n *ast.UnaryNode) ast.Node {
	if n.Operator == "-" {
		return l.call(n, runNegate, n.Node)
	}
	return &ast.UnaryNode{Operator: "not", Node: l.lower(n.Node)}
}

func (l *lowerer) binary(n *ast.BinaryNode) ast.Node {
	switch n.Operator {
	case "&&", "and", "||", "or", "??":
		return &ast.BinaryNode{Operator: n.Operator, Left: l.lower(n.Left), Right: l.lower(n.Right)}
	}
	return l.call(n, operators[n.Operator], n.Left, n.Right)
}

func (l *lowerer) function(n ast.Node, name string, args []ast.Node) ast.Node {
	f, _ := functionNamed(name)
	if !f.loops {
		return l.call(n, f.run, args...)
	}
	if name != "sum" {
		return l.loop(name, args)
	}
	if len(args) == 1 {
		return l.call(n, f.run, args...)
	}
	mapped := l.loop("map", args)
	mapped.SetLocation(n.Location())
	return l.callLowered(n, f.run, mapped)
}

// loop keeps a loop of the library and counts its turns.
func (l *lowerer) loop(name string, args []ast.Node) ast.Node {
	body := args[1].(*ast.PredicateNode)
	step := &ast.CallNode{Callee: &ast.IdentifierNode{Value: stepName}, Arguments: []ast.Node{&ast.IdentifierNode{Value: runtimeName}}}
	predicate := &ast.PredicateNode{Node: &ast.SequenceNode{Nodes: []ast.Node{step, l.lower(body.Node)}}}
	return &ast.BuiltinNode{Name: name, Arguments: []ast.Node{l.lower(args[0]), predicate}}
}

func (l *lowerer) call(n ast.Node, run func(*runtime, call, []any) (any, error), args ...ast.Node) ast.Node {
	return l.callLowered(n, run, l.all(args)...)
}

// callLowered makes a function of its own for this one place, which knows the
// types that were found there.
func (l *lowerer) callLowered(n ast.Node, run func(*runtime, call, []any) (any, error), args ...ast.Node) ast.Node {
	k := l.calls[n]
	name := fmt.Sprintf("wf.%d", len(l.config.Functions))
	l.define(name, functionType(k.result), func(args ...any) (any, error) {
		rt := args[0].(*runtime)
		if err := rt.charge(perCall); err != nil {
			return nil, err
		}
		return run(rt, k, args[1:])
	})
	all := append([]ast.Node{&ast.IdentifierNode{Value: runtimeName}}, args...)
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: all}
}

// functionType gives the Go type of a call for the library's checker.
func functionType(result Type) reflect.Type {
	switch {
	case result.Optional:
	case result.Kind == Bool:
		return reflect.TypeFor[func(...any) bool]()
	case result.Kind == Int || result.Kind == Money || result.Kind == Duration:
		return reflect.TypeFor[func(...any) int]()
	case result.Kind == Number:
		return reflect.TypeFor[func(...any) float64]()
	case result.Kind.Textual():
		return reflect.TypeFor[func(...any) string]()
	case result.Kind == List:
		return reflect.TypeFor[func(...any) []any]()
	}
	return reflect.TypeFor[func(...any) any]()
}

// strict gives the library's type for t. Only json is any.
func strict(t Type) types.Type {
	switch t.Kind {
	case Bool:
		return types.Bool
	case Int, Money, Duration:
		return types.Int
	case Number:
		return types.Float64
	case List:
		return types.Array(strict(t.elem()))
	case Map:
		return types.Map{types.Extra: strict(t.elem())}
	case Record:
		return strictFields(t.Fields)
	case JSON, Null, 0: // null is the type of no declared name
		return types.Any
	}
	return types.String
}

func strictFields(fields []Field) types.Map {
	m := make(types.Map, len(fields))
	for _, f := range fields {
		m[f.Name] = strict(f.Type)
	}
	return m
}
