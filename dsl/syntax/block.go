package syntax

import (
	"fmt"
	"strings"
)

// place says where a value may stand.
type place struct {
	min  int  // least indentation of a value below the cursor
	list int  // least indentation of a list below the cursor: a key's list may stand at the key's own
	open bool // a mapping or list may begin on the cursor's line
}

// fits reports whether the cursor, on a new line, stands deep enough.
func (p *parser) fits(at place) bool {
	return p.col() >= at.min || p.atDash() && p.col() >= at.list
}

func (p *parser) atDash() bool {
	return p.i < len(p.s) && p.s[p.i] == '-' && p.blankAt(p.i+1)
}

// value reads the value at the cursor or below it; a Null where there is none.
func (p *parser) value(at place) *Node {
	empty := p.i
	crossed := p.next()
	at.open = at.open || crossed
	if p.ended() || crossed && !p.fits(at) {
		return p.null(empty)
	}
	switch p.s[p.i] {
	case '&':
		return p.anchored(at)
	case '!':
		return p.tagged(at)
	}
	return p.content(at)
}

// content reads a value without anchor and tag.
func (p *parser) content(at place) *Node {
	if p.atDash() {
		if !at.open {
			p.report(codeIndent, p.i, p.i+1, "A list cannot begin on the line of its key.", "Put each `- ` on a line of its own, or write [a, b].")
		}
		return p.sequence(at.list)
	}
	if at.open && p.keyAhead() {
		return p.mapping(at.min)
	}
	switch c := p.s[p.i]; c {
	case '"', '\'':
		return p.quotedBlock(at.min)
	case '|', '>':
		return p.blockScalar(at.min)
	case '{', '[':
		return p.flowBlock(at.min)
	case '*':
		return p.alias(p.plainEnd(), false)
	case '%', '@', '`', ',', ']', '}', '&', '!':
		return p.reserved(p.plainEnd())
	case '?':
		if p.blankAt(p.i + 1) {
			p.explicitKey()
			return p.null(p.i)
		}
	}
	return p.plain(at.min)
}

// reserved reads text that begins with a sign YAML keeps for itself.
func (p *parser) reserved(end int) *Node {
	start := p.i
	f := p.report(codeReserved, start, end, fmt.Sprintf("`%c` has a meaning of its own at the beginning of a value.", p.s[start]), "Quote the whole value.")
	f.Edit = p.quoteEdit(start, end)
	p.move(end)
	return p.raw(start, end)
}

// explicitKey refuses a key written with `? `.
func (p *parser) explicitKey() {
	p.report(codeFeature, p.i, p.i+1, "A key that begins with `? ` is read by few people.", "Write `key: value`; quote a value that begins with `?`.")
	at := p.col()
	p.skipLine()
	p.skipDeeper(at)
	if p.i < len(p.s) && p.col() == at && p.s[p.i] == ':' && p.blankAt(p.i+1) {
		p.skipLine()
		p.skipDeeper(at)
	}
}

// skipDeeper skips the lines that are indented deeper than col.
func (p *parser) skipDeeper(col int) {
	for p.next(); !p.ended() && p.first() && p.col() > col; p.next() {
		p.skipLine()
	}
}

// keyAhead reports whether a key of a mapping begins at the cursor.
func (p *parser) keyAhead() bool {
	switch p.s[p.i] {
	case '"', '\'':
		end := p.lineQuote(p.i)
		return end >= 0 && p.colonAfter(end) >= 0
	case '{', '[', '|', '>':
		return false
	}
	return p.keyEnd(p.i) >= 0
}

// colonAfter is the place of a colon that follows on the same line, or -1.
func (p *parser) colonAfter(i int) int {
	for i < len(p.s) && isBlank(p.s[i]) {
		i++
	}
	if i < len(p.s) && p.s[i] == ':' && p.blankAt(i+1) {
		return i
	}
	return -1
}

// keyEnd is the place of the colon that ends the unquoted key at i, or -1.
// A colon inside ${{ }} ends no key.
func (p *parser) keyEnd(i int) int {
	for j := i; j < len(p.s) && p.s[j] != '\n'; j++ {
		switch p.s[j] {
		case ':':
			if p.blankAt(j + 1) {
				return j
			}
		case '#':
			if j > i && isBlank(p.s[j-1]) {
				return -1
			}
		case '$':
			if !strings.HasPrefix(p.s[j:], "${{") {
				continue
			}
			k := strings.Index(p.s[j:p.lineEnd(j)], "}}")
			if k < 0 {
				return -1
			}
			j += k + 1
		}
	}
	return -1
}

