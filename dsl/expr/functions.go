package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// FunctionDoc describes a function for a reader of the language.
type FunctionDoc struct {
	Name      string
	Signature string
	Doc       string
	Example   string
}

// Functions gives the whole allow-list, by name. What is not in it cannot be
// called.
func Functions() []FunctionDoc {
	docs := make([]FunctionDoc, 0, len(functions))
	for _, f := range functions {
		docs = append(docs, f.FunctionDoc)
	}
	return docs
}

// Operators gives the operators, by how tightly they bind, loosest last.
func Operators() []FunctionDoc {
	return []FunctionDoc{
		doc("??", "value? ?? value", "The left value, or the right one where the left is missing. Beside another operator it stands in brackets.", `inputs.opt ?? "none"`),
		doc("?.", "record?.field", "The field, or missing where the record is missing.", `first(inputs.areas)?.name ?? ""`),
		doc("**", "number ** number", "The power, a number.", "2 ** 3"),
		doc("* / %", "number * number", "Product, quotient (always a number) and remainder (of integers). Money and durations are multiplied and divided by numbers.", "inputs.n * 2"),
		doc("+ -", "number + number", "Sum and difference, also of money and of durations; + joins texts.", `inputs.goal + "!"`),
		doc("== !=", "value == value", "Equality of single values, also with nil.", `inputs.level == "high"`),
		doc("< <= > >=", "number < number", "Order of numbers, money, durations and, by their bytes, of texts.", "inputs.n < 3"),
		doc("in", "value in list", "Whether a list has the element, or a map the key.", `"A" in inputs.env`),
		doc("contains startsWith endsWith", "text contains text", "Whether the text has the other in it, at its beginning, at its end.", `inputs.goal contains "ship"`),
		doc("matches", "text matches \"pattern\"", "Whether the regular expression (RE2), written out in quotes, is found in the text.", `inputs.goal matches "^s"`),
		doc("not !", "not bool", "The opposite.", "not inputs.on"),
		doc("and &&", "bool and bool", "Whether both hold; the right one is not evaluated where the left decides.", "inputs.on and inputs.n > 1"),
		doc("or ||", "bool or bool", "Whether one holds; the right one is not evaluated where the left decides.", "inputs.on or inputs.n > 1"),
		doc("? :", "bool ? value : value", "The first value where the condition holds, else the second.", `inputs.on ? "yes" : "no"`),
		doc("|", "value | function(…)", "The function with the value as its first argument.", "inputs.goal | upper()"),
	}
}

// function is one entry of the allow-list.
type function struct {
	FunctionDoc
	least, most int // arguments; most < 0: any number
	// loops: the last argument is a predicate, run for each element of the first.
	loops bool
	// typ gives the result for arguments that are present and typed; where it
	// reports a finding it gives the zero Type.
	typ func(c *inspector, args []ast.Node, types []Type) Type
	// run computes the result; nil where the library's own builtin does.
	run func(rt *runtime, k call, args []any) (any, error)
	// null: arguments may be missing values.
	null bool
}

func doc(name, signature, text, example string) FunctionDoc {
	return FunctionDoc{name, signature, text, example}
}

