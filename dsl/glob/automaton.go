package glob

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// automaton reads paths character by character, in several states at once.
type automaton struct {
	states []state
	start  int
}

// state takes one character of set and goes to next; a state with an empty set
// goes to each of free without taking any; accept ends a path.
type state struct {
	set    set
	only   rune // the one character of set, where it has one
	next   int
	free   []int
	accept bool
}

func build(seq []node) *automaton {
	a := &automaton{}
	end := a.add(state{accept: true})
	a.start = a.sequence(seq, end)
	return a
}

func (a *automaton) add(s state) int {
	a.states = append(a.states, s)
	return len(a.states) - 1
}

// sequence adds the states of a sequence that goes on at next, last node first.
func (a *automaton) sequence(seq []node, next int) int {
	for i := len(seq) - 1; i >= 0; i-- {
		next = a.node(seq[i], next)
	}
	return next
}

func (a *automaton) node(n node, next int) int {
	switch n := n.(type) {
	case class:
		s := state{set: n.set, next: next}
		if len(s.set) == 1 && s.set[0].lo == s.set[0].hi {
			s.only = s.set[0].lo
		}
		return a.add(s)
	case star:
		return a.loop(notSlash, next)
	case deep:
		if n.last {
			return a.loop(every, next)
		}
		return a.segments(next)
	case choices:
		s := state{}
		for _, seq := range n.of {
			s.free = append(s.free, a.sequence(seq, next))
		}
		return a.add(s)
	}
	panic("glob: a node without states")
}

// loop takes any number of characters of a set.
func (a *automaton) loop(s set, next int) int {
	take := a.add(state{set: s})
	split := a.add(state{free: []int{take, next}})
	a.states[take].next = split
	return split
}

// segments takes any number of segments, each with its slash.
func (a *automaton) segments(next int) int {
	slash := a.add(state{set: one('/')})
	inside := a.loop(notSlash, slash)
	first := a.add(state{set: notSlash, next: inside})
	begin := a.add(state{free: []int{first, next}})
	a.states[slash].next = begin
	return begin
}

// live is a set of states.
type live []uint64

func newLive(n int) live      { return make(live, (n+63)/64) }
func (l live) has(s int) bool { return l[s/64]&(1<<(s%64)) != 0 }
func (l live) put(s int)      { l[s/64] |= 1 << (s % 64) }
func (l live) each(f func(s int)) {
	for w, word := range l {
		for ; word != 0; word &= word - 1 {
			f(w*64 + bits.TrailingZeros64(word))
		}
	}
}

// enter puts a state and all it reaches freely into the set.
func (a *automaton) enter(l live, s int) {
	if l.has(s) {
		return
	}
	l.put(s)
	for _, t := range a.states[s].free {
		a.enter(l, t)
	}
}

// step is the set of states after one character.
func (a *automaton) step(from, to live, r rune) {
	clear(to)
	from.each(func(s int) {
		if a.states[s].set.has(r) {
			a.enter(to, a.states[s].next)
		}
	})
}

func (a *automaton) accepts(l live) bool {
	found := false
	l.each(func(s int) { found = found || a.states[s].accept })
	return found
}

// Match reports whether the path is in the pattern's set.
func (p Pattern) Match(path string) bool {
	if p.lazy == nil || !strings.HasPrefix(path, p.prefix) || !isClean(path) {
		return false
	}
	a := p.auto()
	now, then := newLive(len(a.states)), newLive(len(a.states))
	a.enter(now, a.start)
	for _, r := range path {
		a.step(now, then, r)
		now, then = then, now
	}
	return a.accepts(now)
}

// clean is the automaton of clean paths: at the beginning of a segment, behind
// its first dot, behind two dots, inside a name.
type clean int

const (
	begin clean = iota
	dot
	dotDot
	inName
	unclean
)

func (c clean) step(r rune) clean {
	switch {
	case r == 0:
		return unclean
	case r == '/' && c == inName:
		return begin
	case r == '/':
		return unclean
	case r == '.' && c < inName:
		return c + 1
	}
	return inName
}

func isClean(path string) bool {
	c := begin
	for i := 0; i < len(path) && c != unclean; i++ {
		if path[i] < utf8.RuneSelf {
			c = c.step(rune(path[i]))
		} else {
			c = inName
		}
	}
	return c == inName
}
