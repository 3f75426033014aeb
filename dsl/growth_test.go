package dsl

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// manyTickets is a workflow of n tickets in a chain, each with a condition, a
// gate and a reference.
func manyTickets(n int) string {
	var b strings.Builder
	b.WriteString(head + "tickets:\n")
	for i := range n {
		fmt.Fprintf(&b, "  t%d:\n    pipeline: build\n    scope: [\"src/%d/**\"]\n", i, i)
		if i == 0 {
			b.WriteString("    brief: Build ${{ inputs.goal }} ${{ inputs.count }}\n")
		} else {
			fmt.Fprintf(&b, "    needs: [{ticket: t%d, until: settled}]\n    brief: Go on from ${{ tickets.t%d.outputs.text ?? \"nothing\" }}\n", i-1, i-1)
		}
		b.WriteString("    gates:\n      - {name: tests, run: go test ./..., min_tests: 1}\n    outputs: {text: string}\n")
	}
	return b.String()
}

// What is allocated grows with the file, not with its square.
func TestLoadingGrowsLinearly(t *testing.T) {
	allocated := func(n int) float64 {
		text := manyTickets(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w, found := load(text)
		runtime.ReadMemStats(&after)
		require.False(t, found.HasErrors(), "%v", found)
		require.Len(t, w.Tickets, n)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	allocated(10)
	small, large := allocated(200), allocated(2000)
	require.Less(t, large/small, 15.0)
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{40, 1000, 5000} {
		text := manyTickets(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if w, found := load(text); w == nil || found.HasErrors() {
					b.Fatal(found)
				}
			}
		})
	}
}
