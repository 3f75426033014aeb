package lsp

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// encoding is the unit in which a client counts the characters of a line.
type encoding string

// The encodings of LSP; every client speaks UTF-16.
const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
	utf32Units encoding = "utf-32"
)

// document is one version of a text. It is never changed: an edit makes a new one.
type document struct {
	uri     string
	path    string // slash-separated, relative to root
	root    string // the repository's folder on disk
	version int
	text    string
	units   encoding
	lines   []int // where each line begins

	once sync.Once
	tree *syntax.Node
}

func newDocument(uri, root, path string, version int, text string, units encoding) *document {
	d := &document{uri: uri, root: root, path: path, version: version, text: text, units: units, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n', text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// parsed is the tree, read on first use; nil where there is none.
func (d *document) parsed() *syntax.Node {
	d.once.Do(func() { d.tree, _ = syntax.Parse(d.path, []byte(d.text)) })
	return d.tree
}

// edited is the next version of the document.
func (d *document) edited(version int, changes []contentChange) *document {
	for _, c := range changes {
		text := c.Text
		if c.Range != nil {
			from, to := d.offset(c.Range.Start), d.offset(c.Range.End)
			text = d.text[:min(from, to)] + c.Text + d.text[max(from, to):]
		}
		d = newDocument(d.uri, d.root, d.path, version, text, d.units)
	}
	return d
}

// line gives a line without its break.
func (d *document) line(n int) (start int, text string) {
	start = d.lines[n]
	end := len(d.text)
	if n+1 < len(d.lines) {
		end = d.lines[n+1]
	}
	return start, strings.TrimRight(d.text[start:end], "\r\n")
}

// offset turns a position into bytes. A place outside of the text is drawn to
// its nearest end, one inside of a character to the character's beginning.
func (d *document) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(d.lines) {
		return len(d.text)
	}
	start, text := d.line(p.Line)
	if d.units == utf8Units {
		at := min(max(p.Character, 0), len(text))
		for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
			at--
		}
		return start + at
	}
	units := 0
	for i, r := range text {
		if units += d.width(r); units > p.Character {
			return start + i
		}
	}
	return start + len(text)
}

// position turns bytes into a position.
func (d *document) position(offset int) position {
	offset = min(max(offset, 0), len(d.text))
	n := sort.SearchInts(d.lines, offset+1) - 1
	start, text := d.line(n)
	text = text[:min(offset-start, len(text))]
	if d.units == utf8Units {
		return position{n, len(text)}
	}
	units := 0
	for _, r := range text {
		units += d.width(r)
	}
	return position{n, units}
}

func (d *document) span(from, to int) span { return span{d.position(from), d.position(to)} }

// width is how many units a character takes. A byte that is no UTF-8 is one.
func (d *document) width(r rune) int {
	if d.units == utf16Units && r > 0xFFFF {
		return 2
	}
	return 1
}
