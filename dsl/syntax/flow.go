package syntax

import (
	"fmt"
	"strings"
)

func isFlowSign(c byte) bool {
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'
}

// flowBlock reads a bracketed value outside brackets, and what wrongly follows it.
func (p *parser) flowBlock(least int) *Node {
	start, mark := p.i, len(p.fs)
	if strings.HasPrefix(p.s[start:], "{{") {
		end := p.plainEnd()
		f := p.report(codeBrace, start, end, "`{` begins a mapping in YAML, and `{{` one inside another.", "Write an expression as ${{ … }}; quote the value if it is text.")
		if text := p.s[start:end]; strings.Index(text, "}}") == len(text)-2 {
			f.Edit = p.edit(start, end, "'$"+strings.ReplaceAll(text, "'", "''")+"'")
		}
		p.move(end)
		return p.raw(start, end)
	}
	n := p.flow(least)
	if n.Kind == Null || p.openAt == p.i+1 || p.halted || p.ended() || p.commentAt(p.i) {
		return n
	}
	end := p.plainEnd()
	if p.t.lineOf(start) != p.t.lineOf(p.i) {
		p.report(codeBrace, p.i, end, "This follows a bracketed value that is already closed.", "Remove it, or quote the whole value.")
		p.move(end)
		return n
	}
	p.fs = p.fs[:min(mark, len(p.fs))]
	what := "mapping"
	if p.s[start] == '[' {
		what = "list"
	}
	if p.colonAfter(p.i) >= 0 {
		p.report(codeFeature, start, p.i, "A key is text; here it is a "+what+".", "Quote the key if it is text.")
	} else {
		p.report(codeBrace, start, end, fmt.Sprintf("`%c` begins a %s in YAML, and text follows behind it.", p.s[start], what), "Quote the whole value.").Edit = p.quoteEdit(start, end)
	}
	p.move(end)
	return p.raw(start, end)
}

// flow reads the bracketed mapping or list at the cursor.
func (p *parser) flow(least int) *Node {
	start := p.i
	if !p.enter() {
		return p.null(start)
	}
	defer p.leave()
	if p.s[start] == '{' {
		m := p.beginMapping()
		p.flowItems('}', least, func() { p.flowEntry(m, least) })
		return p.mappingNode(m, start, max(p.to, start+1))
	}
	base := len(p.items)
	p.flowItems(']', least, func() { p.items = append(p.items, p.flowItem(least)) })
	n := p.node(Sequence, start, max(p.to, start+1))
	n.Items = p.popItems(base)
	return n
}

// flowItems reads what stands between brackets, the closing one included.
func (p *parser) flowItems(closer byte, least int, read func()) {
	opener := p.i
	p.move(p.i + 1)
	p.to = p.i
	comma := true // an item may begin
	for {
		p.next()
		if p.flowOpen(least) {
			p.tellOpen(opener, closer)
			return
		}
		switch c := p.s[p.i]; {
		case c == ']' || c == '}':
			if c != closer {
				p.reportAt(codeBracket, p.t.span(p.i, p.i+1), fmt.Sprintf("`%c` closes what `%c` opened.", c, p.s[opener]), fmt.Sprintf("Write `%c`.", closer), p.t.span(opener, opener+1), "opened here")
			}
			p.move(p.i + 1)
			p.to = p.i
			return
		case c == ',':
			if comma {
				p.report(codeFlow, p.i, p.i+1, "Nothing stands before this comma.", "Remove the comma.").Edit = p.edit(p.i, p.i+1, "")
			}
			p.move(p.i + 1)
			comma = true
		case c == ':' && !comma:
			p.report(codeColon, p.i, p.i+1, "A second colon stands in one entry.", "Quote a value that holds a colon, or put a comma between two entries.")
			p.move(p.i + 1)
			p.flowAfterColon(least)
		default:
			if !comma {
				p.report(codeFlow, p.i, p.i+1, "No comma stands between this and what is before it.", "Write a comma, or quote the whole value.")
			}
			comma = false
			p.progress(func() *Node { read(); return nil })
		}
	}
}

// flowOpen reports whether the brackets end here without their closing sign:
// at the end of the document, or at a line that is not indented deeper.
func (p *parser) flowOpen(least int) bool {
	return p.ended() || p.col() < least && p.first() && p.s[p.i] != ']' && p.s[p.i] != '}' && p.s[p.i] != ','
}

// tellOpen tells open brackets once, at the innermost one.
func (p *parser) tellOpen(opener int, closer byte) {
	if p.openAt == p.i+1 {
		return
	}
	p.openAt = p.i + 1
	if p.openQuoteAt > opener {
		return // the open quote has swallowed the closing sign
	}
	p.report(codeBracket, opener, opener+1, fmt.Sprintf("No `%c` closes it.", closer), fmt.Sprintf("Write `%c` at the end, or quote a value that is text.", closer))
}