// functions is sorted by name; functionNamed relies on it.
var functions = []function{
	{FunctionDoc: doc("abs", "abs(number) number", "The number without its sign.", "abs(-3)"), least: 1, most: 1, typ: sameNumber, run: runAbs},
	{FunctionDoc: doc("all", "all(list, condition) bool", "Whether the condition holds for every element; true for an empty list.", `all(tickets.change, .status == "done")`), least: 2, most: 2, loops: true, typ: gives(Bool)},
	{FunctionDoc: doc("any", "any(list, condition) bool", "Whether the condition holds for an element; false for an empty list.", `any(tickets.change, .status == "done")`), least: 2, most: 2, loops: true, typ: gives(Bool)},
	{FunctionDoc: doc("ceil", "ceil(number) int", "The least integer that is not smaller.", "ceil(1.2)"), least: 1, most: 1, typ: rounded, run: runCeil},
	{FunctionDoc: doc("count", "count(list, condition) int", "How many elements the condition holds for.", `count(tickets.change, .status == "parked")`), least: 2, most: 2, loops: true, typ: gives(Int)},
	{FunctionDoc: doc("duration", "duration(text) duration", "A length of time.", `duration("10m")`), least: 1, most: 1, typ: measured(Duration), run: runDuration},
	{FunctionDoc: doc("filter", "filter(list, condition) list", "The elements that the condition holds for.", `filter(tickets.change, .status == "done")`), least: 2, most: 2, loops: true, typ: firstType},
	{FunctionDoc: doc("find", "find(list, condition) element?", "The first element that the condition holds for; missing where there is none.", `find(inputs.areas, .name == "api")?.path ?? "src"`), least: 2, most: 2, loops: true, typ: elementOrNone},
	{FunctionDoc: doc("first", "first(list) element?", "The first element; missing for an empty list.", `first(inputs.areas)?.name ?? ""`), least: 1, most: 1, typ: elementOrNone, run: runFirst},
	{FunctionDoc: doc("flatten", "flatten(list of lists) list", "The elements of all the lists, in order.", "flatten(map(tickets.change, .outputs.files))"), least: 1, most: 1, typ: flattened, run: runFlatten},
	{FunctionDoc: doc("floor", "floor(number) int", "The greatest integer that is not larger.", "floor(1.8)"), least: 1, most: 1, typ: rounded, run: runFloor},
	{FunctionDoc: doc("hasPrefix", "hasPrefix(text, text) bool", "Whether the first text begins with the second.", `hasPrefix(inputs.branch, "release/")`), least: 2, most: 2, typ: texts(Bool), run: runHasPrefix},
	{FunctionDoc: doc("hasSuffix", "hasSuffix(text, text) bool", "Whether the first text ends with the second.", `hasSuffix(inputs.file, ".go")`), least: 2, most: 2, typ: texts(Bool), run: runHasSuffix},
	{FunctionDoc: doc("int", "int(number or text) int", "The integer; a fraction is cut off, a text that is no number is an error.", `int("12")`), least: 1, most: 1, typ: converted(Int), run: runInt},
	{FunctionDoc: doc("join", "join(list of texts, separator) string", "The texts with the separator between them.", `join(inputs.labels, ", ")`), least: 1, most: 2, typ: joined, run: runJoin},
	{FunctionDoc: doc("keys", "keys(map) list<string>", "The keys, sorted.", "keys(inputs.env)"), least: 1, most: 1, typ: keysOf, run: runKeys},
	{FunctionDoc: doc("last", "last(list) element?", "The last element; missing for an empty list.", `last(inputs.areas)?.name ?? ""`), least: 1, most: 1, typ: elementOrNone, run: runLast},
	{FunctionDoc: doc("len", "len(list, map or text) int", "The number of elements, keys or characters.", "len(tickets.survey.outputs.areas) > 0"), least: 1, most: 1, typ: counted, run: runLen},
	{FunctionDoc: doc("lower", "lower(text) string", "The text in small letters.", "lower(inputs.name)"), least: 1, most: 1, typ: texts(String), run: runLower},
	{FunctionDoc: doc("map", "map(list, value) list", "The value for each element.", "map(tickets.change, .outputs.summary)"), least: 2, most: 2, loops: true, typ: mapped},
	{FunctionDoc: doc("max", "max(numbers or list) number", "The largest; an error for an empty list.", "max(1, inputs.size)"), least: 1, most: -1, typ: extreme, run: runMax},
	{FunctionDoc: doc("min", "min(numbers or list) number", "The smallest; an error for an empty list.", "min(4, len(inputs.areas))"), least: 1, most: -1, typ: extreme, run: runMin},
	{FunctionDoc: doc("money", "money(text) money", "An amount of money.", `inputs.budget > money("2 USD")`), least: 1, most: 1, typ: measured(Money), run: runMoney},
	{FunctionDoc: doc("none", "none(list, condition) bool", "Whether the condition holds for no element.", `none(tickets.change, .status == "parked")`), least: 2, most: 2, loops: true, typ: gives(Bool)},
	{FunctionDoc: doc("number", "number(int or text) number", "The number; a text that is none is an error.", `number("1.5")`), least: 1, most: 1, typ: converted(Number), run: runNumber},
	{FunctionDoc: doc("replace", "replace(text, old, new) string", "The text with every old replaced by new.", `replace(inputs.name, "_", "-")`), least: 3, most: 3, typ: texts(String), run: runReplace},
	{FunctionDoc: doc("round", "round(number) int", "The nearest integer, halves away from zero.", "round(1.5)"), least: 1, most: 1, typ: rounded, run: runRound},
	{FunctionDoc: doc("sort", "sort(list) list", "The elements in ascending order; texts by their bytes.", "sort(inputs.labels)"), least: 1, most: 1, typ: ordered, run: runSort},
	{FunctionDoc: doc("split", "split(text, separator) list<string>", "The parts of the text between the separators.", `split(inputs.paths, ",")`), least: 2, most: 2, typ: splitted, run: runSplit},
	{FunctionDoc: doc("string", "string(value) string", "A single value as text.", "string(inputs.size)"), least: 1, most: 1, typ: asText, run: runString},
	{FunctionDoc: doc("sum", "sum(list) or sum(list, value) number", "The sum; 0 for an empty list.", "sum(tickets.change, .outputs.size)"), least: 1, most: 2, loops: true, typ: summed, run: runSum},
	{FunctionDoc: doc("toJSON", "toJSON(value) string", "The value as JSON with sorted keys.", "toJSON(tickets.change)"), least: 1, most: 1, typ: encoded, run: runToJSON, null: true},
	{FunctionDoc: doc("trim", "trim(text) string", "The text without white space around it.", "trim(inputs.name)"), least: 1, most: 1, typ: texts(String), run: runTrim},
	{FunctionDoc: doc("unique", "unique(list) list", "The elements without those that stood before.", "unique(inputs.labels)"), least: 1, most: 1, typ: distinct, run: runUnique},
	{FunctionDoc: doc("upper", "upper(text) string", "The text in capital letters.", "upper(inputs.name)"), least: 1, most: 1, typ: texts(String), run: runUpper},
	{FunctionDoc: doc("values", "values(map) list", "The values, in the order of their sorted keys.", "values(inputs.env)"), least: 1, most: 1, typ: valuesOf, run: runValues},
}

