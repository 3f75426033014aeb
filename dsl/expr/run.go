package expr

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// budget bounds one evaluation: turns of loops, calls, elements looked at and
// bytes of text made or compared. It is far above what a workflow needs, and used up
// in a fraction of a second.
const budget = 8 << 20

// perCall is what one call or one turn of a loop costs: about as much time as
// so many bytes of text.
const perCall = 16

// errBudget ends an evaluation that does too much.
var errBudget = errors.New("the expression does too much: its budget of steps is used up")

// Values inside an evaluation are of Go's int, which must hold 64 bits.
const _ int = math.MaxInt64

// runtime is the meter of one evaluation.
type runtime struct{ left int }

func (rt *runtime) charge(n int) error {
	if n < 0 || n > rt.left {
		rt.left = 0
		return errBudget
	}
	rt.left -= n
	return nil
}

// text charges a text of n bytes before it is made.
func (rt *runtime) text(n int, make func() string) (any, error) {
	if err := rt.charge(n); err != nil {
		return nil, err
	}
	return make(), nil
}

var errOverflow = errors.New("the result does not fit 64 bits")

// operators compute the binary operators that are not the library's.
var operators = map[string]func(*runtime, call, []any) (any, error){
	"+": runAdd, "-": runSubtract, "*": runMultiply, "/": runDivide, "%": runModulo, "**": runPower,
	"==": runEqual, "!=": runDiffers, "<": ordering(func(c int) bool { return c < 0 }), ">": ordering(func(c int) bool { return c > 0 }),
	"<=": ordering(func(c int) bool { return c <= 0 }), ">=": ordering(func(c int) bool { return c >= 0 }),
	"in": runIn, "contains": runContains, "startsWith": runHasPrefix, "endsWith": runHasSuffix, "matches": runMatches,
}

func misused(args ...any) error {
	kinds := make([]string, len(args))
	for i, a := range args {
		kinds[i] = fmt.Sprintf("%T", a)
		if a == nil {
			kinds[i] = "a missing value"
		}
	}
	return fmt.Errorf("wrong operands: %s", strings.Join(kinds, ", "))
}

func ints(args []any) (a, b int64, ok bool) {
	x, ok1 := args[0].(int)
	y, ok2 := args[1].(int)
	return int64(x), int64(y), ok1 && ok2
}

