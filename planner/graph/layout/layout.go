// Package layout gives the vertices of a directed graph places on a plane, in
// columns from left to right, and its edges ways between them.
//
// Enter with Of. It is deterministic, knows nothing of what is drawn, and draws
// a graph with cycles too: an edge that closes one runs back. Of is for
// pictures that people read: its time grows with the square of MaxVertices.
package layout

import "slices"

// MaxVertices is the most a picture is made of; nobody reads a larger one.
const MaxVertices = 2_000

// Size is the extent of a vertex, in the unit of all lengths here.
type Size struct{ W, H float64 }

// Edge leads from one vertex to another.
type Edge struct{ From, To int }

// Point is a place; y grows downwards.
type Point struct{ X, Y float64 }

// Layout is where everything lies.
type Layout struct {
	W, H   float64
	Centre []Point   // by vertex
	Routes [][]Point // by edge: from the right side of a vertex to the left side of another; two points a column
}

// Distances between columns, between boxes of one column, and between the ways of edges.
const (
	columnGap = 70.0
	rowGap    = 22.0
	wayGap    = 10.0
)

// place is a vertex, or a point in a column that a long edge passes.
type place struct {
	vertex      int // -1: a way
	column      int
	size        Size
	y           float64
	left, right []int // neighbours in the columns beside, as indices of places
}

// drawing is a layout in progress.
type drawing struct {
	sizes   []Size
	edges   []Edge
	back    []bool // by edge: it closes a cycle and is laid the other way round
	level   []int
	places  []place
	columns [][]int // indices of places, from top to bottom
	chain   [][]int // by edge: the places it passes, from left to right
}

// Of lays a graph out. Edges that repeat, or lead from a vertex to itself, get a
// way as well.
func Of(sizes []Size, edges []Edge) Layout {
	d := &drawing{sizes: sizes, edges: edges, back: make([]bool, len(edges)), level: make([]int, len(sizes)), chain: make([][]int, len(edges))}
	d.openCycles()
	d.levels()
	loose := d.makePlaces()
	d.order()
	d.settle()
	return d.result(loose)
}

// ends gives an edge as it is laid: from left to right.
func (d *drawing) ends(e int) (from, to int) {
	if d.back[e] {
		return d.edges[e].To, d.edges[e].From
	}
	return d.edges[e].From, d.edges[e].To
}

func (d *drawing) self(e int) bool { return d.edges[e].From == d.edges[e].To }

// openCycles turns the edges round that lead back to a vertex on the way to
// which they were met.
func (d *drawing) openCycles() {
	out := make([][]int, len(d.sizes))
	waits := make([]int, len(d.sizes))
	for e := range d.edges {
		if !d.self(e) {
			out[d.edges[e].From] = append(out[d.edges[e].From], e)
			waits[d.edges[e].To]++
		}
	}
	const unseen, open, done = 0, 1, 2
	state := make([]int, len(d.sizes))
	next := make([]int, len(d.sizes))
	visit := func(root int) {
		stack := []int{root}
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			state[v] = open
			if next[v] == len(out[v]) {
				state[v], stack = done, stack[:len(stack)-1]
				continue
			}
			e := out[v][next[v]]
			next[v]++
			switch w := d.edges[e].To; state[w] {
			case open:
				d.back[e] = true
			case unseen:
				stack = append(stack, w)
			}
		}
	}
	for _, sources := range []bool{true, false} {
		for v := range d.sizes {
			if state[v] == unseen && (!sources || waits[v] == 0) {
				visit(v)
			}
		}
	}
}

// levels puts each vertex one column behind the last it waits for; one that
// waits for nothing moves up to what waits for it.
func (d *drawing) levels() {
	in, out := make([][]int, len(d.sizes)), make([][]int, len(d.sizes))
	waits := make([]int, len(d.sizes))
	for e := range d.edges {
		if d.self(e) {
			continue
		}
		from, to := d.ends(e)
		out[from], in[to] = append(out[from], to), append(in[to], from)
		waits[to]++
	}
	var free []int
	for v := range waits {
		if waits[v] == 0 {
			free = append(free, v)
		}
	}
	for i := 0; i < len(free); i++ {
		v := free[i]
		for _, w := range out[v] {
			d.level[w] = max(d.level[w], d.level[v]+1)
			if waits[w]--; waits[w] == 0 {
				free = append(free, w)
			}
		}
	}
	for _, v := range slices.Backward(free) {
		if len(in[v]) == 0 && len(out[v]) > 0 {
			least := d.level[out[v][0]]
			for _, w := range out[v] {
				least = min(least, d.level[w])
			}
			d.level[v] = least - 1
		}
	}
}

// makePlaces fills the columns and threads long edges through them. Vertices
// without an edge are left over: they go below the rest.
func (d *drawing) makePlaces() (loose []int) {
	joined := make([]bool, len(d.sizes))
	columns := 0
	for e, edge := range d.edges {
		if !d.self(e) {
			joined[edge.From], joined[edge.To] = true, true
			columns = max(columns, d.level[edge.From]+1, d.level[edge.To]+1)
		}
	}
	d.columns = make([][]int, columns)
	at := make([]int, len(d.sizes))
	for v := range d.sizes {
		if !joined[v] {
			loose = append(loose, v)
			continue
		}
		at[v] = d.add(place{vertex: v, column: d.level[v], size: d.sizes[v]})
	}
	for e := range d.edges {
		if d.self(e) {
			continue
		}
		from, to := d.ends(e)
		last := at[from]
		d.chain[e] = []int{last}
		for column := d.level[from] + 1; column <= d.level[to]; column++ {
			next := at[to]
			if column < d.level[to] {
				next = d.add(place{vertex: -1, column: column})
			}
			d.places[last].right = append(d.places[last].right, next)
			d.places[next].left = append(d.places[next].left, last)
			d.chain[e] = append(d.chain[e], next)
			last = next
		}
	}
	return loose
}

func (d *drawing) add(p place) int {
	d.places = append(d.places, p)
	i := len(d.places) - 1
	d.columns[p.column] = append(d.columns[p.column], i)
	return i
}
