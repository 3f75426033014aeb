package planner

import (
	"fmt"
	"strings"
	"testing"
)

// large writes a workflow of n tickets: a fan-out of half of them, and chains of ten.
func large(n int) string {
	var b strings.Builder
	b.WriteString("wf: 1\nname: try\nlimits: {budget: 10000000 USD, width: unlimited}\nroles:\n  w: {mode: chat, agent: replay, budget: 1 USD}\n  a: {mode: review, agent: replay, budget: 1 USD}\n")
	b.WriteString("pipelines:\n  p:\n    - {stage: make, role: w, writes: scope}\n    - {stage: qa, role: a, verdict: {PASS: done, FAIL: make}}\ninputs:\n  parts: {type: \"list<string>\"}\ntickets:\n")
	b.WriteString("  part:\n    for_each: ${{ inputs.parts }}\n    pipeline: p\n    scope: [\"parts/${{ each.value }}/**\"]\n    gates: [{name: tests, run: go test ./...}]\n    brief: Work on ${{ each.value }}\n")
	for i := range n / 2 {
		fmt.Fprintf(&b, "  t%d:\n    pipeline: p\n    scope: [\"pkg/p%d/**\"]\n    brief: Work on package %d\n", i, i, i)
		if i%10 > 0 {
			fmt.Fprintf(&b, "    needs: [t%d]\n", i-1)
		}
	}
	return b.String()
}

// Growth must be linear, and 10,000 tickets stay under 1.5 s and 400 MiB:
// compare ns/ticket between the sizes.
func BenchmarkMake(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			parts := make([]string, n/2)
			for i := range parts {
				parts[i] = fmt.Sprintf("x%d", i)
			}
			req := request(b, large(n), "parts="+strings.Join(parts, ","))
			b.ReportAllocs()
			for b.Loop() {
				p, found := Make(req)
				if p == nil {
					b.Fatal(texts(found))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/ticket")
		})
	}
}
