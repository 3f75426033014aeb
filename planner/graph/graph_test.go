package graph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	lib "github.com/dominikbraun/graph"
	"github.com/stretchr/testify/require"
)

// random gives a graph of n vertices and about m edges; acyclic ones lead upwards
// in a shuffled numbering.
func random(r *rand.Rand, n, m int, acyclic bool) *Graph[string] {
	g := New[string](n)
	rank := r.Perm(n)
	for range m {
		a, b := r.IntN(n), r.IntN(n)
		if acyclic && rank[a] >= rank[b] {
			continue
		}
		g.Add(a, b, fmt.Sprintf("%d→%d", a, b))
	}
	return g
}

// closure is reachability by the book, the oracle of every test here.
func closure(g *Graph[string]) [][]bool {
	n := g.Len()
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
	}
	for _, e := range g.Edges() {
		reach[e.From][e.To] = true
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}

func TestAddKeepsTheFirstEdge(t *testing.T) {
	g := New[string](2)
	require.True(t, g.Add(0, 1, "first"))
	require.False(t, g.Add(0, 1, "second"))
	data, ok := g.Find(0, 1)
	require.True(t, ok)
	require.Equal(t, "first", data)
	_, ok = g.Find(1, 0)
	require.False(t, ok)
	require.Equal(t, []int{1}, g.After(0))
	require.Equal(t, []int{0}, g.Before(1))
	require.Panics(t, func() { g.Add(0, 2, "beyond") })
}

func TestLibrarySeesTheSameGraph(t *testing.T) {
	g := random(rand.New(rand.NewPCG(1, 1)), 30, 60, true)
	edges, err := g.Library().Edges()
	require.NoError(t, err)
	require.Len(t, edges, g.Size())
	order, err := g.Library().Order()
	require.NoError(t, err)
	require.Equal(t, 30, order)
	require.ErrorIs(t, g.Library().AddEdge(g.Edge(0).From, g.Edge(0).To), lib.ErrEdgeAlreadyExists)
	require.ErrorIs(t, g.Library().AddEdge(0, 99), lib.ErrVertexNotFound)
	require.True(t, errors.Is(g.Library().AddVertex(99), errOnlyGrows))
	require.True(t, errors.Is(g.Library().RemoveEdge(g.Edge(0).From, g.Edge(0).To), errOnlyGrows))
}

func TestOrder(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		g := random(r, 1+r.IntN(40), r.IntN(100), true)
		order, ok := g.Order()
		require.True(t, ok)
		require.Len(t, order, g.Len())
		at := make([]int, g.Len())
		for i, v := range order {
			at[v] = i
		}
		for _, e := range g.Edges() {
			require.Less(t, at[e.From], at[e.To])
		}
		stable, err := lib.StableTopologicalSort(g.Library(), func(a, b int) bool { return a < b })
		require.NoError(t, err)
		require.Len(t, stable, len(order))
	}
}

func TestOrderTakesTheSmallestFirst(t *testing.T) {
	g := New[string](5)
	g.Add(4, 0, "")
	g.Add(3, 1, "")
	order, ok := g.Order()
	require.True(t, ok)
	require.Equal(t, []int{2, 3, 1, 4, 0}, order)
}

func TestComponents(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := random(r, 1+r.IntN(30), r.IntN(80), false)
		reach := closure(g)
		var want [][]int
		for v := range g.Len() {
			var c []int
			for w := range g.Len() {
				if v == w || reach[v][w] && reach[w][v] {
					c = append(c, w)
				}
			}
			if c[0] == v {
				want = append(want, c)
			}
		}
		require.Equal(t, want, g.Components())
	}
}

// The library loses the component whose head is the zero key, which is our first
// vertex: the reason, besides its recursion, why Components is our own.
func TestLibraryLosesTheZeroKey(t *testing.T) {
	found, err := lib.StronglyConnectedComponents(New[string](1).Library())
	require.NoError(t, err)
	require.Equal(t, [][]int{nil}, found)
}

func TestCyclesAreShortestOrderedAndClosed(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		g := random(r, 1+r.IntN(14), r.IntN(40), false)
		_, acyclic := g.Order()
		cycles := g.Cycles()
		require.Equal(t, acyclic, len(cycles) == 0)
		reach := closure(g)
		for _, c := range cycles {
			require.Equal(t, c.Vertices[0], c.Vertices[len(c.Vertices)-1], "closed")
			require.Equal(t, slices.Min(c.Vertices), c.Vertices[0], "begins at its smallest")
			require.Len(t, c.Edges, len(c.Vertices)-1)
			for i, e := range c.Edges {
				require.Equal(t, fmt.Sprintf("%d→%d", c.Vertices[i], c.Vertices[i+1]), e.Data, "payload of its edge")
			}
			for v := range g.Len() { // nothing in its component is on a shorter one
				if v == c.Vertices[0] || reach[v][c.Vertices[0]] && reach[c.Vertices[0]][v] {
					require.GreaterOrEqual(t, girth(g, v), len(c.Edges))
				}
			}
		}
	}
}

