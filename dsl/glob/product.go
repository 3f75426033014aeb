package glob

import (
	"cmp"
	"slices"
	"strings"
)

// pair is a state of two automata read together, over clean paths only.
type pair struct {
	a, b  int
	clean clean
}

// visit says how a pair is first reached: by the shortest text, and of several
// such by the first in the alphabet of witnesses.
type visit struct {
	pair
	trail int // how it is reached: first its parent's place on the trail, -1 at the start; once visited its own
	r     rune
	rank  int // of r in the alphabet of witnesses
	group int // visits of one layer with the same text share it; it orders texts
}

type product struct {
	a, b  *automaton
	seen  live   // pairs, numbered
	trail []step // of all visits; kept small, since there may be a million
	todo  []pair // the stack of free
}

// step is a visit's last character and its parent's place on the trail.
type step struct {
	parent int32
	r      rune
}

// number is the place of a pair in seen.
func (p *product) number(x pair) int {
	return (x.a*len(p.b.states)+x.b)*int(unclean) + int(x.clean)
}

// Intersects reports whether a path matches both patterns. It is exact. The
// witness is a shortest such path; of several the first in an alphabet that
// begins with a-z, 0-9. The cost is bounded by the product of both lengths.
func Intersects(a, b Pattern) (witness string, ok bool) {
	if a.lazy == nil || b.lazy == nil || !strings.HasPrefix(a.prefix, b.prefix) && !strings.HasPrefix(b.prefix, a.prefix) {
		return "", false
	}
	left, right := a.auto(), b.auto()
	p := &product{a: left, b: right, seen: newLive(len(left.states) * len(right.states) * int(unclean))}
	layer := p.settle([]visit{{pair: pair{left.start, right.start, begin}, trail: -1}})
	for len(layer) > 0 {
		for _, v := range layer {
			if p.a.states[v.a].accept && p.b.states[v.b].accept && v.clean == inName {
				return p.text(v.trail), true
			}
		}
		layer = p.settle(p.advance(layer))
	}
	return "", false
}

// settle takes the candidates of one layer, best text first, with all they
// reach freely, and returns the visits that are new.
func (p *product) settle(candidates []visit) []visit {
	slices.SortStableFunc(candidates, func(x, y visit) int {
		return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(x.rank, y.rank))
	})
	var layer []visit
	group := -1
	for i, v := range candidates {
		if i == 0 || v.group != candidates[i-1].group || v.r != candidates[i-1].r {
			group++
		}
		v.group = group
		layer = p.free(layer, v)
	}
	return layer
}

// free visits a pair and the pairs it reaches without taking a character.
func (p *product) free(layer []visit, v visit) []visit {
	parent := v.trail
	todo := append(p.todo[:0], v.pair)
	defer func() { p.todo = todo }()
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.seen.has(p.number(x)) {
			continue
		}
		p.seen.put(p.number(x))
		sa, sb := p.a.states[x.a], p.b.states[x.b]
		for _, s := range sa.free {
			todo = append(todo, pair{s, x.b, x.clean})
		}
		if len(sa.free) > 0 {
			continue
		}
		for _, s := range sb.free {
			todo = append(todo, pair{x.a, s, x.clean})
		}
		if len(sb.free) == 0 {
			v.pair, v.trail = x, len(p.trail)
			p.trail = append(p.trail, step{int32(parent), v.r})
			layer = append(layer, v)
		}
	}
	return layer
}

// advance takes one character from every visit of a layer: slash, dot, or the
// first other one; any other other one leads to the same pair.
func (p *product) advance(layer []visit) []visit {
	var out []visit
	for _, v := range layer {
		sa, sb := &p.a.states[v.a], &p.b.states[v.b]
		for _, r := range shared(sa, sb) {
			if c := v.clean.step(r); c != unclean {
				out = append(out, visit{pair: pair{sa.next, sb.next, c}, trail: v.trail, r: r, rank: rank(r), group: v.group})
			}
		}
	}
	return out
}

// shared holds the characters that both states take, as far as they differ in
// where they lead; 0 where there are fewer.
func shared(a, b *state) [3]rune {
	if a.only == 0 {
		a, b = b, a
	}
	if a.only != 0 {
		if b.set.has(a.only) {
			return [3]rune{a.only}
		}
		return [3]rune{}
	}
	both := a.set.intersect(b.set)
	out := [3]rune{both.first()}
	for i, r := range [...]rune{'.', '/'} {
		if both.has(r) {
			out[i+1] = r
		}
	}
	return out
}

// text is the text by which a visit is reached.
func (p *product) text(k int) string {
	var rs []rune
	for ; p.trail[k].parent >= 0; k = int(p.trail[k].parent) {
		rs = append(rs, p.trail[k].r)
	}
	slices.Reverse(rs)
	return string(rs)
}

// maxWithin bounds the states that Within looks at; patterns as people write
// them need a few hundred.
const maxWithin = 20_000

// Within reports whether every path of inner is one of outer. A true is always
// right. A false is exact but for patterns so entangled that deciding would
// cost too much; for them it is false, the careful answer.
func Within(inner, outer Pattern) bool {
	if inner.lazy == nil {
		return true
	}
	if outer.lazy == nil {
		return false
	}
	in, out := inner.auto(), outer.auto()
	c := &cover{in: in, out: out, seen: map[string]bool{}, letters: letters(in, out)}
	first, all := newLive(len(c.in.states)), newLive(len(c.out.states))
	c.in.enter(first, c.in.start)
	c.out.enter(all, c.out.start)
	c.push(first, all, begin)
	for len(c.todo) > 0 {
		x := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		if x.clean == inName && c.in.accepts(x.in) && !c.out.accepts(x.out) || len(c.seen) > maxWithin {
			return false
		}
		c.step(x)
	}
	return true
}

// cover follows both patterns over all texts, each in all its states at once.
type cover struct {
	in, out *automaton
	letters []rune
	seen    map[string]bool
	todo    []covered
}

type covered struct {
	in, out live
	clean   clean
}

func (c *cover) push(in, out live, k clean) {
	var key strings.Builder
	key.WriteByte(byte(k))
	for _, words := range [...]live{in, out} {
		for _, w := range words {
			for i := 0; i < 64; i += 8 {
				key.WriteByte(byte(w >> i))
			}
		}
	}
	if !c.seen[key.String()] {
		c.seen[key.String()] = true
		c.todo = append(c.todo, covered{in, out, k})
	}
}

func (c *cover) step(x covered) {
	for _, r := range c.letters {
		k := x.clean.step(r)
		if k == unclean {
			continue
		}
		in := newLive(len(c.in.states))
		if c.in.step(x.in, in, r); !slices.ContainsFunc(in, func(w uint64) bool { return w != 0 }) {
			continue
		}
		out := newLive(len(c.out.states))
		c.out.step(x.out, out, r)
		c.push(in, out, k)
	}
}

// letters holds one character of each class that neither pattern tells apart.
func letters(as ...*automaton) []rune {
	cuts := []rune{1, '.', '.' + 1, '/', '/' + 1}
	for _, a := range as {
		for _, s := range a.states {
			for _, x := range s.set {
				cuts = append(cuts, x.lo, x.hi+1)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	return slices.DeleteFunc(cuts, func(r rune) bool { return r > 0x10FFFF })
}
