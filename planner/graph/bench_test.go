package graph

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// layered is the shape of real workflows, and wide: layers of 50, each vertex
// waits for three of the layer before.
func layered(n int) *Graph[string] {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	g := New[string](n)
	for v := 50; v < n; v++ {
		for range 3 {
			g.Add(v/50*50-50+r.IntN(50), v, "")
		}
	}
	return g
}

var sizes = []int{1_000, 10_000, 100_000}

// Growth must be linear: compare ns/vertex between the sizes.
func benchmark(b *testing.B, f func(g *Graph[string], order []int)) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := layered(n)
			order, _ := g.Order()
			b.ReportAllocs()
			for b.Loop() {
				f(g, order)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/vertex")
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				layered(n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/vertex")
		})
	}
}

func BenchmarkOrder(b *testing.B) {
	benchmark(b, func(g *Graph[string], _ []int) { g.Order() })
}

func BenchmarkComponents(b *testing.B) {
	benchmark(b, func(g *Graph[string], _ []int) { g.Components() })
}

func BenchmarkCritical(b *testing.B) {
	benchmark(b, func(g *Graph[string], order []int) { g.Critical(order, func(int) int64 { return 3 }) })
}

func BenchmarkAntichain(b *testing.B) {
	benchmark(b, func(g *Graph[string], order []int) { g.Antichain(order, func(int) int64 { return 1 }) })
}

func BenchmarkConflicts(b *testing.B) {
	benchmark(b, func(g *Graph[string], order []int) {
		scopes := make([]Scope, g.Len())
		for v := range scopes {
			scopes[v] = Scope{Vertex: v, Globs: []string{fmt.Sprintf("pkg/p%d/**", v), fmt.Sprintf("doc/p%d.md", v)}}
		}
		g.Conflicts(order, scopes, 20, func(a, b string) (string, bool) { return "", false })
	})
}

// BenchmarkConflictsOneScope is the worst case: everybody writes everywhere.
func BenchmarkConflictsOneScope(b *testing.B) {
	benchmark(b, func(g *Graph[string], order []int) {
		scopes := make([]Scope, g.Len())
		for v := range scopes {
			scopes[v] = Scope{Vertex: v, Globs: []string{"**"}}
		}
		g.Conflicts(order, scopes, 20, func(a, b string) (string, bool) { return "a", true })
	})
}