// girth is the length of the shortest walk from v back to it, or a large number.
func girth(g *Graph[string], v int) int {
	front := map[int]bool{v: true}
	for length := 1; length <= g.Len(); length++ {
		next := map[int]bool{}
		for u := range front {
			for _, w := range g.After(u) {
				next[w] = true
			}
		}
		if next[v] {
			return length
		}
		front = next
	}
	return 1 << 30
}

func TestSelfEdgeIsACycle(t *testing.T) {
	g := New[string](2)
	g.Add(1, 1, "itself")
	require.Equal(t, []Cycle[string]{{Vertices: []int{1, 1}, Edges: []Edge[string]{{1, 1, "itself"}}}}, g.Cycles())
}

func TestCritical(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := random(r, 1+r.IntN(12), r.IntN(30), true)
		weights := make([]int64, g.Len())
		for v := range weights {
			weights[v] = int64(r.IntN(9))
		}
		order, _ := g.Order()
		c := g.Critical(order, func(v int) int64 { return weights[v] })
		var sum int64
		for i, v := range c.Path {
			sum += weights[v]
			if i > 0 {
				_, ok := g.Find(c.Path[i-1], v)
				require.True(t, ok)
			}
		}
		require.Equal(t, sum, c.Weight)
		require.Equal(t, heaviest(g, weights), c.Weight)
	}
	require.Equal(t, Critical{Path: []int{}}, New[string](0).Critical(nil, nil))
}

func heaviest(g *Graph[string], weights []int64) (best int64) {
	var from func(v int) int64
	from = func(v int) int64 {
		most := int64(0)
		for _, w := range g.After(v) {
			most = max(most, from(w))
		}
		return weights[v] + most
	}
	for v := range g.Len() {
		best = max(best, from(v))
	}
	return best
}

func TestAntichainIsExact(t *testing.T) { // BUD-06: width as an axis of its own
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 6))
		g := random(r, 1+r.IntN(12), r.IntN(30), true)
		weights := make([]int64, g.Len())
		for v := range weights {
			weights[v] = int64(r.IntN(4))
		}
		order, _ := g.Order()
		a := g.Antichain(order, func(v int) int64 { return weights[v] })
		require.True(t, a.Exact)
		reach := closure(g)
		require.Equal(t, widest(reach, weights), a.Weight)
		var sum int64
		for i, v := range a.Widest {
			sum += weights[v]
			for _, w := range a.Widest[i+1:] {
				require.False(t, reach[v][w] || reach[w][v], "they wait for each other")
			}
		}
		require.Equal(t, a.Weight, sum, "the set shown is as heavy as the bound")
	}
}

// widest tries every set.
func widest(reach [][]bool, weights []int64) (best int64) {
	for set := range 1 << len(reach) {
		var sum int64
		ok := true
		for v := 0; v < len(reach) && ok; v++ {
			if set&(1<<v) == 0 {
				continue
			}
			sum += weights[v]
			for w := range reach {
				if set&(1<<w) != 0 && reach[v][w] {
					ok = false
				}
			}
		}
		if ok {
			best = max(best, sum)
		}
	}
	return best
}

func TestAntichainCutShortIsAnUpperBound(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 7))
		g := random(r, 300, 900, true)
		order, _ := g.Order()
		one := func(int) int64 { return 1 }
		exact := g.Antichain(order, one)
		require.True(t, exact.Exact)
		for _, work := range []int{0, 500, 5_000, 1 << 40} {
			a := g.antichain(order, one, work)
			require.GreaterOrEqual(t, a.Weight, exact.Weight, "work %d", work)
			require.LessOrEqual(t, int64(len(a.Widest)), exact.Weight)
			if work == 1<<40 {
				require.True(t, a.Exact)
				require.Equal(t, exact.Weight, a.Weight)
			}
		}
		require.False(t, g.antichain(order, one, 0).Exact)
	}
}

func TestAntichainOfTwoThousandIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	g := random(r, ExactVertices, 40_000, true)
	order, _ := g.Order()
	a := g.Antichain(order, func(int) int64 { return 1 })
	require.True(t, a.Exact)
	require.Len(t, a.Widest, int(a.Weight))
}

func TestImplied(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		g := random(r, 2+r.IntN(14), r.IntN(50), true)
		order, _ := g.Order()
		got := map[int]bool{}
		for _, i := range g.Implied(order) {
			got[i] = true
		}
		reach := closure(g)
		for i, e := range g.Edges() {
			longer := slices.ContainsFunc(g.After(e.From), func(v int) bool { return v != e.To && reach[v][e.To] })
			require.Equal(t, longer, got[i], "%v", e)
		}
		reduced, err := lib.TransitiveReduction(g.Library())
		require.NoError(t, err)
		left, err := reduced.Size()
		require.NoError(t, err)
		require.Equal(t, g.Size()-len(got), left)
	}
}

