package graph

import (
	"cmp"
	"slices"
)

// Cycle is a closed walk: Vertices begins and ends with the same vertex, and
// Edges[i] leads from Vertices[i] to Vertices[i+1].
type Cycle[E any] struct {
	Vertices []int
	Edges    []Edge[E]
}

// cycleWork bounds the search for a shortest cycle, in edges looked at for one
// component. Beyond it the cycle shown is a shortest one through the
// component's first vertices: still a cycle, still closed.
const cycleWork = 20_000_000

// Components gives the strongly connected components, each ascending, ordered
// by their smallest vertex (Tarjan, without recursion).
func (g *Graph[E]) Components() [][]int {
	t := tarjan{store: g.store, index: make([]int32, g.Len()), low: make([]int32, g.Len()), next: make([]int32, g.Len()), on: make([]bool, g.Len())}
	for v := range t.index {
		if t.index[v] == 0 {
			t.visit(int32(v))
		}
	}
	for _, c := range t.found {
		slices.Sort(c)
	}
	slices.SortFunc(t.found, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return t.found
}

type tarjan struct {
	store      *store
	index, low []int32 // 0: not seen
	next       []int32 // edge to look at next
	on         []bool
	stack      []int32
	clock      int32
	found      [][]int
}

func (t *tarjan) enter(v int32) {
	t.clock++
	t.index[v], t.low[v] = t.clock, t.clock
	t.stack = append(t.stack, v)
	t.on[v] = true
}

func (t *tarjan) visit(root int32) {
	path := []int32{root}
	t.enter(root)
	for len(path) > 0 {
		v := path[len(path)-1]
		if w, ok := t.step(v); ok {
			path = append(path, w)
			t.enter(w)
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			u := path[len(path)-1]
			t.low[u] = min(t.low[u], t.low[v])
		}
		if t.low[v] == t.index[v] {
			t.close(v)
		}
	}
}

// step gives the next vertex to go down to from v.
func (t *tarjan) step(v int32) (int32, bool) {
	for int(t.next[v]) < len(t.store.out[v]) {
		w := t.store.edges[t.store.out[v][t.next[v]]].to
		t.next[v]++
		if t.index[w] == 0 {
			return w, true
		}
		if t.on[w] {
			t.low[v] = min(t.low[v], t.index[w])
		}
	}
	return 0, false
}

func (t *tarjan) close(v int32) {
	var c []int
	for {
		w := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.on[w] = false
		c = append(c, int(w))
		if w == v {
			break
		}
	}
	t.found = append(t.found, c)
}

// Cycles gives one shortest cycle for every component that has any, each begun
// at its smallest vertex, ordered by that vertex.
func (g *Graph[E]) Cycles() []Cycle[E] {
	var out []Cycle[E]
	for _, c := range g.Components() {
		if walk := g.shortest(c); walk != nil {
			out = append(out, g.closed(walk))
		}
	}
	return out
}

// shortest gives the edges of a shortest cycle inside one component.
func (g *Graph[E]) shortest(component []int) []int32 {
	inside := map[int32]bool{}
	for _, v := range component {
		inside[int32(v)] = true
	}
	var best []int32
	work := cycleWork
	for _, v := range component {
		if walk := g.around(int32(v), inside, len(best), &work); walk != nil {
			best = walk
		}
		if len(best) == 1 || work <= 0 && best != nil {
			break
		}
	}
	return best
}

// around walks breadth first from root back to it, over less than limit edges (0: any number).
func (g *Graph[E]) around(root int32, inside map[int32]bool, limit int, work *int) []int32 {
	via := map[int32]int32{} // edge that reached a vertex
	front := []int32{root}
	for depth := 1; len(front) > 0 && (limit == 0 || depth < limit); depth++ {
		var next []int32
		for _, v := range front {
			for _, e := range g.store.out[v] {
				*work--
				w := g.store.edges[e].to
				if w == root {
					via[root] = e
					return g.walk(root, via)
				}
				if _, seen := via[w]; !seen && inside[w] {
					via[w] = e
					next = append(next, w)
				}
			}
		}
		front = next
	}
	return nil
}

func (g *Graph[E]) walk(root int32, via map[int32]int32) []int32 {
	edges := []int32{via[root]}
	for v := g.store.edges[via[root]].from; v != root; v = g.store.edges[via[v]].from {
		edges = append(edges, via[v])
	}
	slices.Reverse(edges)
	return edges
}

// closed turns the walk so that it begins at its smallest vertex, and closes it.
func (g *Graph[E]) closed(walk []int32) Cycle[E] {
	first := 0
	for i, e := range walk {
		if g.store.edges[e].from < g.store.edges[walk[first]].from {
			first = i
		}
	}
	var c Cycle[E]
	for i := range walk {
		e := g.Edge(int(walk[(first+i)%len(walk)]))
		c.Vertices = append(c.Vertices, e.From)
		c.Edges = append(c.Edges, e)
	}
	c.Vertices = append(c.Vertices, c.Vertices[0])
	return c
}
