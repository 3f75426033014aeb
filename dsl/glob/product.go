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
	parent int // index into product.visits, -1 at the start
	r      rune
	group  int // visits of one layer with the same text share it; it orders texts
}

type product struct {
	a, b   *automaton
	seen   map[pair]bool
	visits []visit
}

// Intersects reports whether a path matches both patterns. It is exact. The
// witness is a shortest such path; of several the first in an alphabet that
// begins with a-z, 0-9. The cost is bounded by the product of both lengths.
func Intersects(a, b Pattern) (witness string, ok bool) {
	if a.auto == nil || b.auto == nil || !strings.HasPrefix(a.prefix, b.prefix) && !strings.HasPrefix(b.prefix, a.prefix) {
		return "", false
	}
	p := &product{a: a.auto, b: b.auto, seen: map[pair]bool{}}
	layer := p.settle([]visit{{pair: pair{a.auto.start, b.auto.start, begin}, parent: -1}})
	for len(layer) > 0 {
		for _, k := range layer {
			if v := p.visits[k]; p.a.states[v.a].accept && p.b.states[v.b].accept && v.clean == inName {
				return p.text(k), true
			}
		}
		layer = p.settle(p.advance(layer))
	}
	return "", false
}

// settle takes the candidates of one layer, best text first, with all they
// reach freely, and returns the visits that are new.
func (p *product) settle(candidates []visit) []int {
	slices.SortStableFunc(candidates, func(x, y visit) int {
		return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(rank(x.r), rank(y.r)))
	})
	var layer []int
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
func (p *product) free(layer []int, v visit) []int {
	todo := []pair{v.pair}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.seen[x] {
			continue
		}
		p.seen[x] = true
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
			v.pair = x
			p.visits = append(p.visits, v)
			layer = append(layer, len(p.visits)-1)
		}
	}
	return layer
}

// advance takes one character from every visit of a layer: slash, dot, or the
// first other one; any other other one leads to the same pair.
func (p *product) advance(layer []int) []visit {
	var out []visit
	for _, k := range layer {
		v := p.visits[k]
		sa, sb := p.a.states[v.a], p.b.states[v.b]
		both := sa.set.intersect(sb.set)
		for _, r := range [...]rune{both.first(), '.', '/'} {
			if c := v.clean.step(r); c != unclean && both.has(r) {
				out = append(out, visit{pair: pair{sa.next, sb.next, c}, parent: k, r: r, group: v.group})
			}
		}
	}
	return out
}

// text is the text by which a visit is reached.
func (p *product) text(k int) string {
	var rs []rune
	for ; p.visits[k].parent >= 0; k = p.visits[k].parent {
		rs = append(rs, p.visits[k].r)
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
	if inner.auto == nil {
		return true
	}
	if outer.auto == nil {
		return false
	}
	c := &cover{in: inner.auto, out: outer.auto, seen: map[string]bool{}, letters: letters(inner.auto, outer.auto)}
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
