package graph

import "slices"

// ExactVertices is the size up to which an antichain is always exact. Beyond
// it the search may stop after antichainWork steps, with an upper bound.
const ExactVertices = 2000

const antichainWork = 20_000_000

// Antichain is the heaviest set of vertices of which none waits for another:
// what can run at the same time.
type Antichain struct {
	Weight int64 // exact, or a bound that is never too small
	Exact  bool
	Widest []int // a set of that weight where exact; else the heaviest level found
}

// Antichain gives the heaviest antichain. order is the graph's Order; the graph
// has no cycle.
//
// Dilworth: the heaviest antichain weighs as much as the least cover by chains.
// A cover is a matching between what a chain leaves and what it enters, found as
// a flow in which each vertex can be left and entered as often as it weighs, and
// passed through freely (so the edges themselves serve and the closure, which is
// quadratic, is never built). What the flow does not cover is the antichain, read
// off the cut. A flow cut short is still a cover, hence the upper bound.
func (g *Graph[E]) Antichain(order []int, weight func(v int) int64) Antichain {
	work := antichainWork
	if g.Len() <= ExactVertices {
		work = -1
	}
	return g.antichain(order, weight, work)
}

func (g *Graph[E]) antichain(order []int, weight func(v int) int64, work int) Antichain {
	n := newNetwork(g.store, weight)
	exact := n.run(work)
	a := Antichain{Weight: n.total - n.flow, Exact: exact}
	if exact {
		a.Widest = n.uncovered()
		return a
	}
	a.Widest = g.widestLevel(order, weight)
	return a
}

func (g *Graph[E]) widestLevel(order []int, weight func(v int) int64) []int {
	level := g.Levels(order)
	sums := make([]int64, g.Len()+1)
	best := 0
	for v, l := range level {
		sums[l] += weight(v)
	}
	for l, s := range sums {
		if s > sums[best] {
			best = l
		}
	}
	var out []int
	for v, l := range level {
		if l == best {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// network is the flow network: vertex v is left at 2v and entered at 2v+1.
type network struct {
	head         [][]int32 // arcs by node
	to           []int32
	room         []int64 // what an arc can still carry; arc i^1 is its reverse
	depth        []int32
	next         []int32
	source, sink int32
	total, flow  int64
	work         int // negative: no limit
	limited      bool
}

const unbounded = int64(1) << 40

func newNetwork(s *store, weight func(v int) int64) *network {
	n := int32(len(s.out))
	w := &network{head: make([][]int32, 2*n+2), source: 2 * n, sink: 2*n + 1}
	arcs := 2 * (3*int(n) + len(s.edges))
	w.to, w.room = make([]int32, 0, arcs), make([]int64, 0, arcs)
	for v := range n {
		c := weight(int(v))
		w.total += c
		w.arc(w.source, 2*v, c)
		w.arc(2*v+1, w.sink, c)
		w.arc(2*v+1, 2*v, unbounded)
	}
	for _, e := range s.edges {
		w.arc(2*e.from, 2*e.to+1, unbounded)
	}
	return w
}

func (w *network) arc(from, to int32, room int64) {
	w.head[from] = append(w.head[from], int32(len(w.to)))
	w.head[to] = append(w.head[to], int32(len(w.to)+1))
	w.to = append(w.to, to, from)
	w.room = append(w.room, room, 0)
}

// run fills the network phase by phase (Dinic, of which Hopcroft–Karp is the
// case of weights 1). It reports whether it came to the end.
func (w *network) run(work int) bool {
	w.work, w.limited = work, work >= 0
	w.depth, w.next = make([]int32, len(w.head)), make([]int32, len(w.head))
	for w.layers() {
		clear(w.next)
		for {
			pushed := w.push()
			if pushed == 0 {
				break
			}
			w.flow += pushed
		}
		if w.spent() {
			return false
		}
	}
	return !w.spent()
}

func (w *network) spent() bool { return w.limited && w.work <= 0 }

// layers numbers the nodes by their distance from the source; false where the sink is out of reach.
func (w *network) layers() bool {
	clear(w.depth)
	w.depth[w.source] = 1
	queue := []int32{w.source}
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		for _, a := range w.head[v] {
			if to := w.to[a]; w.room[a] > 0 && w.depth[to] == 0 {
				w.depth[to] = w.depth[v] + 1
				queue = append(queue, to)
			}
		}
		w.work -= len(w.head[v])
	}
	return w.depth[w.sink] != 0
}

// push sends flow along one path of the layers, without recursion: chains can be long.
func (w *network) push() int64 {
	var path []int32
	v := w.source
	for v != w.sink {
		if w.spent() {
			return 0
		}
		if a, ok := w.advance(v); ok {
			path = append(path, a)
			v = w.to[a]
			continue
		}
		if len(path) == 0 {
			return 0
		}
		last := path[len(path)-1]
		path = path[:len(path)-1]
		v = w.to[last^1]
		w.next[v]++
	}
	least := unbounded
	for _, a := range path {
		least = min(least, w.room[a])
	}
	for _, a := range path {
		w.room[a] -= least
		w.room[a^1] += least
	}
	return least
}

func (w *network) advance(v int32) (int32, bool) {
	for ; int(w.next[v]) < len(w.head[v]); w.next[v]++ {
		w.work--
		a := w.head[v][w.next[v]]
		if w.room[a] > 0 && w.depth[w.to[a]] == w.depth[v]+1 {
			return a, true
		}
	}
	return 0, false
}

// uncovered gives the vertices that can be left and not entered: the antichain.
// It is read after the last layers, which reached what the cut leaves on the source's side.
func (w *network) uncovered() []int {
	out := []int{}
	for v := range (len(w.head) - 2) / 2 {
		if w.depth[2*v] != 0 && w.depth[2*v+1] == 0 {
			out = append(out, v)
		}
	}
	return out
}