func functionNamed(name string) (*function, bool) {
	i, ok := slices.BinarySearchFunc(functions, name, func(f function, name string) int {
		switch {
		case f.Name < name:
			return -1
		case f.Name > name:
			return 1
		}
		return 0
	})
	if !ok {
		return nil, false
	}
	return &functions[i], true
}

// unsteady are functions of the library whose result differs from run to run.
var unsteady = []string{"date", "now", "timezone", "toPairs"}

func (c *inspector) function(n ast.Node, name string, args []ast.Node) Type {
	f, ok := functionNamed(name)
	if !ok {
		c.noFunction(n, name)
		return Type{}
	}
	if len(args) < f.least || f.most >= 0 && len(args) > f.most {
		c.reportSpan(codeArguments, n, fmt.Sprintf("%s takes %s, and %d are given", name, f.arity(), len(args)), "write it as "+f.Signature)
		return Type{}
	}
	types, ok := c.arguments(f, args)
	if !ok {
		return Type{}
	}
	t := f.typ(c, args, types)
	if t.Kind == 0 {
		return t
	}
	return c.called(n, t, types...)
}

// foreignFunctions are functions of other tools, and what is written here.
var foreignFunctions = map[string]string{
	"always": settledHint, "cancelled": settledHint, "success": statusHint, "failure": statusHint, "succeeded": statusHint, "failed": statusHint,
	"format": formatHint, "printf": formatHint, "sprintf": formatHint, "concat": formatHint,
	"fromjson": "declare the output with its type; its fields are then read with a dot", "parsejson": "declare the output with its type; its fields are then read with a dot",
	"hashfiles": "nothing reads files here: let it be an input, or what a ticket delivers", "env": "nothing comes from the environment: declare an input",
}