// mapping reads the block mapping whose first key is at the cursor.
func (p *parser) mapping(least int) *Node {
	start, col := p.i, p.col()
	if !p.enter() {
		return p.null(p.i)
	}
	defer p.leave()
	m := p.beginMapping()
	for {
		p.entry(m, col)
		p.next()
		if p.ended() || p.col() < col && p.col() < least {
			break
		}
		if p.col() != col || !p.first() {
			p.misfit(col)
		}
	}
	return p.mappingNode(m, start, max(p.to, start))
}

// misfit tells a line whose indentation belongs to nothing, unless the line is
// refused for a better reason anyway.
func (p *parser) misfit(col int) {
	if p.i > p.ls && p.s[p.ls] == '\t' || !p.atDash() && !p.keyAhead() {
		return
	}
	if p.lostColon(col) {
		return
	}
	detail := fmt.Sprintf("This line is indented by %d, its neighbours by %d.", p.col(), col)
	if p.col() > col {
		detail = fmt.Sprintf("This line is indented by %d, deeper than its neighbours (%d), and what stands above it already has a value.", p.col(), col)
	}
	f := p.report(codeIndent, p.i, p.lineText(), detail, fmt.Sprintf("Indent it by %d.", col))
	if p.first() {
		f.Edit = p.edit(p.ls, p.i, strings.Repeat(" ", col))
	}
}

// lostColon tells of a line above that stands where keys stand, in line with
// this one, and was read as text: its key has lost the colon or the space behind it.
func (p *parser) lostColon(col int) bool {
	if p.col() <= col || p.to <= 0 || p.to > p.ls {
		return false
	}
	start := strings.LastIndexByte(p.s[:p.to-1], '\n') + 1
	line := strings.TrimRight(p.s[start:p.to], " \t\r")
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) != p.col() {
		return false
	}
	start += p.col()
	if word, rest, ok := strings.Cut(text, " "); ok && isWord(word) && rest != "" {
		f := p.report(codeStray, start, start+len(text), fmt.Sprintf("`%s` has no colon.", word), fmt.Sprintf("Write `%s: %s`.", word, strings.TrimSpace(rest)))
		f.Edit = p.edit(start+len(word), start+len(word), ":")
		return true
	}
	if k := strings.IndexByte(text, ':'); k > 0 && k+1 < len(text) && isWord(text[:k]) {
		p.tellStray(start, start+len(text), true)
		return true
	}
	return false
}

// entry reads one key with its value, or refuses the line; own is the column
// of the mapping's keys.
func (p *parser) entry(m *mapping, own int) {
	col := p.col()
	if p.atDash() {
		p.report(codeStray, p.i, p.lineText(), "A list item stands among keys.", "Indent the list under its key.")
		p.progress(func() *Node { return p.sequence(col) })
		return
	}
	if p.s[p.i] == '?' && p.blankAt(p.i+1) {
		p.explicitKey()
		return
	}
	key := p.key()
	if key == nil {
		p.stray(own)
		return
	}
	if p.keys++; p.keys > MaxKeys {
		p.report(codeKeys, key.Range.Start.Offset, key.Range.End.Offset, fmt.Sprintf("wf reads at most %d keys in one file.", MaxKeys), "Split the workflow with `uses:`.")
		p.halt()
		return
	}
	p.add(m, key, p.besideMerge(key, func() *Node { return p.value(place{min: col + 1, list: col}) }))
}

// key reads a key and its colon; nil where there is none.
func (p *parser) key() *Node {
	var key *Node
	var colon int
	switch c := p.s[p.i]; c {
	case '"', '\'':
		end := p.lineQuote(p.i)
		if end < 0 {
			return nil
		}
		if colon = p.colonAfter(end); colon < 0 {
			return nil
		}
		key = p.quotedNode(p.i, end)
	case '&':
		return p.anchoredKey()
	default:
		if colon = p.keyEnd(p.i); colon < 0 {
			return nil
		}
		key = p.plainKey(colon)
	}
	p.move(colon + 1)
	p.to = colon + 1
	return key
}

