package syntax

import (
	"fmt"
	"strings"
)

// header is what stands behind the | or > of a text block.
type header struct {
	chomp  byte // '-', '+' or 0
	indent int  // 0: as the first line
}

// blockScalar reads a text block: its header, then lines indented deeper than the key.
func (p *parser) blockScalar(least int) *Node {
	start := p.i
	style := Literal
	if p.s[start] == '>' {
		style = Folded
	}
	h := p.header()
	body := lines{p: p, i: p.lineEnd(p.i)}
	indent := p.blockIndent(h, least, body)
	f := &folder{}
	end := p.blockLines(f, &body, indent, style, h.chomp)
	n := p.text(style, start, max(end, p.i), f)
	p.move(body.i)
	p.block = textBlock{end: p.to, indent: indent}
	p.checkLoose(n)
	return n
}

// textBlock is the text block that was read last.
type textBlock struct{ end, indent int }

// header reads up to the end of the header's line.
func (p *parser) header() header {
	var h header
	i, start := p.i+1, p.i
	for ; i < len(p.s) && !isSpace(p.s[i]); i++ {
		switch c := p.s[i]; {
		case (c == '-' || c == '+') && h.chomp == 0:
			h.chomp = c
		case c >= '1' && c <= '9' && h.indent == 0:
			h.indent = int(c - '0')
		default:
			end := p.plainEnd()
			f := p.report(codeHeader, start, end, fmt.Sprintf("After `%c` only `-`, `+` and a digit may stand; the text begins on the next line.", p.s[start]), "Put the text on the next line, or quote a value that is text.")
			f.Edit = p.quoteEdit(start, end)
			p.move(end)
			return h
		}
	}
	p.move(i)
	p.to = i
	if !p.commentAt(i) {
		p.report(codeHeader, start, p.lineText(), fmt.Sprintf("After `%s` the line must end; the text begins on the next line.", p.s[start:i]), "Put the text on the next line, or quote a value that is text.")
	}
	return h
}

// lines walks over whole lines behind the cursor's line.
type lines struct {
	p *parser
	i int // somewhere in the line before the next one, then each line's end
}

// next gives the next line's first byte and its end, without its break.
func (l *lines) next() (start, end int, ok bool) {
	s := l.p.s
	k := strings.IndexByte(s[l.i:], '\n')
	if k < 0 || l.i+k+1 >= len(s) {
		return 0, 0, false
	}
	start = l.i + k + 1
	return start, l.p.lineEnd(start), true
}

// blockIndent is the indentation of a block's text: as its header says, or as
// its first line that is not empty.
func (p *parser) blockIndent(h header, least int, body lines) int {
	if h.indent > 0 {
		return max(least-1, 0) + h.indent
	}
	deepest, deepAt := 0, 0
	for {
		start, end, ok := body.next()
		if !ok {
			return max(least, deepest)
		}
		spaces := indentOf(p.s[start:end])
		if start+spaces == end {
			if spaces > deepest {
				deepest, deepAt = spaces, start
			}
			body.i = end
			continue
		}
		if spaces < least {
			return max(least, deepest)
		}
		if deepest > spaces {
			p.report(codeIndent, deepAt, deepAt+deepest, "This empty line is indented deeper than the text that follows it.", "Remove its spaces.").Edit = p.edit(deepAt, deepAt+deepest, "")
		}
		return spaces
	}
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// blockLines reads the lines of a block and returns where its text ends.
func (p *parser) blockLines(f *folder, body *lines, indent int, style Style, chomp byte) int {
	last := -1 // end of the last line with text
	blank := 0 // empty lines since
	deep := false
	for {
		start, end, ok := body.next()
		if !ok {
			break
		}
		spaces := indentOf(p.s[start:end])
		if start+spaces < end && spaces < indent || p.markerAt(start) {
			break
		}
		body.i = end
		if start+spaces == end && spaces <= indent {
			blank++
			continue
		}
		text := start + indent
		more := isBlank(p.s[text])
		p.blockBreak(f, last, text, blank, style == Literal || deep || more)
		f.add(p.s[text:end], text, end-text)
		last, blank, deep = end, 0, more
	}
	return p.chomp(f, body.i, last, blank, chomp)
}

// blockBreak adds what stands between two lines of text.
func (p *parser) blockBreak(f *folder, last, text, blank int, keep bool) {
	switch {
	case last < 0 && blank > 0:
		from := p.lineEnd(p.i)
		f.add(strings.Repeat("\n", blank), from, text-from)
	case last < 0:
	case keep:
		f.add(strings.Repeat("\n", blank+1), last, text-last)
	default:
		f.fold(blank, last, text-last)
	}
}

// chomp adds the line breaks at the end that the header keeps.
func (p *parser) chomp(f *folder, i, last, blank int, how byte) int {
	switch {
	case how == '+' && last < 0 && blank > 0:
		f.add(strings.Repeat("\n", blank), p.lineEnd(p.i), i-p.lineEnd(p.i))
		return i
	case last < 0:
		return p.i
	case how == '+' && p.breakAt(last):
		n := blank
		if p.breakAt(i) || blank == 0 {
			n++
		}
		f.add(strings.Repeat("\n", n), last, max(i, last)-last+p.breakLen(i))
		return max(i, last)
	case how == 0 && p.breakAt(last):
		f.add("\n", last, p.breakLen(last))
	}
	return last
}

// breakAt reports whether a line break is at i.
func (p *parser) breakAt(i int) bool { return p.breakLen(i) > 0 }

func (p *parser) breakLen(i int) int {
	switch {
	case strings.HasPrefix(p.s[i:], "\r\n"):
		return 2
	case strings.HasPrefix(p.s[i:], "\n"):
		return 1
	}
	return 0
}
