package expr

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// strs gives the arguments as texts and charges their length.
func strs(rt *runtime, args []any) ([]string, error) {
	out := make([]string, len(args))
	for i, a := range args {
		s, ok := a.(string)
		if !ok {
			return nil, misused(args...)
		}
		if err := rt.charge(len(s)); err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

func overTexts[T any](f func(s []string) T) func(*runtime, call, []any) (any, error) {
	return func(rt *runtime, _ call, args []any) (any, error) {
		s, err := strs(rt, args)
		if err != nil {
			return nil, err
		}
		return f(s), nil
	}
}

var (
	runContains  = overTexts(func(s []string) bool { return strings.Contains(s[0], s[1]) })
	runHasPrefix = overTexts(func(s []string) bool { return strings.HasPrefix(s[0], s[1]) })
	runHasSuffix = overTexts(func(s []string) bool { return strings.HasSuffix(s[0], s[1]) })
	runUpper     = overTexts(func(s []string) string { return strings.ToUpper(s[0]) })
	runLower     = overTexts(func(s []string) string { return strings.ToLower(s[0]) })
	runTrim      = overTexts(func(s []string) string { return strings.TrimSpace(s[0]) })
)

// runMatches charges what RE2 takes: compiling the pattern, then a pass over the
// text for each of its states.
func runMatches(rt *runtime, _ call, args []any) (any, error) {
	s, err := strs(rt, args)
	if err != nil {
		return nil, err
	}
	if err := rt.charge(64*len(s[1]) + len(s[0])*(4+len(s[1])/4)); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(s[1])
	if err != nil {
		return nil, err
	}
	return re.MatchString(s[0]), nil
}

func runReplace(rt *runtime, _ call, args []any) (any, error) {
	s, err := strs(rt, args)
	if err != nil {
		return nil, err
	}
	if s[1] == "" {
		return nil, errors.New("replace: the text to be replaced is empty")
	}
	grown := len(s[0]) + strings.Count(s[0], s[1])*max(0, len(s[2])-len(s[1]))
	return rt.text(grown, func() string { return strings.ReplaceAll(s[0], s[1], s[2]) })
}

func runSplit(rt *runtime, _ call, args []any) (any, error) {
	s, err := strs(rt, args)
	if err != nil {
		return nil, err
	}
	if s[1] == "" {
		return nil, errors.New("split: the separator is empty")
	}
	parts := strings.Split(s[0], s[1])
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out, nil
}

func runJoin(rt *runtime, _ call, args []any) (any, error) {
	list, ok := args[0].([]any)
	if !ok {
		return nil, misused(args...)
	}
	parts, err := strs(rt, list)
	if err != nil {
		return nil, err
	}
	separator := ""
	if len(args) == 2 {
		if separator, ok = args[1].(string); !ok {
			return nil, misused(args...)
		}
	}
	size := len(parts) * len(separator)
	return rt.text(size, func() string { return strings.Join(parts, separator) })
}

func runInt(_ *runtime, _ call, args []any) (any, error) {
	switch x := args[0].(type) {
	case int:
		return x, nil
	case float64:
		if x != x || x < -(1<<63) || x >= 1<<63 {
			return nil, errOverflow
		}
		return int(x), nil
	case string:
		i, err := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not an integer", quote(x))
		}
		return int(i), nil
	}
	return nil, misused(args...)
}

func runNumber(_ *runtime, _ call, args []any) (any, error) {
	if s, ok := args[0].(string); ok {
		s = strings.TrimSpace(s)
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || !plainNumber().MatchString(s) {
			return nil, fmt.Errorf("%s is not a number", quote(s))
		}
		return finite(f)
	}
	f, ok := float(args[0])
	if !ok {
		return nil, misused(args...)
	}
	return f, nil
}

func runLen(rt *runtime, _ call, args []any) (any, error) {
	switch x := args[0].(type) {
	case string:
		return utf8.RuneCountInString(x), rt.charge(len(x))
	case []any:
		return len(x), nil
	case map[string]any:
		return len(x), nil
	}
	return nil, misused(args...)
}

func runString(rt *runtime, k call, args []any) (any, error) {
	tree, err := sealed(args[0], k.args[0])
	if err != nil {
		return nil, err
	}
	text, ok := seal(tree).Text()
	if !ok {
		return nil, misused(args...)
	}
	return rt.text(len(text), func() string { return text })
}

func runToJSON(rt *runtime, k call, args []any) (any, error) {
	if err := rt.charge(weight(args[0])); err != nil {
		return nil, err
	}
	tree, err := sealed(args[0], k.args[0])
	if err != nil {
		return nil, err
	}
	return seal(tree).String(), nil
}

// weight estimates the size of a value's JSON; it stops where no budget is left.
func weight(x any) int {
	n := 4
	switch x := x.(type) {
	case string:
		n += len(x)
	case []any:
		for _, item := range x {
			if n += weight(item); n > budget {
				break
			}
		}
	case map[string]any:
		for _, k := range sortedKeys(x) {
			if n += len(k) + weight(x[k]); n > budget {
				break
			}
		}
	}
	return n
}