func TestReaches(t *testing.T) {
	g := New[string](4)
	g.Add(0, 1, "")
	g.Add(1, 2, "")
	require.Equal(t, []int{1, 2}, g.Reaches(0))
	require.Equal(t, []int{}, g.Reaches(3))
}

// prefixes intersects globs of the form dir/** or a plain path.
func prefixes(a, b string) (string, bool) {
	x, y := strings.TrimSuffix(a, "**"), strings.TrimSuffix(b, "**")
	if len(x) > len(y) {
		x, y, a, b = y, x, b, a
	}
	switch {
	case !strings.HasPrefix(y, x) || x == a && x != y:
		return "", false
	case strings.HasSuffix(b, "**"):
		return y + "f", true
	}
	return y, true
}

func TestConflicts(t *testing.T) {
	dirs := []string{"a/**", "a/b/**", "b/**", "b/c/d.go", "b/c/e.go", "c/**", "**"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 10))
		g := random(r, 2+r.IntN(12), r.IntN(25), true)
		order, _ := g.Order()
		var scopes []Scope
		for v := range g.Len() {
			s := Scope{Vertex: v, Many: r.IntN(4) == 0}
			for range r.IntN(3) {
				s.Globs = append(s.Globs, dirs[r.IntN(len(dirs))])
			}
			scopes = append(scopes, s)
		}
		reach := closure(g)
		want := map[[2]int]bool{}
		for i, a := range scopes {
			for j, b := range scopes[i:] {
				ordered := reach[a.Vertex][b.Vertex] || reach[b.Vertex][a.Vertex]
				if (j == 0 && !a.Many) || ordered {
					continue
				}
				for _, x := range a.Globs {
					for _, y := range b.Globs {
						if _, ok := prefixes(x, y); ok {
							want[[2]int{a.Vertex, b.Vertex}] = true
						}
					}
				}
			}
		}
		c := g.Conflicts(order, scopes, 1000, prefixes)
		require.True(t, c.Exact)
		require.Equal(t, len(want), c.Total)
		require.Len(t, c.Pairs, c.Total)
		for i, p := range c.Pairs {
			require.True(t, want[[2]int{p.A, p.B}])
			require.True(t, i == 0 || c.Pairs[i-1].A < p.A || c.Pairs[i-1].A == p.A && c.Pairs[i-1].B < p.B, "in order")
			require.NotEmpty(t, p.Witness)
		}
		few := g.Conflicts(order, scopes, 2, prefixes)
		require.Equal(t, c.Total, few.Total, "the cap hides no count")
		require.Equal(t, c.Pairs[:min(2, len(c.Pairs))], few.Pairs)
	}
}

func TestConflictsAcrossBlocks(t *testing.T) {
	// More writers than one block of columns; a chain through every second vertex.
	n := 64*blockWords + 100
	g := New[string](n)
	for v := 2; v < n; v += 2 {
		g.Add(v-2, v, "")
	}
	var scopes []Scope
	for v := range n {
		scopes = append(scopes, Scope{Vertex: v, Globs: []string{"a/**"}})
	}
	order, _ := g.Order()
	c := g.Conflicts(order, scopes, 3, prefixes)
	half := n / 2
	require.True(t, c.Exact)
	require.Equal(t, n*(n-1)/2-half*(half-1)/2, c.Total)
	require.Equal(t, []Conflict{{0, 1, "a/f"}, {0, 3, "a/f"}, {0, 5, "a/f"}}, c.Pairs)
}

func TestConflictsSayWhenTheyGiveUp(t *testing.T) {
	g := New[string](1000)
	var scopes []Scope
	for v := range 1000 {
		scopes = append(scopes, Scope{Vertex: v, Globs: []string{fmt.Sprintf("*%d*", v)}})
	}
	order, _ := g.Order()
	calls := 0
	c := g.Conflicts(order, scopes, 5, func(a, b string) (string, bool) { calls++; return "x", true })
	require.False(t, c.Exact)
	require.LessOrEqual(t, calls, conflictGlobs)
	require.Positive(t, c.Total)
	require.LessOrEqual(t, c.Total, 1000*999/2)
}

func TestEndsMeet(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"**/b", "b", true}, {"a/**/b.go", "a/b.go", true}, {"**/x.go", "**/y.go", false}, {"src/*.go", "src/a.go", true},
		{"a/**", "a/b", true}, {"*.{go,md}", "a.md", true}, {`a\*`, "a*", true}, {"[ab]", "a", true},
	} {
		require.Equal(t, c.want, endsMeet(c.a, c.b), "%s %s", c.a, c.b)
		require.Equal(t, c.want, endsMeet(c.b, c.a), "%s %s", c.b, c.a)
	}
}
