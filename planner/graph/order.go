package graph

import "container/heap"

// Order gives every vertex after all it waits for; among those that are free
// at the same time the smallest comes first. Where the graph has a cycle the
// order holds the vertices outside and before cycles, and ok is false.
func (g *Graph[E]) Order() (order []int, ok bool) {
	waits := make([]int32, g.Len())
	free := &smallest{}
	for v := range waits {
		waits[v] = int32(len(g.store.in[v]))
		if waits[v] == 0 {
			*free = append(*free, v) // ascending, so already a heap
		}
	}
	order = make([]int, 0, g.Len())
	for free.Len() > 0 {
		v := heap.Pop(free).(int)
		order = append(order, v)
		for _, e := range g.store.out[v] {
			w := g.store.edges[e].to
			if waits[w]--; waits[w] == 0 {
				heap.Push(free, int(w))
			}
		}
	}
	return order, len(order) == g.Len()
}

// Critical is the heaviest path.
type Critical struct {
	Path   []int // in order
	Weight int64
}

// Critical gives the heaviest path by the weights of its vertices; of equally
// heavy ones the one whose vertices come first. order is the graph's Order.
func (g *Graph[E]) Critical(order []int, weight func(v int) int64) Critical {
	best := make([]int64, g.Len())
	from := make([]int32, g.Len())
	end := -1
	for _, v := range order {
		from[v] = -1
		for _, e := range g.store.in[v] {
			u := g.store.edges[e].from
			if from[v] < 0 || best[u] > best[from[v]] || best[u] == best[from[v]] && u < from[v] {
				from[v] = u
			}
		}
		if from[v] >= 0 {
			best[v] = best[from[v]]
		}
		best[v] += weight(v)
		if end < 0 || best[v] > best[end] || best[v] == best[end] && v < end {
			end = v
		}
	}
	if end < 0 {
		return Critical{Path: []int{}}
	}
	return Critical{Path: backwards(from, end), Weight: best[end]}
}

func backwards(from []int32, end int) []int {
	var path []int
	for v := int32(end); v >= 0; v = from[v] {
		path = append(path, int(v))
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

// Levels gives for every vertex the number of vertices on the longest path
// that leads to it.
func (g *Graph[E]) Levels(order []int) []int {
	level := make([]int, g.Len())
	for _, v := range order {
		for _, e := range g.store.in[v] {
			level[v] = max(level[v], level[g.store.edges[e].from]+1)
		}
	}
	return level
}

type smallest []int

func (h smallest) Len() int           { return len(h) }
func (h smallest) Less(i, j int) bool { return h[i] < h[j] }
func (h smallest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push and Pop serve container/heap, whose interface is older than type parameters.
func (h *smallest) Push(x any) { *h = append(*h, x.(int)) }

// Pop takes the last element.
func (h *smallest) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
