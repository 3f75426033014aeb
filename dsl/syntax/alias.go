package syntax

import (
	"fmt"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// anchor is a named node; node is nil while the node is being read.
type anchor struct {
	node   *Node
	at     diag.Range // of the anchor's name
	size   int        // nodes, aliases expanded
	height int        // levels of nesting below it
}

// name reads the sign at the cursor and the name after it.
func (p *parser) name(flow bool) (name string, end int) {
	end = p.i + 1
	for end < len(p.s) && !isSpace(p.s[end]) && !(flow && isFlowSign(p.s[end])) {
		end++
	}
	return p.s[p.i+1 : end], end
}

// isName reports whether text is meant as an anchor's name and not as a glob or a shell sign.
func isName(s string) bool {
	return s != "" && !strings.ContainsAny(s, "*&?/.$(){}[]\"'|<>;=:,")
}

// anchored reads `&name value`.
func (p *parser) anchored(at place) *Node {
	name, end := p.name(false)
	if !isName(name) {
		return p.reserved(p.plainEnd())
	}
	if at.open && p.keyEnd(p.i) >= 0 {
		return p.mapping(at.min) // the anchor is the first key's
	}
	a, mark, deepest := p.openAnchor(name, end)
	p.move(end)
	p.to = end
	p.skipProperties(false)
	n := p.value(at)
	p.closeAnchor(a, n, mark, deepest)
	return n
}

// skipProperties refuses what else stands between an anchor or a tag and its
// value, all at once, so that a line of them costs no more than its length.
func (p *parser) skipProperties(flow bool) {
	start, seen := p.i, 0
	for i := p.i; ; {
		for i < len(p.s) && isBlank(p.s[i]) {
			i++
		}
		if i >= len(p.s) || p.s[i] != '&' && p.s[i] != '!' && p.s[i] != '*' {
			break
		}
		if seen++; p.s[i] == '*' {
			break
		}
		p.i = i
		_, i = p.name(flow)
		p.i = i
	}
	if seen > 0 {
		p.report(codeFeature, start, max(p.i, start+1), "A value has one anchor or one tag, and an alias has neither.", "Remove one of the two.")
	}
}

// anchoredKey reads a key with an anchor before it.
func (p *parser) anchoredKey() *Node {
	name, end := p.name(false)
	if !isName(name) {
		colon := p.keyEnd(p.i)
		if colon < 0 {
			return nil
		}
		key := p.reserved(p.i + len(strings.TrimRight(p.s[p.i:colon], " \t")))
		p.move(colon + 1)
		return key
	}
	back, line := p.i, p.ls
	a, mark, deepest := p.openAnchor(name, end)
	p.i = end
	for p.i < len(p.s) && isBlank(p.s[p.i]) {
		p.i++
	}
	if p.i >= len(p.s) || p.s[p.i] == '&' {
		p.i, p.ls = back, line
		return nil
	}
	key := p.key()
	if key == nil {
		p.i, p.ls = back, line
		return nil
	}
	p.closeAnchor(a, key, mark, deepest)
	return key
}

func (p *parser) openAnchor(name string, end int) (a *anchor, mark, deepest int) {
	a = &anchor{at: p.t.span(p.i, end)}
	p.anchors[name] = a
	deepest, p.deepest = p.deepest, p.depth
	return a, p.nodes, deepest
}

func (p *parser) closeAnchor(a *anchor, n *Node, mark, deepest int) {
	a.node, a.size, a.height = n, p.nodes-mark, p.deepest-p.depth
	p.deepest = max(p.deepest, deepest)
}

// alias reads `*name`. What is no known anchor is kept as text up to end: it
// is most often a glob that was not quoted.
func (p *parser) alias(end int, flow bool) *Node {
	start := p.i
	name, to := p.name(flow)
	a := p.anchors[name]
	if a == nil || to > end || strings.TrimSpace(p.s[to:end]) != "" {
		return p.unknownAlias(start, end, name, a == nil)
	}
	p.move(to)
	p.to = to
	use := p.t.span(start, to)
	if a.node == nil {
		p.reportAt(codeSelfAlias, use, fmt.Sprintf("`*%s` stands inside `&%s`, so the value would contain itself.", name, name), "Write the value out.", a.at, "the anchor")
		return p.refused(start, &use)
	}
	if !p.room(a.size, use) {
		return p.refused(start, &use)
	}
	if p.depth+a.height > MaxDepth {
		p.reportAt(codeDeep, use, fmt.Sprintf("With what `*%s` brings, more than %d mappings and lists stand inside each other.", name, MaxDepth), "Write it flatter.", a.at, "the anchor")
		return p.refused(start, &use)
	}
	p.deepest = max(p.deepest, p.depth+a.height)
	p.nodes += a.size - 1
	return p.copyNode(a.node, &use)
}

// refused stands for what an alias would have brought.
func (p *parser) refused(at int, use *diag.Range) *Node {
	n := p.null(at)
	n.Alias = use
	return n
}

// commentAt reports whether only a comment follows on the line.
func (p *parser) commentAt(i int) bool {
	rest := strings.TrimLeft(p.s[i:p.lineEnd(i)], " \t")
	return rest == "" || rest[0] == '#' && isBlank(p.s[i])
}

func (p *parser) unknownAlias(start, end int, name string, unknown bool) *Node {
	detail, hint := fmt.Sprintf("No anchor `&%s` stands before it.", name), fmt.Sprintf("Define `&%s` first, or quote the value if it is text.", name)
	switch {
	case !isName(name) || !unknown:
		detail, hint = "A value that begins with `*` is an alias to YAML, not a pattern.", "Quote the whole value."
	}
	f := p.report(codeAlias, start, end, detail, hint)
	if !isName(name) {
		f.Edit = p.quoteEdit(start, end)
	}
	p.move(end)
	return p.raw(start, end)
}

// room counts nodes that aliases and merges add, and stops at the limit.
func (p *parser) room(size int, use diag.Range) bool {
	if p.halted {
		return false
	}
	p.added += size
	if p.added <= MaxExpanded {
		return true
	}
	p.report(codeBomb, use.Start.Offset, use.End.Offset, fmt.Sprintf("Written out, the aliases of this file add more than %d values.", MaxExpanded), "Write fewer aliases inside aliases.")
	p.halt()
	return false
}

// tagged reads a value with a tag, or text that begins with `!`.
func (p *parser) tagged(at place) *Node {
	start := p.i
	name, end := p.name(false)
	line := p.lineText()
	if at.open && p.keyEnd(p.i) >= 0 && !strings.HasPrefix(name, "!") && !isName(name) {
		return p.mapping(at.min)
	}
	if strings.HasPrefix(name, "${{") {
		return p.notOutside(start, line)
	}
	if end < line && !p.commentAt(end) || strings.HasPrefix(name, "!") {
		p.report(codeTag, start, end, fmt.Sprintf("`!%s` is a tag; wf takes the type of a value from the field it stands in.", name), "Remove the tag; quote a value that is text.")
		p.move(end)
		p.skipProperties(false)
		return p.value(at)
	}
	f := p.report(codeTag, start, line, fmt.Sprintf("YAML reads `!%s` as a tag and drops it, so that nothing would be left.", name), "Quote the value; an expression stands in ${{ }}.")
	f.Edit = p.quoteEdit(start, end)
	p.move(end)
	return p.raw(start, end)
}

// notOutside tells `!${{ … }}`: the sign belongs into the expression.
func (p *parser) notOutside(start, line int) *Node {
	text := p.s[start+1 : line]
	f := p.report(codeTag, start, line, "YAML reads a `!` before a value as a tag.", "Put it inside the expression, as in `${{ !(…) }}`.")
	if inner, ok := strings.CutSuffix(strings.TrimPrefix(text, "${{"), "}}"); ok && !strings.Contains(inner, "}}") {
		mended := "${{ !(" + strings.TrimSpace(inner) + ") }}"
		f.Hint = "Put it inside the expression: `" + mended + "`."
		f.Edit = p.edit(start, line, "'"+strings.ReplaceAll(mended, "'", "''")+"'")
	}
	p.move(line)
	return p.raw(start+1, line)
}
