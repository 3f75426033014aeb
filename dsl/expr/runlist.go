package expr

import (
	"errors"
	"math"
	"slices"
)

func list(rt *runtime, args []any) ([]any, error) {
	x, ok := args[0].([]any)
	if !ok {
		return nil, misused(args...)
	}
	return x, rt.charge(len(x))
}

func runFirst(rt *runtime, _ call, args []any) (any, error) {
	x, err := list(rt, args)
	if err != nil || len(x) == 0 {
		return nil, err
	}
	return x[0], nil
}

func runLast(rt *runtime, _ call, args []any) (any, error) {
	x, err := list(rt, args)
	if err != nil || len(x) == 0 {
		return nil, err
	}
	return x[len(x)-1], nil
}

func runFlatten(rt *runtime, _ call, args []any) (any, error) {
	lists, err := list(rt, args)
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, x := range lists {
		inner, err := list(rt, []any{x})
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
	}
	return out, nil
}

// runSort sorts numbers or texts. The library's own sort is not stable across
// kinds; here all elements have one kind.
func runSort(rt *runtime, _ call, args []any) (any, error) {
	x, err := list(rt, args)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(x)
	slices.SortStableFunc(out, func(a, b any) int {
		if err != nil {
			return 0
		}
		if err = rt.charge(1); err != nil {
			return 0
		}
		var c int
		c, err = compareScalars(rt, a, b)
		return c
	})
	return out, err
}

func runUnique(rt *runtime, _ call, args []any) (any, error) {
	x, err := list(rt, args)
	if err != nil {
		return nil, err
	}
	seen, out := map[any]bool{}, []any{}
	for _, item := range x {
		if s, ok := item.(string); ok {
			if err := rt.charge(len(s)); err != nil {
				return nil, err
			}
		}
		key := item
		if f, ok := item.(float64); ok { // 1.0 equals 1
			if i, ok := integral(f).(int64); ok {
				key = int(i)
			}
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, item)
		}
	}
	return out, nil
}

func runKeys(rt *runtime, _ call, args []any) (any, error) {
	m, ok := args[0].(map[string]any)
	if !ok {
		return nil, misused(args...)
	}
	out := make([]any, 0, len(m))
	for _, k := range sortedKeys(m) {
		out = append(out, k)
	}
	return out, rt.charge(len(m))
}

func runValues(rt *runtime, _ call, args []any) (any, error) {
	m, ok := args[0].(map[string]any)
	if !ok {
		return nil, misused(args...)
	}
	out := make([]any, 0, len(m))
	for _, k := range sortedKeys(m) {
		out = append(out, m[k])
	}
	return out, rt.charge(len(m))
}

func runSum(rt *runtime, k call, args []any) (any, error) {
	x, err := list(rt, args)
	if err != nil {
		return nil, err
	}
	var total any = 0
	if k.result.Kind == Number {
		total = 0.0
	}
	for _, item := range x {
		if total, err = exact(k, []any{total, item}, addInts, func(a, b float64) float64 { return a + b }); err != nil {
			return nil, err
		}
	}
	return total, nil
}

func runMin(rt *runtime, _ call, args []any) (any, error) {
	return extremeOf(rt, args, func(c int) bool { return c < 0 })
}

func runMax(rt *runtime, _ call, args []any) (any, error) {
	return extremeOf(rt, args, func(c int) bool { return c > 0 })
}

func extremeOf(rt *runtime, args []any, better func(c int) bool) (any, error) {
	if x, ok := args[0].([]any); ok && len(args) == 1 {
		args = x
	}
	if len(args) == 0 {
		return nil, errors.New("the list is empty and has no smallest or largest element")
	}
	if err := rt.charge(len(args)); err != nil {
		return nil, err
	}
	best := args[0]
	if _, ok := float(best); !ok {
		return nil, misused(best)
	}
	for _, x := range args[1:] {
		c, err := compareScalars(rt, x, best)
		if err != nil {
			return nil, err
		}
		if better(c) {
			best = x
		}
	}
	return best, nil
}

func runAbs(rt *runtime, k call, args []any) (any, error) {
	if x, ok := float(args[0]); ok && x >= 0 {
		return args[0], nil
	}
	return runNegate(rt, k, args)
}

func runCeil(_ *runtime, _ call, args []any) (any, error)  { return toWhole(args, math.Ceil) }
func runFloor(_ *runtime, _ call, args []any) (any, error) { return toWhole(args, math.Floor) }
func runRound(_ *runtime, _ call, args []any) (any, error) { return toWhole(args, math.Round) }

func toWhole(args []any, round func(float64) float64) (any, error) {
	if i, ok := args[0].(int); ok {
		return i, nil
	}
	f, ok := float(args[0])
	if !ok {
		return nil, misused(args...)
	}
	return whole(round(f))
}

func runMoney(_ *runtime, _ call, args []any) (any, error) {
	return nativeMeasure(args[0], Type{Kind: Money}, "money")
}

func runDuration(_ *runtime, _ call, args []any) (any, error) {
	return nativeMeasure(args[0], Type{Kind: Duration}, "duration")
}
