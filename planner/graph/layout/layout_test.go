package layout

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func random(seed uint64, n, m int) ([]Size, []Edge) {
	r := rand.New(rand.NewPCG(seed, 1))
	sizes := make([]Size, n)
	for i := range sizes {
		sizes[i] = Size{50 + float64(r.IntN(200)), 30 + float64(r.IntN(40))}
	}
	var edges []Edge
	for range m {
		edges = append(edges, Edge{r.IntN(n), r.IntN(n)}) // cycles, repeats and loops too
	}
	return sizes, edges
}

// What is drawn can be read: no boxes touch, nothing leaves the frame, every
// edge ends at its boxes, and every edge that closes no cycle leads to the right.
func TestNothingOverlaps(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := 1 + r.IntN(60)
		sizes, edges := random(seed, n, r.IntN(2*n))
		got := Of(sizes, edges)
		require.Equal(t, got, Of(sizes, edges), "the same every time")
		for v, c := range got.Centre {
			s := sizes[v]
			require.GreaterOrEqual(t, c.X-s.W/2, -0.01)
			require.GreaterOrEqual(t, c.Y-s.H/2, -0.01)
			require.LessOrEqual(t, c.X+s.W/2, got.W+0.01)
			require.LessOrEqual(t, c.Y+s.H/2, got.H+0.01)
			for w := range v {
				dx, dy := math.Abs(c.X-got.Centre[w].X), math.Abs(c.Y-got.Centre[w].Y)
				apart := dx >= (s.W+sizes[w].W)/2 || dy >= (s.H+sizes[w].H)/2
				require.True(t, apart, "seed %d: %d and %d overlap", seed, v, w)
			}
		}
		for i, e := range edges {
			points := got.Routes[i]
			require.GreaterOrEqual(t, len(points), 2)
			require.InDelta(t, got.Centre[e.From].Y, points[0].Y, 0.01)
			if e.From != e.To {
				require.InDelta(t, got.Centre[e.To].Y, points[len(points)-1].Y, 0.01)
			}
		}
	}
}

func TestEdgesLeadRightWhereThereIsNoCycle(t *testing.T) {
	for seed := range uint64(100) {
		sizes, edges := random(seed, 30, 50)
		for i, e := range edges {
			edges[i] = Edge{min(e.From, e.To), max(e.From, e.To)}
			if e.From == e.To {
				edges[i] = Edge{0, 29}
			}
		}
		got := Of(sizes, edges)
		for _, e := range edges {
			require.Less(t, got.Centre[e.From].X+sizes[e.From].W/2, got.Centre[e.To].X-sizes[e.To].W/2+0.01)
		}
	}
}

func TestPlainCases(t *testing.T) {
	box := Size{100, 40}
	require.Equal(t, Layout{Centre: []Point{}, Routes: [][]Point{}}, Of([]Size{}, nil))
	one := Of([]Size{box}, nil)
	require.Equal(t, Layout{W: 100, H: 40, Centre: []Point{{50, 20}}, Routes: [][]Point{}}, one)
	chain := Of([]Size{box, box, box}, []Edge{{0, 1}, {1, 2}})
	require.InDelta(t, chain.Centre[0].Y, chain.Centre[2].Y, 0.01, "a chain is straight")
	require.InDelta(t, 3*100+2*columnGap, chain.W, 0.01)
	// Two chains side by side do not cross, whatever the order of their edges.
	cross := Of([]Size{box, box, box, box}, []Edge{{0, 3}, {1, 2}})
	require.Equal(t, cross.Centre[0].Y < cross.Centre[1].Y, cross.Centre[3].Y < cross.Centre[2].Y)
	require.Equal(t, 3, inversions([]int{3, 2, 1}))
	require.Equal(t, 0, inversions([]int{1, 1, 2}))
}

func BenchmarkOf(b *testing.B) {
	for _, n := range []int{50, 500, MaxVertices} {
		sizes, edges := random(7, n, 3*n/2)
		for i, e := range edges {
			edges[i] = Edge{e.From, min(n-1, e.From+1+e.To%12)}
		}
		b.Run("", func(b *testing.B) {
			for b.Loop() {
				Of(sizes, edges)
			}
		})
	}
}
