package graph

import (
	"errors"

	lib "github.com/dominikbraun/graph"
)

type pair struct{ from, to int32 }

// store keeps vertices and edges for the library in the order they came. The
// library's own store is a map of maps: its lists come in another order each
// time, and an edge costs it about 300 bytes.
type store struct {
	edges []pair
	out   [][]int32 // edge indices by source
	in    [][]int32 // edge indices by target
	index map[pair]int32
}

var errOnlyGrows = errors.New("a plan's graph only grows")

// AddVertex refuses a vertex beyond those the graph was made with.
func (s *store) AddVertex(v, _ int, _ lib.VertexProperties) error {
	if s.has(v) {
		return lib.ErrVertexAlreadyExists
	}
	return errOnlyGrows
}

func (s *store) has(v int) bool { return v >= 0 && v < len(s.out) }

// Vertex gives the vertex itself: its value is its number.
func (s *store) Vertex(v int) (int, lib.VertexProperties, error) {
	if !s.has(v) {
		return 0, lib.VertexProperties{}, lib.ErrVertexNotFound
	}
	return v, lib.VertexProperties{}, nil
}

// RemoveVertex refuses.
func (s *store) RemoveVertex(int) error { return errOnlyGrows }

// ListVertices gives 0 … n-1.
func (s *store) ListVertices() ([]int, error) {
	out := make([]int, len(s.out))
	for i := range out {
		out[i] = i
	}
	return out, nil
}

// VertexCount gives n.
func (s *store) VertexCount() (int, error) { return len(s.out), nil }

// AddEdge appends; the library has checked both vertices and that the edge is new.
func (s *store) AddEdge(from, to int, _ lib.Edge[int]) error {
	p := pair{int32(from), int32(to)}
	i := int32(len(s.edges))
	s.edges = append(s.edges, p)
	s.out[from] = append(s.out[from], i)
	s.in[to] = append(s.in[to], i)
	s.index[p] = i
	return nil
}

// UpdateEdge refuses.
func (s *store) UpdateEdge(_, _ int, _ lib.Edge[int]) error { return errOnlyGrows }

// RemoveEdge refuses.
func (s *store) RemoveEdge(_, _ int) error { return errOnlyGrows }

// Edge gives the edge, or the library's word for a missing one.
func (s *store) Edge(from, to int) (lib.Edge[int], error) {
	if _, ok := s.index[pair{int32(from), int32(to)}]; !ok {
		return lib.Edge[int]{}, lib.ErrEdgeNotFound
	}
	return lib.Edge[int]{Source: from, Target: to}, nil
}

// ListEdges gives the edges in the order they came.
func (s *store) ListEdges() ([]lib.Edge[int], error) {
	out := make([]lib.Edge[int], len(s.edges))
	for i, p := range s.edges {
		out[i] = lib.Edge[int]{Source: int(p.from), Target: int(p.to)}
	}
	return out, nil
}
