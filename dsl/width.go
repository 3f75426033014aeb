package dsl

import (
	"math"
	"strconv"
)

// WidthAgents is the number of agents from which a width guideline speaks up:
// small 5, medium 15, large 40, a number itself; the greatest int for unlimited;
// 0 for what is no width.
func WidthAgents(width string) int {
	switch width {
	case "small":
		return 5
	case "medium":
		return 15
	case "large":
		return 40
	case "unlimited":
		return math.MaxInt32
	}
	n, err := strconv.Atoi(width)
	if err != nil || n < 1 {
		return 0
	}
	return n
}
