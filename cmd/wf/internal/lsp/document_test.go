package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestPositions holds offsets and positions to each other, in every unit.
func TestPositions(t *testing.T) {
	text := "a: é\r\n😀b: 𝄞\n\rx\n"
	for units, want := range map[encoding]map[int]position{
		utf8Units:  {0: {0, 0}, 5: {0, 5}, 7: {1, 0}, 11: {1, 4}, 14: {1, 7}, 18: {1, 11}, 19: {2, 0}, 20: {3, 0}, 22: {4, 0}},
		utf16Units: {5: {0, 4}, 11: {1, 2}, 14: {1, 5}, 18: {1, 7}},
		utf32Units: {5: {0, 4}, 11: {1, 1}, 14: {1, 4}, 18: {1, 5}},
	} {
		d := newDocument("u", "", "p", 1, text, units)
		for offset, p := range want {
			require.Equal(t, p, d.position(offset), "%s: byte %d", units, offset)
			require.Equal(t, offset, d.offset(p), "%s: %v", units, p)
		}
	}
}

// TestPositionsLaws: on any text there and back is the same; what lies outside is drawn in.
func TestPositionsLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	signs := []string{"a", "é", "😀", "\n", "\r\n", "\r", " ", "𝄞", "\xff", "漢"}
	for range 2000 {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString(signs[r.IntN(len(signs))])
		}
		text := b.String()
		for _, units := range []encoding{utf8Units, utf16Units, utf32Units} {
			d := newDocument("u", "", "p", 1, text, units)
			for i := range len(text) + 1 {
				if i < len(text) && (!utf8.RuneStart(text[i]) || i > 0 && text[i-1] == '\r' && text[i] == '\n') {
					continue
				}
				require.Equal(t, i, d.offset(d.position(i)), "%s: %q at %d", units, text, i)
			}
			for _, p := range []position{{-1, 0}, {0, -5}, {1 << 30, 1 << 30}, {0, 1 << 30}} {
				at := d.offset(p)
				require.True(t, at >= 0 && at <= len(text))
			}
		}
	}
}

// TestEdits: many small changes make the same text as the changes on UTF-16 itself.
func TestEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"x", "é", "😀😀", "\n", "key: value\n", ""}
	for range 300 {
		d := newDocument("u", "", "p", 0, "one\ntwo 😀 three\n", utf16Units)
		model := utf16.Encode([]rune(d.text))
		for range 10 {
			from := r.IntN(len(model) + 1)
			to := min(len(model), from+r.IntN(4))
			if inPair(model, from) || inPair(model, to) {
				continue
			}
			text := pieces[r.IntN(len(pieces))]
			change := span{unitPosition(model, from), unitPosition(model, to)}
			d = d.edited(d.version+1, []contentChange{{&change, text}})
			model = append(append(append([]uint16{}, model[:from]...), utf16.Encode([]rune(text))...), model[to:]...)
			require.Equal(t, string(utf16.Decode(model)), d.text)
		}
	}
	d := newDocument("u", "", "p", 0, "abc", utf16Units)
	require.Equal(t, "whole", d.edited(1, []contentChange{{nil, "whole"}}).text)
	require.Equal(t, "xabcy", d.edited(1, []contentChange{{&span{position{0, 0}, position{0, 0}}, "x"}, {&span{position{9, 9}, position{9, 9}}, "y"}}).text, "changes are applied one after the other")
	require.Equal(t, "b", d.edited(1, []contentChange{{&span{position{0, 1}, position{0, 0}}, ""}, {&span{position{0, 2}, position{0, 1}}, ""}}).text, "a range that is turned around is read as meant")
}

func inPair(model []uint16, i int) bool {
	return i > 0 && i < len(model) && utf16.IsSurrogate(rune(model[i-1])) && utf16.IsSurrogate(rune(model[i])) && model[i] >= 0xDC00
}

func unitPosition(model []uint16, i int) position {
	p := position{}
	for _, u := range model[:i] {
		p.Character++
		if u == '\n' {
			p = position{p.Line + 1, 0}
		}
	}
	return p
}