// flowEntry reads one `key: value` of a bracketed mapping.
func (p *parser) flowEntry(m *mapping, least int) {
	key := p.flowValue(least)
	p.next()
	if p.flowOpen(least) || p.s[p.i] != ':' {
		p.keepFlowKey(m, key, p.null(key.Range.End.Offset))
		return
	}
	p.move(p.i + 1)
	p.to = p.i
	p.keepFlowKey(m, key, p.besideMerge(key, func() *Node { return p.flowAfterColon(least) }))
}

func (p *parser) keepFlowKey(m *mapping, key, value *Node) {
	if key.Kind == Mapping || key.Kind == Sequence || key.Alias != nil {
		p.report(codeFeature, key.Range.Start.Offset, key.Range.End.Offset, "A key is text.", "Write the key out; quote it if it is text.")
		return
	}
	if key.Value == "" && key.Kind == Null {
		p.report(codeStray, key.Range.Start.Offset, key.Range.End.Offset, "There is no key before this colon.", "Write the key.")
		return
	}
	key.Kind = Scalar
	if p.keys++; p.keys > MaxKeys {
		p.report(codeKeys, key.Range.Start.Offset, key.Range.End.Offset, fmt.Sprintf("wf reads at most %d keys in one file.", MaxKeys), "Split the workflow with `uses:`.")
		p.halt()
		return
	}
	p.add(m, key, value)
}

// flowAfterColon reads the value behind a colon inside brackets.
func (p *parser) flowAfterColon(least int) *Node {
	at := p.i
	p.next()
	if p.flowOpen(least) || p.s[p.i] == ',' || p.s[p.i] == ']' || p.s[p.i] == '}' {
		return p.null(at)
	}
	return p.flowValue(least)
}

// flowItem reads one item of a bracketed list; `[a: b]` is a list of one mapping.
func (p *parser) flowItem(least int) *Node {
	start := p.i
	n := p.flowValue(least)
	back, line := p.i, p.ls
	p.next()
	if p.ended() || p.s[p.i] != ':' || n.Kind == Sequence || n.Kind == Mapping {
		p.i, p.ls = back, line
		return n
	}
	m := p.beginMapping()
	p.move(p.i + 1)
	p.to = p.i
	p.keepFlowKey(m, n, p.flowAfterColon(least))
	return p.mappingNode(m, start, p.to)
}

// flowValue reads a value inside brackets.
func (p *parser) flowValue(least int) *Node {
	start := p.i
	switch c := p.s[p.i]; c {
	case '"', '\'':
		return p.flowQuoted(least)
	case '{', '[':
		if strings.HasPrefix(p.s[p.i:], "{{") {
			return p.flowPlain(least)
		}
		return p.flow(least)
	case '*':
		return p.alias(p.flowEnd(p.i), true)
	case '&':
		return p.flowAnchor(least)
	case '!':
		return p.flowTag(least)
	case ':':
		return p.null(start)
	case '|', '>', '%', '@', '`', '#':
		return p.reserved(p.flowEnd(p.i))
	case '-', '?':
		if p.blankAt(p.i + 1) {
			p.report(codeFlow, p.i, p.i+1, fmt.Sprintf("`%c ` has no place inside brackets.", c), "Separate items with commas; quote a value that is text.")
			p.move(p.i + 1)
			p.next()
			if p.flowOpen(least) || isFlowSign(p.s[p.i]) {
				return p.null(start)
			}
			return p.progress(func() *Node { return p.flowPlain(least) })
		}
	}
	return p.flowPlain(least)
}

func (p *parser) flowQuoted(least int) *Node {
	start := p.i
	end := p.scanQuote(least)
	if end < 0 {
		return p.openQuote(p.lineText())
	}
	p.move(end)
	if end >= len(p.s) || isSpace(p.s[end]) || isFlowSign(p.s[end]) || p.s[end] == ':' {
		n := p.quotedNode(start, end)
		p.checkLoose(n)
		return n
	}
	text := p.flowEnd(end)
	p.tellHalf(start, end, text)
	p.move(text)
	return p.raw(start, text)
}

func (p *parser) flowAnchor(least int) *Node {
	name, end := p.name(true)
	if !isName(name) {
		return p.reserved(p.flowEnd(p.i))
	}
	a, mark, deepest := p.openAnchor(name, end)
	p.move(end)
	p.to = end
	p.skipProperties(true)
	n := p.flowAfterColon(least)
	p.closeAnchor(a, n, mark, deepest)
	return n
}

