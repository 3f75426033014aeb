// Package graph defines the Graph: vertices that are small integers, edges
// that carry what made them, and the questions a plan asks of both.
//
// Enter with New and Add; ask Order, Cycles, Critical, Antichain, Implied and
// Conflicts. Every answer is in a fixed order, so that a plan made twice is the
// same plan. The library holds vertices and edges over a store of ours; its own
// sorts and reductions are quadratic and follow the order of maps, so they serve
// only as the second opinion of the tests.
package graph

import (
	"errors"
	"fmt"

	lib "github.com/dominikbraun/graph"
)

// Edge says that To comes after From. Data is what made the edge: a need, a
// reference, its place in a file.
type Edge[E any] struct {
	From, To int
	Data     E
}

// Graph is a directed graph whose vertices are 0 … Len()-1, in the order of
// declaration. It only grows.
type Graph[E any] struct {
	held  lib.Graph[int, int]
	store *store
	data  []E // by edge index
}

// New gives a graph of n vertices and no edge.
func New[E any](n int) *Graph[E] {
	s := &store{out: make([][]int32, n), in: make([][]int32, n), index: map[pair]int32{}}
	return &Graph[E]{held: lib.NewWithStore(lib.IntHash, s, lib.Directed()), store: s}
}

// Len is the number of vertices.
func (g *Graph[E]) Len() int { return len(g.store.out) }

// Size is the number of edges.
func (g *Graph[E]) Size() int { return len(g.store.edges) }

// Add makes to wait for from. It reports false, and keeps the first edge's
// data, where the edge is there already. A vertex that does not exist panics:
// the caller numbered it.
func (g *Graph[E]) Add(from, to int, data E) bool {
	err := g.held.AddEdge(from, to)
	if errors.Is(err, lib.ErrEdgeAlreadyExists) {
		return false
	}
	if err != nil {
		panic(fmt.Sprintf("graph: edge %d → %d of %d vertices: %v", from, to, g.Len(), err))
	}
	g.data = append(g.data, data)
	return true
}

// Edge gives the edge added as the i-th.
func (g *Graph[E]) Edge(i int) Edge[E] {
	p := g.store.edges[i]
	return Edge[E]{From: int(p.from), To: int(p.to), Data: g.data[i]}
}

// Edges gives all edges in the order they were added.
func (g *Graph[E]) Edges() []Edge[E] {
	out := make([]Edge[E], g.Size())
	for i := range out {
		out[i] = g.Edge(i)
	}
	return out
}

// Find gives the data of one edge.
func (g *Graph[E]) Find(from, to int) (E, bool) {
	i, ok := g.store.index[pair{int32(from), int32(to)}]
	if !ok {
		var none E
		return none, false
	}
	return g.data[i], true
}

// After gives the vertices that wait for v directly, in the order their edges were added.
func (g *Graph[E]) After(v int) []int {
	out := make([]int, len(g.store.out[v]))
	for i, e := range g.store.out[v] {
		out[i] = int(g.store.edges[e].to)
	}
	return out
}

// Before gives the vertices that v waits for directly, in the order their edges were added.
func (g *Graph[E]) Before(v int) []int {
	out := make([]int, len(g.store.in[v]))
	for i, e := range g.store.in[v] {
		out[i] = int(g.store.edges[e].from)
	}
	return out
}

// Library gives the graph as the library holds it, for a picture or a second opinion.
func (g *Graph[E]) Library() lib.Graph[int, int] { return g.held }
