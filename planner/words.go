package planner

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

func compareText(a, b string) int { return cmp.Compare(a, b) }

// sorted gives the texts in order, each once, never nil.
func sorted(list []string) []string {
	out := append([]string{}, list...)
	slices.Sort(out)
	return slices.Compact(out)
}

func whatWords(list []string) string {
	if len(list) == 0 {
		return "It allows none."
	}
	return "It allows " + strings.Join(list, ", ") + "."
}

// plus and times stay at the top of the range instead of passing it: a bound
// that large is "more than anyone pays", and must not come out small.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func times(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}
