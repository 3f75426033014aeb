package syntax

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// text is a file with what it takes to turn an offset into line and column.
type text struct {
	file  string
	s     string
	lines []int32 // offset of each line's first byte
	runes []int32 // code points before every runeStep-th byte; nil for an ASCII file
}

// runeStep bounds the work of one look-up, also in a file of one long line.
const runeStep = 256

func newText(file, s string) *text {
	t := &text{file: file, s: s, lines: make([]int32, 1, 1+strings.Count(s, "\n"))}
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			t.lines = append(t.lines, int32(i+1))
		}
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if !ascii {
		t.indexRunes()
	}
	return t
}

func (t *text) indexRunes() {
	n := int32(0)
	for i := 0; i < len(t.s); i++ {
		if i%runeStep == 0 {
			t.runes = append(t.runes, n)
		}
		if utf8.RuneStart(t.s[i]) {
			n++
		}
	}
	if len(t.s)%runeStep == 0 {
		t.runes = append(t.runes, n)
	}
}

// runesBefore counts the code points that begin before an offset.
func (t *text) runesBefore(off int) int {
	if t.runes == nil {
		return off
	}
	n := int(t.runes[off/runeStep])
	for i := off - off%runeStep; i < off; i++ {
		if utf8.RuneStart(t.s[i]) {
			n++
		}
	}
	return n
}

// lineOf is the index of the line that holds an offset.
func (t *text) lineOf(off int) int {
	return sort.Search(len(t.lines), func(i int) bool { return int(t.lines[i]) > off }) - 1
}

func (t *text) pos(off int) diag.Pos {
	line := t.lineOf(off)
	start := int(t.lines[line])
	return diag.Pos{Line: line + 1, Column: t.runesBefore(off) - t.runesBefore(start) + 1, Offset: off}
}

func (t *text) span(start, end int) diag.Range {
	return diag.Range{File: t.file, Start: t.pos(start), End: t.pos(end)}
}
