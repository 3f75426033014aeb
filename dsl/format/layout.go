package format

import "strings"

// level is an open mapping or list: where its keys or dashes stood, and where they go.
type level struct {
	was, is int
	list    bool
}

// layout turns tokens into the canonical text.
type layout struct {
	s      string
	tokens []token
	page   page
	levels []level
	open   []int   // of each open bracket, the base of its line
	aside  []aside // comments on lines of their own, waiting for the line below them
	indent int     // of the line being written
	base   int     // where the text of that line begins, behind its dashes
	cur    []byte  // the line being written, without its indentation
	exact  bool    // the file ends in a text block whose last line break would be text
}

type aside struct {
	column int
	text   string
	blank  bool // an empty line stands above it
}

func layOut(s string, tokens []token) string {
	l := &layout{s: s, tokens: tokens}
	for i := 0; i < len(tokens); {
		i = l.line(i)
	}
	l.comments(-1, 0, l.levels)
	return l.page.text(!l.exact)
}

// line lays out the line whose first token is i, and gives the token behind it.
func (l *layout) line(i int) int {
	switch t := l.tokens[i]; t.kind {
	case newline:
		if i > 0 && l.tokens[i-1].kind == newline {
			l.page.blank = true
		}
		return i + 1
	case comment:
		l.aside = append(l.aside, aside{l.column(t), l.text(t), l.page.blank})
		l.page.blank = false
		return i + 1
	}
	l.begin(i)
	l.base = l.indent
	for first := i; i < len(l.tokens) && l.tokens[i].kind != newline; i++ {
		t := l.tokens[i]
		if t.kind == comment {
			l.flush(l.text(t))
			return i + 1
		}
		if i > first {
			l.cur = append(l.cur, gap(l.tokens[i-1].kind, t.kind)...)
		}
		if l.write(i); t.kind == block {
			return i + 1
		}
	}
	l.flush("")
	return i
}

func (l *layout) flush(remark string) {
	l.page.put(strings.Repeat(" ", l.indent) + string(l.cur))
	l.page.remark(remark)
	l.cur = l.cur[:0]
}

func (l *layout) column(t token) int {
	return t.start - (strings.LastIndexByte(l.s[:t.start], '\n') + 1)
}

func (l *layout) text(t token) string { return strings.TrimRight(l.s[t.start:t.end], " \t\r") }

// begin finds the indentation of a line and writes the comments above it.
func (l *layout) begin(i int) {
	t, column := l.tokens[i], l.column(l.tokens[i])
	switch {
	case t.kind == marker:
		l.comments(column, 0, l.levels)
		l.levels, l.indent = nil, 0
	case len(l.open) > 0:
		l.indent = l.inside()
		l.comments(column, l.indent, nil)
		if t.kind == closer {
			l.indent = l.open[len(l.open)-1]
		}
	default:
		before := append([]level(nil), l.levels...)
		l.indent = l.place(i, column)
		l.comments(column, l.indent, before)
	}
}

// comments writes the comments above a line that moved from column was to
// column is. One that stood where the line stood stays with it; one that stood
// where the keys of an open level stand stays with that level.
func (l *layout) comments(was, is int, levels []level) {
	due := l.page.blank
	for _, c := range l.aside {
		to := is
		for _, v := range levels {
			if v.was == c.column && c.column != was {
				to = v.is
			}
		}
		l.page.blank = c.blank
		l.page.put(strings.Repeat(" ", to) + c.text)
	}
	l.aside = l.aside[:0]
	l.page.blank = due
}

// place closes and opens levels for a line outside brackets and gives its indentation.
func (l *layout) place(i, column int) int {
	isDash, isKey := l.tokens[i].kind == dash, l.keyAt(i)
	for n := len(l.levels); n > 0; n = len(l.levels) {
		top := l.levels[n-1]
		if top.was < column || top.was == column && (isDash || isKey && !top.list) {
			break
		}
		l.levels = l.levels[:n-1]
	}
	if !isDash && !isKey {
		return l.below()
	}
	if n := len(l.levels); n > 0 && l.levels[n-1].was == column && l.levels[n-1].list == isDash {
		return l.levels[n-1].is
	}
	return l.enter(column, isDash)
}

// below is the indentation of what stands below the innermost level.
func (l *layout) below() int {
	if len(l.levels) == 0 {
		return 0
	}
	return l.levels[len(l.levels)-1].is + step
}

func (l *layout) enter(column int, list bool) int {
	is := l.below()
	l.levels = append(l.levels, level{column, is, list})
	return is
}

// inside is the indentation of a line between brackets.
func (l *layout) inside() int { return l.open[len(l.open)-1] + step }

// further is the indentation of the further lines of a text.
func (l *layout) further() int {
	if len(l.open) > 0 {
		return l.inside()
	}
	return max(l.below(), step)
}

// keyAt reports whether token i begins a key.
func (l *layout) keyAt(i int) bool {
	if l.tokens[i].kind == property {
		i++
	}
	return i+1 < len(l.tokens) && l.tokens[i].kind == word && l.tokens[i+1].kind == colon
}

// write adds a token to the line.
func (l *layout) write(i int) {
	t := l.tokens[i]
	switch t.kind {
	case dash:
		l.cur = append(l.cur, "-"...)
		l.base += step
		if i+1 < len(l.tokens) && (l.tokens[i+1].kind == dash || l.keyAt(i+1)) {
			l.enter(l.column(l.tokens[i+1]), l.tokens[i+1].kind == dash)
		}
	case opener:
		l.cur = append(l.cur, l.text(t)...)
		l.open = append(l.open, l.base)
	case closer:
		l.cur = append(l.cur, l.text(t)...)
		l.open = l.open[:len(l.open)-1]
	case word:
		l.cur = append(l.cur, requote(l.s[t.start:t.end])...)
	case quoted, folded:
		l.lines(t)
	case block:
		l.block(t)
	default:
		l.cur = append(l.cur, l.text(t)...)
	}
}

// gap is what stands between two tokens of one line.
func gap(a, b kind) string {
	switch {
	case a == opener, b == closer, b == comma, b == colon:
		return ""
	}
	return " "
}
