package graph

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// Scope is what one vertex may write: globs over paths. Many is true where the
// vertex stands for several tickets that run at the same time with this scope.
type Scope struct {
	Vertex int
	Globs  []string
	Many   bool
}

// Conflict is two vertices that can run at the same time and can write the same
// path. A comes before B in the order of vertices; A = B where it stands for many.
type Conflict struct {
	A, B    int
	Witness string // a path both may write
}

// Conflicts is the answer: how many pairs there are, and the first of them.
// Total is exact unless Exact is false: then there are at least that many.
type Conflicts struct {
	Total int
	Exact bool
	Pairs []Conflict
}

const (
	conflictGlobs   = 200_000 // pairs of distinct globs that are intersected
	conflictClasses = 500_000 // pairs of distinct scopes that share a path
	conflictWriters = 20_000  // vertices whose pairs are counted
)

// Conflicts finds the pairs of scopes that share a path and whose vertices are
// not ordered by the graph. order is the graph's Order; intersect gives a path
// that matches both globs; at most limit pairs are listed.
//
// Distinct globs are compared once, and only where the literal beginning of one
// is a beginning of the other's; scopes are interned, so that a thousand tickets
// with one scope are one scope.
func (g *Graph[E]) Conflicts(order []int, scopes []Scope, limit int, intersect func(a, b string) (string, bool)) Conflicts {
	c := intern(scopes)
	c.meet(intersect)
	out := Conflicts{Exact: c.exact}
	first := &firsts{limit: limit}
	c.themselves(scopes, &out, first)
	writers := c.touched(order)
	if len(writers) > conflictWriters {
		writers, out.Exact = writers[:conflictWriters], false
	}
	for at := 0; at < len(writers); at += 64 * blockWords {
		columns := writers[at:min(at+64*blockWords, len(writers))]
		c.count(g.reach(order, columns), writers[:at+len(columns)], columns, at, &out, first)
	}
	first.compact()
	out.Pairs = first.pairs
	return out
}

// firsts keeps the pairs that come first by vertex, however many there are.
type firsts struct {
	limit int
	pairs []Conflict
	full  bool // then no pair whose A is beyond the last one's can come first
}

func (f *firsts) add(p Conflict) {
	f.pairs = append(f.pairs, p)
	if len(f.pairs) > 4*f.limit+64 {
		f.compact()
	}
}

