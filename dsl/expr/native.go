package expr

import (
	"fmt"
	"math"
	"time"
)

// Values inside an evaluation: text kinds are string, int is int, money an int of
// millionths of a dollar, a duration an int of nanoseconds, number float64 or int,
// a list []any, a map or a record map[string]any, json whatever JSON holds.

// native turns the tree of a sealed value into that form. path is for messages.
func native(tree any, t Type, path string) (any, error) {
	if tree == nil {
		return nativeNull(t, path)
	}
	switch t.Kind {
	case JSON, Null, 0:
		return tree, nil
	case List:
		return nativeList(tree, t, path)
	case Map, Record:
		return nativeMap(tree, t, path)
	case Money, Duration:
		return nativeMeasure(tree, t, path)
	case Number:
		switch x := tree.(type) {
		case int64:
			return float64(x), nil
		case float64:
			return x, nil
		}
	case Int:
		if x, ok := tree.(int64); ok {
			return int(x), nil
		}
	case Bool:
		if x, ok := tree.(bool); ok {
			return x, nil
		}
	default:
		if x, ok := tree.(string); ok {
			return x, nil
		}
	}
	return nil, misfit(tree, t, path)
}

func misfit(tree any, t Type, path string) error {
	return fmt.Errorf("%s: expected %s, got %s", path, t, describe(tree))
}

// nativeNull lets a missing value stand where it may; the outputs of a ticket
// without any are a record of missing values.
func nativeNull(t Type, path string) (any, error) {
	if t.Optional || t.Kind == Null || t.Kind == JSON {
		return nil, nil
	}
	return nil, fmt.Errorf("%s: expected %s, got null", path, t)
}

func nativeList(tree any, t Type, path string) (any, error) {
	list, ok := tree.([]any)
	if !ok {
		return nil, misfit(tree, t, path)
	}
	out := make([]any, len(list))
	for i, item := range list {
		x, err := native(item, t.elem(), fmt.Sprintf("%s[%d]", path, i))
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

func nativeMap(tree any, t Type, path string) (any, error) {
	m, ok := tree.(map[string]any)
	if !ok {
		return nil, misfit(tree, t, path)
	}
	out := make(map[string]any, len(m))
	if t.Kind == Map {
		for _, k := range sortedKeys(m) {
			x, err := native(m[k], t.elem(), join(path, k))
			if err != nil {
				return nil, err
			}
			out[k] = x
		}
		return out, nil
	}
	for _, f := range t.Fields {
		x, err := native(m[f.Name], f.Type, join(path, f.Name))
		if err != nil {
			return nil, err
		}
		out[f.Name] = x
	}
	return out, nil
}

func nativeMeasure(tree any, t Type, path string) (any, error) {
	text, ok := tree.(string)
	if !ok {
		return nil, misfit(tree, t, path)
	}
	if t.Kind == Money {
		micros, err := ParseMoney(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return int(micros), nil
	}
	d, err := ParseDuration(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return int(d), nil
}

// sealed turns the result of an evaluation back into the tree of a value.
func sealed(x any, t Type) (any, error) {
	if x == nil {
		if t.Optional || t.Kind == Null || t.Kind == JSON || t.Kind == 0 {
			return nil, nil
		}
		return nil, fmt.Errorf("the value is missing, expected %s", t)
	}
	switch x := x.(type) {
	case int:
		return sealedInt(int64(x), t)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("the number is not finite")
		}
		return integral(x), nil
	case []any:
		return sealedList(x, t)
	case map[string]any:
		return sealedMap(x, t)
	case string, bool, int64:
		return x, nil
	}
	return nil, fmt.Errorf("a value of an unknown kind, expected %s", t)
}

func sealedInt(x int64, t Type) (any, error) {
	switch t.Kind {
	case Money:
		if x < 0 {
			return nil, fmt.Errorf("the amount of money is negative: %s", FormatMoney(x))
		}
		return FormatMoney(x), nil
	case Duration:
		if x < 0 {
			return nil, fmt.Errorf("the duration is negative: %s", FormatDuration(time.Duration(x)))
		}
		return FormatDuration(time.Duration(x)), nil
	}
	return x, nil
}

func sealedList(list []any, t Type) (any, error) {
	elem := Type{Kind: JSON}
	if t.Kind == List {
		elem = t.elem()
	}
	out := make([]any, len(list))
	for i, item := range list {
		x, err := sealed(item, elem)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		out[i] = x
	}
	return out, nil
}

func sealedMap(m map[string]any, t Type) (any, error) {
	out := make(map[string]any, len(m))
	for _, k := range sortedKeys(m) {
		part := Type{Kind: JSON}
		if t.Kind == Map {
			part = t.elem()
		} else if f, ok := t.Field(k); ok {
			part = f
		}
		x, err := sealed(m[k], part)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		out[k] = x
	}
	return out, nil
}