func (p *parser) plainKey(colon int) *Node {
	start := p.i
	end := start + len(strings.TrimRight(p.s[start:colon], " \t"))
	switch {
	case end == start:
		p.report(codeStray, start, colon+1, "There is no key before this colon.", "Write the key, or quote a value that begins with a colon.")
	case strings.IndexByte("*!%@`[{|>,]}", p.s[start]) >= 0:
		p.report(codeReserved, start, end, fmt.Sprintf("`%c` has a meaning of its own at the beginning of a key.", p.s[start]), "Quote the key.").Edit = p.quoteEdit(start, end)
	}
	return p.raw(start, end)
}

// stray refuses a line that is no entry of a mapping at col, and what is
// indented under it.
func (p *parser) stray(col int) {
	start, end, at := p.i, p.lineText(), p.col()
	c := p.s[start]
	switch {
	case at > col && p.block.end == p.to && p.block.end > 0:
		f := p.report(codeIndent, start, end, fmt.Sprintf("This line is indented by %d, less than the first line of the text block above (%d), and ends the block.", at, p.block.indent),
			"Indent all lines of the text alike.")
		f.Edit = p.edit(p.ls, start, strings.Repeat(" ", p.block.indent))
		at = col
	case at > col && strings.Contains(p.s[min(p.to, start):start], "#"):
		p.report(codeStray, start, end, "The comment above has ended the value; this line belongs to nothing.", "Move the comment, or write the text under `key: |`.")
	case (c == '"' || c == '\'') && p.lineQuote(start) < 0:
		p.report(codeQuote, start, end, "The quote that opens here is not closed on this line.", "Close it.")
	default:
		p.tellStray(start, end, at == col)
	}
	p.skipLine()
	p.skipDeeper(at)
}

// tellStray refuses a line that is no key. A word that stands where keys stand
// has most likely lost its colon.
func (p *parser) tellStray(start, end int, aligned bool) {
	line := p.s[start:end]
	f := p.report(codeStray, start, end, "Here a key is expected, then a colon and a space.", "Write `key: value`; text of several lines belongs under `key: |`.")
	if k := strings.IndexByte(line, ':'); k > 0 && k+1 < len(line) && isWord(line[:k]) {
		f.Detail, f.Hint = fmt.Sprintf("After the colon of `%s` there is no space.", line[:k]), "Put a space after the colon."
		f.Edit = p.edit(start+k+1, start+k+1, " ")
	} else if aligned && isWord(line) {
		f.Detail, f.Hint = fmt.Sprintf("`%s` has no colon.", line), "Put a colon after the key."
		f.Edit = p.edit(end, end, ":")
	}
}

// isWord reports whether text looks like one of the language's keys.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && s[i] != '_' && s[i] != '-' && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

// sequence reads the block list whose first dash is at the cursor.
func (p *parser) sequence(least int) *Node {
	start, col := p.i, p.col()
	if !p.enter() {
		return p.null(p.i)
	}
	defer p.leave()
	base := len(p.items)
	for {
		p.move(p.i + 1)
		p.to = p.i
		p.items = append(p.items, p.value(place{min: col + 1, list: col + 1, open: true}))
		if !p.nextItem(col, least) {
			break
		}
	}
	n := p.node(Sequence, start, max(p.to, start))
	n.Items = p.popItems(base)
	return n
}

// nextItem goes to the next dash of a list at col; false where the list ends.
func (p *parser) nextItem(col, least int) bool {
	for {
		p.next()
		if p.ended() {
			return false
		}
		switch at := p.col(); {
		case p.atDash() && at == col && p.first():
			return true
		case at < least, at < col && !p.atDash(), at == col && least == col:
			return false
		case p.atDash():
			p.misfit(col)
			return true
		case at == col:
			p.report(codeStray, p.i, p.lineText(), "A list item begins with a dash and a space.", "Write `- ` before it, or indent it to the level it belongs to.")
		default:
			p.report(codeIndent, p.i, p.lineText(), "This line is indented deeper than the list, and the item above it already has its value.", "Indent it to the level it belongs to.")
		}
		p.dropValue()
	}
}

// dropValue reads a value that has no place in the tree.
func (p *parser) dropValue() {
	col := p.col()
	p.progress(func() *Node { return p.value(place{min: col, list: col, open: true}) })
}

func (p *parser) popItems(base int) []*Node {
	out := append([]*Node(nil), p.items[base:]...)
	p.items = p.items[:base]
	return out
}
