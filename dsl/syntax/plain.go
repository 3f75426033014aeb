package syntax

import (
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// accident is the first thing in an unquoted scalar that YAML reads otherwise
// than its author meant; code is the zero Code where there is none.
type accident struct {
	code       diag.Code
	start, end int
	inside     bool // between ${{ and }}
}

// folder joins the lines of a folded scalar and keeps how they map back.
type folder struct {
	b    strings.Builder
	segs []seg
}

// add appends text that came from size bytes at src.
func (f *folder) add(s string, src, size int) {
	if s == "" {
		return
	}
	f.segs = append(f.segs, seg{val: int32(f.b.Len()), src: int32(src), size: int32(size)})
	f.b.WriteString(s)
}

// fold appends what a break between two lines becomes, with blank empty lines between them.
func (f *folder) fold(blank, src, size int) {
	if blank == 0 {
		f.add(" ", src, size)
		return
	}
	f.add(strings.Repeat("\n", blank), src, size)
}

// text is a scalar of several stretches.
func (p *parser) text(style Style, start, end int, f *folder) *Node {
	n := p.node(Scalar, start, end)
	n.Style, n.Value = style, f.b.String()
	n.origin = &origin{text: p.t, segs: f.segs}
	if f.segs == nil {
		n.origin.segs = []seg{{src: int32(end)}}
	}
	p.to = end
	return n
}

// plainEnd is where unquoted text ends on the cursor's line, before a comment.
func (p *parser) plainEnd() int {
	end := p.lineEnd(p.i)
	if k := strings.Index(p.s[p.i:end], " #"); k >= 0 {
		end = p.i + k
	}
	return p.i + max(1, len(strings.TrimRight(p.s[p.i:end], " \t\r")))
}

// plain reads an unquoted scalar outside brackets, which may go on over
// deeper-indented lines.
func (p *parser) plain(least int) *Node {
	start := p.i
	var acc accident
	end, more, inside := p.plainLine(start, false, &acc)
	p.move(end)
	var f *folder
	listed := false
	for more {
		at, blank := p.continuation(least, inside)
		if at < 0 {
			break
		}
		if f == nil {
			f = &folder{}
			f.add(p.s[start:end], start, end-start)
		}
		f.fold(blank, end, at-end)
		p.move(at)
		if p.atDash() && !listed {
			listed = true
			p.report(codeIndent, at, p.lineText(), "A list item stands under a value that begins on the key's line; YAML would take it as more of that text.", "Put text of several lines under `key: |`, or leave the key's line empty for a list.")
		}
		if end, more, inside = p.plainLine(at, inside, &acc); end > at {
			f.add(p.s[at:end], at, end-at)
		}
		p.move(end)
	}
	n := p.plainNode(start, end, f)
	p.tellAccident(acc, n, f == nil)
	if f == nil {
		p.checkTypographic(n, start, end)
	}
	return n
}

// typographic are quotes of text processors, as they open and close.
var typographic = [][2]string{{"“", "”"}, {"”", "”"}, {"„", "“"}, {"‘", "’"}, {"’", "’"}, {"«", "»"}}

// checkTypographic refuses a value in quotes that quote nothing; it is read as
// if they did.
func (p *parser) checkTypographic(n *Node, start, end int) {
	if n.Kind != Scalar || start >= len(p.s) || p.s[start] < 0x80 {
		return
	}
	for _, q := range typographic {
		if inner, ok := strings.CutPrefix(n.Value, q[0]); ok && strings.HasSuffix(inner, q[1]) {
			inner = strings.TrimSuffix(inner, q[1])
			p.report(codeTypographic, start, end, "These quotes are letters to YAML, as a text processor sets them, and stay part of the value.", "Write straight quotes.").Edit =
				p.edit(start, end, "'"+strings.ReplaceAll(inner, "'", "''")+"'")
			return
		}
	}
}

func (p *parser) plainNode(start, end int, f *folder) *Node {
	if f != nil {
		n := p.text(Plain, start, end, f)
		p.checkLoose(n)
		return n
	}
	n := p.raw(start, end)
	switch n.Value {
	case "~", "null", "Null", "NULL":
		n.Kind = Null
	}
	p.checkLoose(n)
	return n
}

// plainLine finds where the text of a line ends, whether it may go on below,
// and whether an expression is still open there.
func (p *parser) plainLine(i int, inside bool, acc *accident) (end int, more, open bool) {
	start, stop := i, p.lineEnd(i)
	for ; i < stop; i++ {
		switch c := p.s[i]; {
		case c == '$' && strings.HasPrefix(p.s[i:], "${{"):
			inside = true
			i += 2
		case c == '}' && inside && strings.HasPrefix(p.s[i:], "}}"):
			inside = false
			i++
		case c == ':' && p.blankAt(i+1):
			acc.note(codeExprColon, codeColon, inside, i)
		case c == '#' && i > start && isBlank(p.s[i-1]):
			if !inside {
				return trimRight(p.s, start, i), false, false
			}
			acc.note(codeExprHash, codeExprHash, true, i)
			if !strings.Contains(p.s[i:min(stop, i+farthest)], "}}") {
				return trimRight(p.s, start, i), false, false
			}
		}
	}
	return trimRight(p.s, start, stop), true, inside
}

func trimRight(s string, start, end int) int {
	return start + len(strings.TrimRight(s[start:end], " \t\r"))
}

// note keeps the first accident: quoting the value mends all of them.
func (a *accident) note(in, out diag.Code, inside bool, at int) {
	if a.code.ID != "" {
		return
	}
	a.code, a.start, a.end, a.inside = out, at, at+1, inside
	if inside {
		a.code = in
	}
}

// continuation finds the next line of an unquoted scalar: where its text
// begins, and how many empty lines stand before it; -1 where there is none.
func (p *parser) continuation(least int, inside bool) (at, blank int) {
	i := p.lineEnd(p.i)
	for blank = -1; i < len(p.s); blank++ {
		i += strings.IndexByte(p.s[i:], '\n') + 1 // a line ends here, so it is found
		at = i
		for at < len(p.s) && p.s[at] == ' ' {
			at++
		}
		deep := at-i >= least
		for deep && at < len(p.s) && isBlank(p.s[at]) {
			at++
		}
		if at >= len(p.s) {
			return -1, 0
		}
		if p.s[at] != '\n' && p.s[at] != '\r' {
			if !deep || p.s[at] == '#' || p.markerAt(i) || !inside && p.keyLike(at) {
				return -1, 0
			}
			return at, blank + 1
		}
		i = p.lineEnd(at)
		if i >= len(p.s) {
			return -1, 0
		}
	}
	return -1, 0
}

// keyLike reports whether the line at i reads as a key with its value.
func (p *parser) keyLike(i int) bool { return p.keyEnd(i) >= 0 }

// markerAt reports whether a document marker is at i, the beginning of a line.
func (p *parser) markerAt(i int) bool {
	return (strings.HasPrefix(p.s[i:], "---") || strings.HasPrefix(p.s[i:], "...")) && p.blankAt(i+3)
}

func (p *parser) tellAccident(a accident, n *Node, oneLine bool) {
	if a.code.ID == "" {
		return
	}
	start, end := n.Range.Start.Offset, n.Range.End.Offset
	detail, hint := "YAML takes a colon followed by a space as the end of a key.", "Quote the whole value."
	switch a.code.ID {
	case codeExprColon.ID:
		detail = "YAML takes `: ` as the end of a key, also inside ${{ }}."
	case codeExprHash.ID:
		detail = "YAML takes ` #` as the beginning of a comment, also inside ${{ }}."
	}
	f := p.report(a.code, a.start, a.end, detail, hint)
	if oneLine {
		f.Edit = p.quoteEdit(start, end)
	} else {
		f.Hint = "Write the value under `|` or `>`, or quote it."
	}
}

// quoteEdit puts a stretch of one line into single quotes, where nothing but ” is special.
func (p *parser) quoteEdit(start, end int) *diag.Edit {
	return p.edit(start, end, "'"+strings.ReplaceAll(p.s[start:end], "'", "''")+"'")
}

// checkLoose refuses `$ {{` and `${ {`, which open no expression.
func (p *parser) checkLoose(n *Node) {
	if !p.loose {
		return
	}
	for _, sign := range []string{"$ {{", "${ {"} {
		if k := strings.Index(n.Value, sign); k >= 0 {
			r := n.RangeAt(k, k+len(sign))
			p.report(codeLoose, r.Start.Offset, r.End.Offset, "`"+sign+"` is plain text; the expression would never be evaluated.",
				"Write `${{` without a space.").Edit = p.edit(r.Start.Offset, r.End.Offset, "${{")
		}
	}
}