func (p *parser) flowTag(least int) *Node {
	start := p.i
	name, end := p.name(true)
	text := p.flowEnd(start)
	f := p.report(codeTag, start, text, fmt.Sprintf("`!%s` is a tag; wf takes the type of a value from the field it stands in.", name), "Remove the tag; quote a value that is text.")
	if end < text {
		p.move(end)
		p.skipProperties(true)
		return p.flowAfterColon(least)
	}
	f.Edit = p.quoteEdit(start, text)
	p.move(text)
	return p.raw(start, text)
}

// flowEnd is where unquoted text at i ends on its line, inside brackets.
func (p *parser) flowEnd(i int) int {
	start, stop := i, p.lineEnd(i)
	for i++; i < stop && !p.flowStop(i); i++ {
	}
	return max(trimRight(p.s, start, min(i, stop)), start+1)
}

// flowStop reports whether unquoted text inside brackets ends at i.
func (p *parser) flowStop(i int) bool {
	switch c := p.s[i]; c {
	case ':':
		return p.blankAt(i+1) || isFlowSign(p.s[i+1])
	case '#':
		return isBlank(p.s[i-1])
	default:
		return isFlowSign(c)
	}
}

// flowPlain reads unquoted text inside brackets, which may go on on the next
// lines. Expressions and globs in it are read as they are meant, and refused.
func (p *parser) flowPlain(least int) *Node {
	start := p.i
	var f *folder
	end, bad := p.flowLine(start)
	p.move(end)
	for {
		back, line := p.i, p.ls
		crossed := p.next()
		if !crossed || p.flowOpen(least) || p.ends(back) || p.flowStop(p.i) {
			p.i, p.ls = back, line
			break
		}
		if f == nil {
			f = &folder{}
			f.add(p.s[start:end], start, end-start)
		}
		f.fold(strings.Count(p.s[end:p.i], "\n")-1, end, p.i-end)
		at := p.i
		more := ""
		end, more = p.flowLine(at)
		f.add(p.s[at:end], at, end-at)
		p.move(end)
		if bad == "" {
			bad = more
		}
	}
	n := p.plainNode(start, end, f)
	p.tellFlow(n, bad, f == nil)
	return n
}

// ends reports whether a comment was passed on the way to the cursor.
func (p *parser) ends(from int) bool { return strings.IndexByte(p.s[from:p.i], '#') >= 0 }

// farthest bounds the look-ahead for a closing sign; an expression has at most
// 4 KB, and without a bound a line of openings would cost its square.
const farthest = 8 << 10

// flowLine finds where unquoted text at i ends on its line. bad says what of
// an expression or a glob stands in it: "${{", "{{" or a bracket.
func (p *parser) flowLine(i int) (end int, bad string) {
	start, stop := i, p.lineEnd(i)
	for ; i < stop; i++ {
		rest := p.s[i:stop]
		sign, close := "", ""
		switch {
		case strings.HasPrefix(rest, "${{"), strings.HasPrefix(rest, "$ {{"):
			sign, close = "${{", "}}"
		case strings.HasPrefix(rest, "{{"):
			sign, close = "{{", "}}"
		case i > start && rest[0] == '{' && !isBlank(p.s[i-1]):
			sign, close = "{", "}"
		case i > start && rest[0] == '[' && !isBlank(p.s[i-1]):
			sign, close = "[", "]"
		case i > start && p.flowStop(i):
			return trimRight(p.s, start, i), bad
		default:
			continue
		}
		k := strings.Index(rest[:min(len(rest), farthest)], close)
		if k < 0 {
			if i == start {
				k = len(rest) - len(close)
			} else {
				return trimRight(p.s, start, i), bad
			}
		}
		if bad == "" {
			bad = sign
		}
		i += k + len(close) - 1
	}
	return trimRight(p.s, start, stop), bad
}

func (p *parser) tellFlow(n *Node, bad string, oneLine bool) {
	if bad == "" {
		return
	}
	c, detail := codeExprFlow, fmt.Sprintf("Inside brackets `%s` opens another mapping.", bad)
	hint := "Quote the whole value."
	switch bad {
	case "{{":
		hint = "Write an expression as \"${{ … }}\", in quotes; quote a value that is text."
		oneLine = false
	case "{", "[":
		c, detail = codeFlow, fmt.Sprintf("Inside brackets `%s` opens another value.", bad)
	}
	f := p.report(c, n.Range.Start.Offset, n.Range.End.Offset, detail, hint)
	if oneLine {
		f.Edit = p.quoteEdit(n.Range.Start.Offset, n.Range.End.Offset)
	}
}