func (f *firsts) compact() {
	slices.SortFunc(f.pairs, func(x, y Conflict) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	f.full = len(f.pairs) >= f.limit
	f.pairs = f.pairs[:min(f.limit, len(f.pairs))]
}

// bars reports whether no pair with this smaller vertex can still come first.
func (f *firsts) bars(a int) bool {
	return f.full && (f.limit == 0 || a > f.pairs[f.limit-1].A)
}

// classes are the distinct scopes and how they meet.
type classes struct {
	globs   []string
	of      map[int]int   // vertex → class
	size    []int         // class → tickets with it; a vertex that stands for many counts twice
	users   [][]int32     // glob → classes
	meets   []map[int]int // class → class it shares a path with → index of the witness
	witness []string
	exact   bool
}

func intern(scopes []Scope) *classes {
	c := &classes{of: map[int]int{}, exact: true}
	globs, sets := map[string]int32{}, map[string]int{}
	for _, s := range scopes {
		if len(s.Globs) == 0 {
			continue
		}
		sorted := slices.Compact(slices.Sorted(slices.Values(s.Globs)))
		key := strings.Join(sorted, "\x00")
		class, ok := sets[key]
		if !ok {
			class = len(c.meets)
			sets[key] = class
			c.size, c.meets = append(c.size, 0), append(c.meets, nil)
			for _, text := range sorted {
				c.use(globs, text, class)
			}
		}
		c.of[s.Vertex] = class
		c.size[class]++
		if s.Many {
			c.size[class]++
		}
	}
	return c
}

func (c *classes) use(globs map[string]int32, text string, class int) {
	i, ok := globs[text]
	if !ok {
		i = int32(len(c.globs))
		globs[text] = i
		c.globs, c.users = append(c.globs, text), append(c.users, nil)
	}
	c.users[i] = append(c.users[i], int32(class))
}

// meet intersects distinct globs. Sorted by literal beginning, those that can
// share a path with one are its own successors as long as they begin with it.
func (c *classes) meet(intersect func(a, b string) (string, bool)) {
	byPrefix, prefix := make([]int32, len(c.globs)), make([]string, len(c.globs))
	for i, text := range c.globs {
		byPrefix[i], prefix[i] = int32(i), literal(text)
	}
	slices.SortFunc(byPrefix, func(a, b int32) int {
		return cmp.Or(cmp.Compare(prefix[a], prefix[b]), cmp.Compare(c.globs[a], c.globs[b]))
	})
	globPairs, classPairs := 0, 0
	for i, a := range byPrefix {
		for _, b := range byPrefix[i:] {
			if !strings.HasPrefix(prefix[b], prefix[a]) {
				break
			}
			if a == b && c.alone(a) || !endsMeet(c.globs[a], c.globs[b]) {
				continue
			}
			if globPairs++; globPairs > conflictGlobs || classPairs > conflictClasses {
				c.exact = false
				return
			}
			if w, ok := intersect(c.globs[a], c.globs[b]); ok {
				classPairs += c.join(a, b, w)
			}
		}
	}
}

// alone reports whether only one ticket has the glob, and so meets nobody by it.
func (c *classes) alone(glob int32) bool {
	return len(c.users[glob]) == 1 && c.size[c.users[glob][0]] == 1
}

// join records that every scope with glob a meets every scope with glob b.
func (c *classes) join(a, b int32, witness string) (pairs int) {
	w := len(c.witness)
	c.witness = append(c.witness, witness)
	for _, x := range c.users[a] {
		for _, y := range c.users[b] {
			c.note(int(x), int(y), w)
			c.note(int(y), int(x), w)
			if pairs++; pairs > conflictClasses {
				return pairs
			}
		}
	}
	return pairs
}

func (c *classes) note(x, y, witness int) {
	if c.meets[x] == nil {
		c.meets[x] = map[int]int{}
	}
	// The shortest witness, then the first by letters: whatever the order of comparison.
	old, ok := c.meets[x][y]
	if !ok || cmp.Or(cmp.Compare(len(c.witness[witness]), len(c.witness[old])), cmp.Compare(c.witness[witness], c.witness[old])) < 0 {
		c.meets[x][y] = witness
	}
}

// themselves lists vertices that stand for many and meet themselves.
func (c *classes) themselves(scopes []Scope, out *Conflicts, first *firsts) {
	for _, s := range scopes {
		class, ok := c.of[s.Vertex]
		if !ok || !s.Many {
			continue
		}
		if w, ok := c.meets[class][class]; ok {
			out.Total++
			first.add(Conflict{A: s.Vertex, B: s.Vertex, Witness: c.witness[w]})
		}
	}
}

// touched gives, in topological order, the vertices whose scope meets one of another vertex.
func (c *classes) touched(order []int) []int {
	var out []int
	for _, v := range order {
		class, ok := c.of[v]
		if !ok {
			continue
		}
		_, self := c.meets[class][class]
		if self && (c.size[class] > 1 || len(c.meets[class]) > 1) || !self && len(c.meets[class]) > 0 {
			out = append(out, v)
		}
	}
	return out
}

// count adds the pairs (earlier or same block, this block) that are not ordered.
// writers are in topological order, so only the earlier can lead to the later.
func (c *classes) count(b block, writers, columns []int, at int, out *Conflicts, first *firsts) {
	masks, least := c.masks(columns), slices.Min(columns)
	free := make([]uint64, b.words)
	for pos, v := range writers {
		clear(free)
		for class := range c.meets[c.of[v]] {
			for k, m := range masks[class] {
				free[k] |= m
			}
		}
		for k, r := range b.row(v) {
			free[k] &^= r
		}
		dropUpTo(free, pos-at)
		out.Total += count(free)
		if !first.bars(v) || !first.bars(least) {
			c.list(free, v, columns, first)
		}
	}
}

func (c *classes) masks(columns []int) map[int][]uint64 {
	masks := map[int][]uint64{}
	for i, v := range columns {
		class := c.of[v]
		if masks[class] == nil {
			masks[class] = make([]uint64, (len(columns)+63)/64)
		}
		masks[class][i/64] |= 1 << (i % 64)
	}
	return masks
}

// dropUpTo clears the columns 0 … last.
func dropUpTo(row []uint64, last int) {
	for k := range row {
		switch from := last + 1 - 64*k; {
		case from >= 64:
			row[k] = 0
		case from > 0:
			row[k] &= ^uint64(0) << from
		}
	}
}

// list offers the pairs of v with the free columns. Only those of small vertices
// can still come first once the list is full, so most rows are passed over.
func (c *classes) list(free []uint64, v int, columns []int, first *firsts) {
	for k, w := range free {
		for ; w != 0; w &= w - 1 {
			other := columns[64*k+bits.TrailingZeros64(w)]
			a, b := min(v, other), max(v, other)
			if !first.bars(a) {
				first.add(Conflict{A: a, B: b, Witness: c.witness[c.meets[c.of[a]][c.of[b]]]})
			}
		}
	}
}

// literal is the part of a glob before its first sign.
func literal(glob string) string {
	if i := strings.IndexAny(glob, `*?[{\`); i >= 0 {
		return glob[:i]
	}
	return glob
}

// endsMeet is the cheap half of the answer: literal endings of which neither
// ends with the other cannot end the same path.
func endsMeet(a, b string) bool {
	x, y := ending(a), ending(b)
	return strings.HasSuffix(x, y) || strings.HasSuffix(y, x)
}

func ending(glob string) string {
	i := strings.LastIndexAny(glob, `*?]}\`)
	if i < 0 {
		return glob
	}
	// `**/b` matches b itself: its slash belongs to the segments, not to the ending.
	return strings.TrimPrefix(glob[i+1:], "/")
}
