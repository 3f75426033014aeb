package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// lineQuote is where the quoted text at i ends, behind its quote, if that is on the same line; or -1.
func (p *parser) lineQuote(i int) int { return p.closing(p.s[i], i+1, p.lineEnd(i)) }

// closing is the place behind the closing quote q between i and stop, or -1.
func (p *parser) closing(q byte, i, stop int) int {
	for ; i < stop; i++ {
		switch {
		case p.s[i] == '\\' && q == '"':
			i++
		case p.s[i] != q:
		case q == '\'' && i+1 < stop && p.s[i+1] == '\'':
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// scanQuote finds the end of the quoted text at the cursor. Its further lines
// must be indented by least; a line that is not shows that the quote is open.
func (p *parser) scanQuote(least int) int {
	q, from, stop := p.s[p.i], p.i+1, p.lineEnd(p.i)
	for {
		if end := p.closing(q, from, stop); end >= 0 {
			return end
		}
		from = stop + strings.IndexByte(p.s[stop:], '\n') + 1
		if stop >= len(p.s) || p.markerAt(from) {
			return -1
		}
		at := from
		for at < len(p.s) && isBlank(p.s[at]) {
			at++
		}
		if at >= len(p.s) || at-from < least && p.s[at] != '\n' && p.s[at] != '\r' {
			return -1
		}
		stop = p.lineEnd(from)
	}
}

// quotedBlock reads quoted text outside brackets, and what wrongly follows it.
func (p *parser) quotedBlock(least int) *Node {
	start := p.i
	end := p.scanQuote(least)
	if end < 0 {
		return p.openQuote(p.lineText())
	}
	if p.commentAt(end) {
		n := p.quotedNode(start, end)
		p.move(end)
		p.checkLoose(n)
		return n
	}
	p.move(end)
	text := p.plainEnd()
	p.tellHalf(start, end, text)
	p.move(text)
	return p.raw(start, text)
}

// openQuote tells a quote that is never closed and keeps the rest of the line as text.
func (p *parser) openQuote(end int) *Node {
	start := p.i
	q := p.s[start : start+1]
	f := p.report(codeQuote, start, end, fmt.Sprintf("The text that begins here has no closing %s.", q), "Close it at the end of the value.")
	if !strings.Contains(p.s[start+1:end], q) && !strings.Contains(p.s[start:end], " #") && !strings.HasSuffix(p.s[start:end], `\`) {
		f.Edit = p.edit(end, end, q)
	}
	p.openQuoteAt = start + 1
	n := p.raw(min(start+1, end), end)
	p.move(end)
	return n
}

// tellHalf tells text behind a closing quote.
func (p *parser) tellHalf(start, end, text int) {
	q, rest := p.s[start], p.s[end:text]
	f := p.report(codeHalfQuoted, start, text, fmt.Sprintf("The quote closes before `%s`.", strings.TrimSpace(clip(rest))), "Quote the whole value.")
	switch {
	case rest[0] == '#':
		f.Detail, f.Hint, f.Edit = "The quote closes before `#`, which begins a comment only after a space.", "Put a space before the `#`.", p.edit(end, end, " ")
	case strings.ContainsRune(p.s[start:end], '\n'):
	case strings.Contains(p.s[start:text], "${{") && rest[len(rest)-1] == q && !isBlank(rest[0]):
		p.mendInside(f, start, text, q)
	case strings.Contains(rest, "${{") && isBlank(rest[0]) && !strings.ContainsAny(p.s[start:end-1], `\`):
		f.Edit = p.edit(start, text, "'"+strings.ReplaceAll(p.s[start+1:end-1]+rest, "'", "''")+"'")
	case q == '\'' && strings.HasSuffix(rest, "'") && strings.Count(rest, "'") == 1:
		inner := strings.ReplaceAll(p.s[start+1:text-1], "''", "'")
		f.Hint, f.Edit = "Write a quote inside single quotes twice.", p.edit(start, text, "'"+strings.ReplaceAll(inner, "'", "''")+"'")
	case !isBlank(rest[0]) && !strings.ContainsAny(rest, `'"\`):
		f.Hint, f.Edit = "Close the quote at the end of the value.", p.edit(start, text, p.s[start:end-1]+rest+string(q))
	}
}

// mendInside is for an expression whose quotes are those of the value around it.
func (p *parser) mendInside(f *diag.Finding, start, text int, q byte) {
	inner, other := p.s[start+1:text-1], `'`
	if q == '\'' {
		other = `"`
	}
	f.Hint = "Inside an expression use the other quotes: " + other + "…" + other + " around the value, " + string(q) + "…" + string(q) + " inside it."
	if !strings.Contains(inner, other) && (q == '"' || !strings.Contains(inner, `\`)) && !strings.Contains(inner, `\"`) {
		if q == '\'' {
			inner = strings.ReplaceAll(inner, `"`, `\"`)
		}
		f.Edit = p.edit(start, text, other+inner+other)
	}
}

// clip shortens text for a message.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	k := most
	for k > 0 && !utf8.RuneStart(s[k]) {
		k--
	}
	return s[:k] + "…"
}

// quotedNode decodes the quoted text of start to end, both quotes included.
func (p *parser) quotedNode(start, end int) *Node {
	style, special := SingleQuoted, "'\n"
	if p.s[start] == '"' {
		style, special = DoubleQuoted, "\\\n"
	}
	inner := p.s[start+1 : end-1]
	if strings.ContainsAny(inner, special) {
		f := &folder{}
		p.decodeQuoted(f, start+1, end-1, style)
		return p.text(style, start, end, f)
	}
	n := p.node(Scalar, start, end)
	n.Style, n.Value, n.origin = style, inner, p.whole
	p.to = end
	return n
}

// decodeQuoted decodes the inside of quotes line by line.
func (p *parser) decodeQuoted(f *folder, i, end int, style Style) {
	from := i // what is not yet added
	flush := func(to int) { f.add(p.s[from:to], from, to-from) }
	for i < end {
		switch c := p.s[i]; {
		case c == '\'' && style == SingleQuoted:
			flush(i)
			f.add("'", i, 2)
			i += 2
			from = i
		case c == '\\' && style == DoubleQuoted:
			flush(i)
			i = p.escape(f, i, end)
			from = i
		case c == '\n':
			text := trimRight(p.s, from, i)
			flush(text)
			at, blank := foldPoint(p.s, i, end)
			f.fold(blank, text, at-text)
			i, from = at, at
		default:
			i++
		}
	}
	flush(end)
}

// foldPoint finds the text after the line break at i, and how many empty lines stand before it.
func foldPoint(s string, i, end int) (at, blank int) {
	for at = i + 1; at < end; at++ {
		switch {
		case s[at] == '\n':
			blank++
		case !isBlank(s[at]) && (s[at] != '\r' || at+1 >= len(s) || s[at+1] != '\n'):
			return at, blank
		}
	}
	return at, blank
}

var simpleEscapes = map[byte]string{
	'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escape decodes the escape at i and returns where it ends.
func (p *parser) escape(f *folder, i, end int) int {
	c := p.s[i+1] // a backslash before the closing quote would have taken it
	if s, ok := simpleEscapes[c]; ok {
		f.add(s, i, 2)
		return i + 2
	}
	if c == '\n' || c == '\r' {
		at, blank := foldPoint(p.s, p.lineEnd(i)+strings.IndexByte(p.s[p.lineEnd(i):], '\n'), end)
		if blank > 0 {
			f.fold(blank, i, at-i)
		}
		return at
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]; digits > 0 && i+2+digits <= end {
		if to, r := p.codePoint(i, digits, end); r > 0 {
			f.add(string(r), i, to-i)
			return to
		}
	}
	_, size := utf8.DecodeRuneInString(p.s[i+1:])
	to := min(i+1+size, end)
	fnd := p.report(codeEscape, i, to, fmt.Sprintf("`%s` is no escape of YAML.", p.s[i:to]), `Write \\ for a backslash, or use single quotes, in which nothing is escaped.`)
	fnd.Edit = p.edit(i, i, `\`)
	if c == '0' || c == 'x' || c == 'u' || c == 'U' {
		fnd.Detail, fnd.Edit = fmt.Sprintf("`%s` here gives no character that text may hold.", p.s[i:to]), nil
	}
	f.add(p.s[i:to], i, to-i)
	return to
}

// codePoint reads a numeric escape; two halves of a UTF-16 pair are one
// character, as JSON writes it. 0 where it is none, or NUL.
func (p *parser) codePoint(i, digits, end int) (to int, r rune) {
	to = i + 2 + digits
	n, err := strconv.ParseUint(p.s[i+2:to], 16, 32)
	if err != nil {
		return to, 0
	}
	r = rune(n)
	if utf16.IsSurrogate(r) && to+6 <= end && p.s[to:to+2] == `\u` {
		low, err := strconv.ParseUint(p.s[to+2:to+6], 16, 32)
		if err != nil {
			return to, 0
		}
		r, to = utf16.DecodeRune(r, rune(low)), to+6
		if r == utf8.RuneError {
			return to, 0
		}
	}
	if !utf8.ValidRune(r) {
		return to, 0
	}
	return to, r
}