const (
	settledHint = "write needs: [{ticket: NAME, until: settled}], which waits for a ticket whatever becomes of it"
	statusHint  = `ask for a status, as in tickets.NAME.status == "done"`
	formatHint  = "write the text with the values in it, as in \"a ${{ inputs.x }}\", or join texts with +"
)

func (c *inspector) noFunction(n ast.Node, name string) {
	detail := fmt.Sprintf("there is no function %s", quote(name))
	if slices.Contains(unsteady, name) {
		c.reportAt(codeForbidden, n, fmt.Sprintf("%s is not deterministic, and the same input must give the same plan", name), "let it be an input")
		return
	}
	known := make([]string, len(functions))
	for i, f := range functions {
		known[i] = f.Name
	}
	hint := "the functions are " + strings.Join(known, ", ")
	if foreign := foreignFunctions[strings.ToLower(name)]; foreign != "" {
		hint = foreign
	} else if near := Nearest(name, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	c.reportAt(codeForbidden, n, detail, hint)
	c.mendNear(n, name, known)
}

func (f *function) arity() string {
	switch {
	case f.most < 0:
		return fmt.Sprintf("at least %d arguments", f.least)
	case f.least == 1 && f.most == 1:
		return "1 argument"
	case f.least == f.most:
		return fmt.Sprintf("%d arguments", f.least)
	}
	return fmt.Sprintf("%d or %d arguments", f.least, f.most)
}

// arguments types the arguments; all mistakes in them are found.
func (c *inspector) arguments(f *function, args []ast.Node) ([]Type, bool) {
	types := make([]Type, len(args))
	good := true
	for i, arg := range args {
		if p, ok := arg.(*ast.PredicateNode); ok {
			types[i] = c.predicate(f, args[0], types[0], p)
		} else {
			types[i] = c.visit(arg)
		}
		good = good && types[i].Kind != 0
	}
	if !good || f.null {
		return types, good
	}
	for i, arg := range args {
		if _, ok := arg.(*ast.PredicateNode); !ok && c.absent(arg, types[i]) {
			good = false
		}
	}
	return types, good
}

// predicate types the condition or value that runs over a list.
func (c *inspector) predicate(f *function, list ast.Node, t Type, p *ast.PredicateNode) Type {
	if t.Kind == 0 {
		return Type{}
	}
	if t.Kind != List {
		c.reportSpan(codeOperands, list, fmt.Sprintf("%s runs over a list, and this is %s", f.Name, t), "")
		return Type{}
	}
	elem := t.elem()
	if elem.Kind == 0 { // of the list [], which has no elements
		elem = Type{Kind: Null}
	}
	if len(c.elements) >= maxLoops {
		c.reportSpan(codeTooLarge, p, fmt.Sprintf("loops are nested more than %d deep", maxLoops), "let a ticket compute the value as a typed output")
		return Type{}
	}
	c.elements = append(c.elements, elem)
	got := c.visit(p.Node)
	c.elements = c.elements[:len(c.elements)-1]
	if got.Kind == Null {
		c.reportSpan(codeOperands, p.Node, "this is nil for every element", "name a value of the element")
		return Type{}
	}
	if f.Name != "map" && f.Name != "sum" && !c.want(p.Node, got, Bool) {
		return Type{}
	}
	return got
}

// maxLoops bounds loops in loops.
const maxLoops = 4