func float(x any) (float64, bool) {
	switch x := x.(type) {
	case int:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func floats(args []any) (a, b float64, ok bool) {
	a, ok1 := float(args[0])
	b, ok2 := float(args[1])
	return a, b, ok1 && ok2
}

func finite(f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("the result is not a finite number")
	}
	return f, nil
}

// whole turns a float back into the int of a measure, rounded to the nearest.
func whole(f float64) (any, error) {
	r := math.Round(f)
	if math.IsNaN(r) || r < -(1<<63) || r >= 1<<63 {
		return nil, errOverflow
	}
	return int(r), nil
}

// exact applies an operator to ints where the result is one, else to floats.
func exact(k call, args []any, onInts func(a, b int64) (int64, bool), onFloats func(a, b float64) float64) (any, error) {
	if a, b, ok := ints(args); ok && k.result.Kind != Number {
		r, fits := onInts(a, b)
		if !fits {
			return nil, errOverflow
		}
		return int(r), nil
	}
	a, b, ok := floats(args)
	if !ok {
		return nil, misused(args...)
	}
	if k.result.Kind != Number {
		return whole(onFloats(a, b))
	}
	return finite(onFloats(a, b))
}

func addInts(a, b int64) (int64, bool) {
	r := a + b
	return r, (r > a) == (b > 0)
}

func subtractInts(a, b int64) (int64, bool) {
	r := a - b
	return r, (r < a) == (b > 0)
}

func multiplyInts(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	r := a * b
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	return r, high == 0 && low <= 1<<63 && magnitude(r) == low && (r < 0) == ((a < 0) != (b < 0))
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func runAdd(rt *runtime, k call, args []any) (any, error) {
	if a, ok := args[0].(string); ok {
		b, ok := args[1].(string)
		if !ok {
			return nil, misused(args...)
		}
		return rt.text(len(a)+len(b), func() string { return a + b })
	}
	return exact(k, args, addInts, func(a, b float64) float64 { return a + b })
}

func runSubtract(_ *runtime, k call, args []any) (any, error) {
	return exact(k, args, subtractInts, func(a, b float64) float64 { return a - b })
}

func runMultiply(_ *runtime, k call, args []any) (any, error) {
	return exact(k, args, multiplyInts, func(a, b float64) float64 { return a * b })
}

func runDivide(_ *runtime, k call, args []any) (any, error) {
	a, b, ok := floats(args)
	if !ok {
		return nil, misused(args...)
	}
	if b == 0 {
		return nil, errors.New("division by zero")
	}
	if k.result.Kind != Number {
		return whole(a / b)
	}
	return finite(a / b)
}

func runModulo(_ *runtime, _ call, args []any) (any, error) {
	a, b, ok := ints(args)
	switch {
	case !ok:
		return nil, misused(args...)
	case b == 0:
		return nil, errors.New("division by zero")
	case b == -1: // the least integer has no positive counterpart
		return 0, nil
	}
	return int(a % b), nil
}

func runPower(_ *runtime, _ call, args []any) (any, error) {
	a, b, ok := floats(args)
	if !ok {
		return nil, misused(args...)
	}
	return finite(math.Pow(a, b))
}

func runNegate(_ *runtime, _ call, args []any) (any, error) {
	switch x := args[0].(type) {
	case int:
		if x == math.MinInt {
			return nil, errOverflow
		}
		return -x, nil
	case float64:
		return -x, nil
	}
	return nil, misused(args...)
}

func runEqual(rt *runtime, _ call, args []any) (any, error) {
	return equal(rt, args[0], args[1])
}

func runDiffers(rt *runtime, _ call, args []any) (any, error) {
	same, err := equal(rt, args[0], args[1])
	return !same, err
}

// equal compares scalars; a missing value equals only another.
func equal(rt *runtime, a, b any) (bool, error) {
	if a == nil || b == nil {
		return a == nil && b == nil, nil
	}
	if x, ok := a.(bool); ok {
		y, ok := b.(bool)
		return ok && x == y, nil
	}
	c, err := compareScalars(rt, a, b)
	return c == 0, err
}

func ordering(holds func(c int) bool) func(*runtime, call, []any) (any, error) {
	return func(rt *runtime, _ call, args []any) (any, error) {
		c, err := compareScalars(rt, args[0], args[1])
		return holds(c), err
	}
}

func compareScalars(rt *runtime, a, b any) (int, error) {
	if x, ok := a.(string); ok {
		y, ok := b.(string)
		if !ok {
			return 0, misused(a, b)
		}
		return strings.Compare(x, y), rt.charge(min(len(x), len(y)))
	}
	if x, y, ok := ints([]any{a, b}); ok {
		return compareOrdered(x, y), nil
	}
	x, y, ok := floats([]any{a, b})
	if !ok {
		return 0, misused(a, b)
	}
	return compareOrdered(x, y), nil
}

func compareOrdered[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func runIn(rt *runtime, _ call, args []any) (any, error) {
	switch where := args[1].(type) {
	case map[string]any:
		key, ok := args[0].(string)
		if !ok {
			return nil, misused(args...)
		}
		_, found := where[key]
		return found, nil
	case []any:
		if err := rt.charge(len(where)); err != nil {
			return nil, err
		}
		for _, x := range where {
			if same, err := equal(rt, args[0], x); err != nil || same {
				return same, err
			}
		}
		return false, nil
	}
	return nil, misused(args...)
}
