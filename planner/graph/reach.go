package graph

import "math/bits"

// blockWords bounds the memory of reachability: columns are treated 4,096 at a time.
const blockWords = 64

// block holds, for every vertex, which of some columns it can reach.
type block struct {
	words int
	bits  []uint64
}

func (b block) row(v int) []uint64 { return b.bits[v*b.words : (v+1)*b.words] }

func (b block) has(v, column int) bool {
	return b.bits[v*b.words+column/64]&(1<<(column%64)) != 0
}

// reach tells which of the columns (vertices, at most 64*blockWords) each
// vertex leads to over one edge or more. order is the graph's Order.
func (g *Graph[E]) reach(order, columns []int) block {
	b := block{words: (len(columns) + 63) / 64}
	b.bits = make([]uint64, g.Len()*b.words)
	column := make(map[int32]int, len(columns))
	for i, v := range columns {
		column[int32(v)] = i
	}
	for i := len(order) - 1; i >= 0; i-- {
		row := b.row(order[i])
		for _, e := range g.store.out[order[i]] {
			w := g.store.edges[e].to
			for k, x := range b.row(int(w)) {
				row[k] |= x
			}
			if c, ok := column[w]; ok {
				row[c/64] |= 1 << (c % 64)
			}
		}
	}
	return b
}

// Reaches gives all vertices that come after v, ascending.
func (g *Graph[E]) Reaches(v int) []int {
	seen := make([]bool, g.Len())
	stack := []int{v}
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range g.store.out[u] {
			if w := int(g.store.edges[e].to); !seen[w] {
				seen[w] = true
				stack = append(stack, w)
			}
		}
	}
	out := []int{}
	for w, ok := range seen {
		if ok {
			out = append(out, w)
		}
	}
	return out
}

// Implied gives the indices of edges that say nothing new, because a longer
// path already leads from the one end to the other. order is the graph's Order;
// the graph has no cycle. Beyond impliedVertices it gives none: the answer is
// advice, and its cost is quadratic.
func (g *Graph[E]) Implied(order []int) []int {
	if g.Len() > impliedVertices {
		return nil
	}
	implied := make([]bool, g.Size())
	for at := 0; at < g.Len(); at += 64 * blockWords {
		columns := make([]int, 0, 64*blockWords)
		for v := at; v < min(at+64*blockWords, g.Len()); v++ {
			columns = append(columns, v)
		}
		b := g.reach(order, columns)
		for i, p := range g.store.edges {
			if to := int(p.to); to >= at && to < at+len(columns) {
				implied[i] = g.detour(b, p, to-at)
			}
		}
	}
	var out []int
	for i, ok := range implied {
		if ok {
			out = append(out, i)
		}
	}
	return out
}

const impliedVertices = 20_000

// detour reports whether another edge out of p.from leads on to p.to.
func (g *Graph[E]) detour(b block, p pair, column int) bool {
	for _, e := range g.store.out[p.from] {
		if w := int(g.store.edges[e].to); w != int(p.to) && b.has(w, column) {
			return true
		}
	}
	return false
}

func count(row []uint64) (n int) {
	for _, w := range row {
		n += bits.OnesCount64(w)
	}
	return n
}
