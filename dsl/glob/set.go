package glob

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// set is a set of characters: sorted stretches that do not touch.
type set []span

type span struct{ lo, hi rune }

var (
	every    = set{{1, utf8.MaxRune}}
	notSlash = set{{1, '/' - 1}, {'/' + 1, utf8.MaxRune}}
)

func one(r rune) set { return set{{r, r}} }

func (s set) has(r rune) bool {
	for _, x := range s {
		if r <= x.hi {
			return r >= x.lo
		}
	}
	return false
}

func (s set) sorted() set {
	slices.SortFunc(s, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	out := s[:0]
	for _, x := range s {
		if n := len(out); n > 0 && x.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, x.hi)
			continue
		}
		out = append(out, x)
	}
	return out
}

func (s set) complement() set {
	var out set
	from := rune(1)
	for _, x := range s {
		if from < x.lo {
			out = append(out, span{from, x.lo - 1})
		}
		from = x.hi + 1
	}
	if from <= utf8.MaxRune {
		out = append(out, span{from, utf8.MaxRune})
	}
	return out
}

func (s set) intersect(t set) set {
	var out set
	for i, j := 0, 0; i < len(s) && j < len(t); {
		if lo, hi := max(s[i].lo, t[j].lo), min(s[i].hi, t[j].hi); lo <= hi {
			out = append(out, span{lo, hi})
		}
		if s[i].hi < t[j].hi {
			i++
		} else {
			j++
		}
	}
	return out
}

// order is the alphabet of witnesses: what names are mostly made of comes
// first, control characters come last.
var order = []span{{'a', 'z'}, {'0', '9'}, {'_', '_'}, {'-', '-'}, {'A', 'Z'}, {'.', '.'}, {'/', '/'}, {'!', '~'}, {0xA1, 0xD7FF}, {' ', ' '}, {0xE000, utf8.MaxRune}, {1, 0xA0}}

// rank places a character in the alphabet of witnesses.
func rank(r rune) int {
	n := 0
	for _, x := range order {
		if r >= x.lo && r <= x.hi {
			return n + int(r-x.lo)
		}
		n += int(x.hi - x.lo + 1)
	}
	return n
}

// first is the set's first character in the alphabet of witnesses that is
// neither slash nor dot; 0 where there is none.
func (s set) first() rune {
	for _, x := range order {
		for _, y := range s {
			for r := max(x.lo, y.lo); r <= min(x.hi, y.hi); r++ {
				if r != '/' && r != '.' {
					return r
				}
			}
		}
	}
	return 0
}
