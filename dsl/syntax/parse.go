package syntax

import (
	"fmt"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Parse reads one YAML document. file is the path that ranges carry, src the
// bytes as they lie on disk. The root is nil only where nothing is usable;
// where a part is broken, its node may be missing or hold the raw text.
func Parse(file string, src []byte) (*Node, diag.Findings) {
	if len(src) > MaxBytes {
		r := diag.Range{File: file}
		return nil, diag.Findings{codeTooBig.At(r, fmt.Sprintf("It has %d bytes; wf reads at most %d.", len(src), MaxBytes), "Split the workflow with `uses:`.")}
	}
	p := newParser(file, string(src))
	if isUTF16(p.s) {
		p.report(codeNotUTF8, 0, 2, "It is UTF-16.", "Save the file as UTF-8.")
		return nil, p.fs
	}
	if p.checkBytes(); p.loneCR {
		return nil, p.fs.Sorted() // lines end where no reader sees them: nothing has its place
	}
	root := p.document()
	p.tellHidden()
	if root == nil && !p.fs.HasErrors() {
		p.report(codeEmpty, 0, 0, "There is no key in it.", "Begin with `wf: 1`; `wf init` writes a workflow to start from.")
	}
	return root, p.fs.Sorted()
}

// parser is a cursor over the file with what has been seen so far.
type parser struct {
	t  *text
	s  string
	i  int // the cursor
	ls int // first byte of the cursor's line
	to int // end of the last token read; collections end there

	endFrom, endTo int // the stretch lineEnd answered for last

	fs       diag.Findings
	counts   map[string]int
	halted   bool // a limit was met: everything winds down as at the end of the file
	hidden   []int
	comments []stretch // kept only where hidden is not empty
	loose    bool      // the file holds a broken opening sign
	loneCR   bool

	block          textBlock
	openAt         int // where open brackets were last told, plus one
	openQuoteAt    int // where a quote without end was last told, plus one
	depth, deepest int
	keys           int
	nodes          int // expanded nodes so far
	added          int // of them through aliases and merges
	anchors        map[string]*anchor

	whole   *origin // shared by all values that are one stretch of the file
	slab    []Node
	entries []Entry // stack of the mappings being read
	items   []*Node // stack of the sequences being read
}

type stretch struct{ start, end int }

func newParser(file, s string) *parser {
	t := newText(file, s)
	return &parser{t: t, s: s, endTo: -1, whole: &origin{text: t}, anchors: map[string]*anchor{},
		loose: strings.Contains(s, "$ {{") || strings.Contains(s, "${ {")}
}

// document reads the one document of the file.
func (p *parser) document() *Node {
	if strings.HasPrefix(p.s, bom) {
		p.i, p.ls = len(bom), len(bom)
	}
	p.prologue()
	root := p.value(place{min: 0, list: 0, open: true})
	for p.next(); !p.ended(); p.next() {
		p.tellSecondValue(root)
		more := p.progress(func() *Node { return p.value(place{open: true}) })
		if root.Kind != Mapping && more != nil {
			root = more
		}
	}
	p.epilogue()
	if root.Kind == Null {
		return nil
	}
	return root
}

// tellSecondValue refuses what follows a document that is already a whole value;
// most often its first line is a key without its colon.
func (p *parser) tellSecondValue(root *Node) {
	if root.Kind != Scalar || root.Style != Plain || root.Range.Start.Line != root.Range.End.Line {
		p.report(codeIndent, p.i, p.lineText(), "The document was a single value, and more follows it.", "Make the file one mapping of keys.")
		return
	}
	p.tellStray(root.Range.Start.Offset, root.Range.End.Offset, true)
	p.skipDeeper(root.Range.Start.Column - 1)
}

// prologue reads directives and the document's first marker.
func (p *parser) prologue() {
	for p.next(); p.i < len(p.s) && p.s[p.i] == '%' && p.col() == 0; p.next() {
		if !strings.HasPrefix(p.s[p.i:], "%YAML 1.") {
			p.report(codeFeature, p.i, p.lineText(), "Directives change how the rest is read.", "Remove the line.")
		}
		p.skipLine()
	}
	if p.atMarker("---") {
		p.move(p.i + 3)
	}
}

// epilogue refuses what follows the document.
func (p *parser) epilogue() {
	if p.halted || p.i >= len(p.s) {
		return
	}
	at := p.i
	for p.atMarker("...") {
		p.move(p.i + 3)
		p.next()
	}
	if p.i < len(p.s) {
		p.report(codeDocuments, at, at+3, "A second document begins here, and a workflow is exactly one.", "Move it to a file of its own.")
	}
	p.comments = append(p.comments, stretch{at, len(p.s)}) // what follows is not looked into
	p.move(len(p.s))
}

// report adds a finding and returns it, so that an edit can be added.
func (p *parser) report(c diag.Code, start, end int, detail, hint string) *diag.Finding {
	if p.halted || len(p.fs) > maxFindings {
		return &diag.Finding{}
	}
	if len(p.fs) == maxFindings {
		c, detail, hint = codeMany, fmt.Sprintf("wf stops after %d findings in one file.", maxFindings), "Mend these first."
	}
	p.fs = append(p.fs, c.At(p.t.span(start, end), detail, hint))
	return &p.fs[len(p.fs)-1]
}

func (p *parser) edit(start, end int, text string) *diag.Edit {
	return &diag.Edit{Range: p.t.span(start, end), NewText: text}
}

// halt makes the rest of the file invisible; used where a limit is met.
func (p *parser) halt() {
	p.halted = true
	p.move(len(p.s))
}

// move sets the cursor forward.
func (p *parser) move(i int) {
	if k := strings.LastIndexByte(p.s[p.i:i], '\n'); k >= 0 {
		p.ls = p.i + k + 1
	}
	p.i = i
}

// next goes to the next token, over blanks, line breaks and comments, and
// reports whether it came to another line.
func (p *parser) next() bool {
	crossed := false
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '\n':
			p.i++
			p.ls, crossed = p.i, true
		case c == ' ' || c == '\t' || c == '\r':
			p.i++
		case c == '#' && (p.i == p.ls || isBlank(p.s[p.i-1])):
			p.comment()
		default:
			p.checkTabs()
			return crossed
		}
	}
	return crossed
}

func (p *parser) comment() {
	start := p.i
	p.i = p.lineEnd(p.i)
	if len(p.hidden) > 0 && (len(p.comments) == 0 || p.comments[len(p.comments)-1].start < start) {
		p.comments = append(p.comments, stretch{start, p.i})
	}
}

// checkTabs refuses a tab before the first token of a line.
func (p *parser) checkTabs() {
	k := p.ls
	for k < p.i && p.s[k] == ' ' {
		k++
	}
	if k == p.i || p.s[k] != '\t' || strings.TrimLeft(p.s[k:p.i], " \t") != "" || p.told(codeTab) {
		return
	}
	f := p.report(codeTab, k, p.i, "Editors show tabs in different widths, so YAML counts none.", "Indent with two spaces a level.")
	f.Edit = p.edit(k, p.i, strings.ReplaceAll(p.s[k:p.i], "\t", "  "))
}

// ended reports whether the document has ended.
func (p *parser) ended() bool {
	return p.i >= len(p.s) || p.atMarker("---") || p.atMarker("...")
}

func (p *parser) atMarker(m string) bool {
	return p.i == p.ls && strings.HasPrefix(p.s[p.i:], m) && p.blankAt(p.i+3)
}

// col is the cursor's indentation in bytes; only signs and spaces stand before it.
func (p *parser) col() int { return p.i - p.ls }

// first reports whether the cursor is at the first token of its line.
func (p *parser) first() bool { return strings.Trim(p.s[p.ls:p.i], " \t") == "" }

// blankAt reports whether a blank, a line break or the end of the file is at i.
func (p *parser) blankAt(i int) bool { return i >= len(p.s) || isSpace(p.s[i]) }

// lineEnd is where the line of i ends, before its line break. The last answer
// is kept, because a file may be one long line of many values.
func (p *parser) lineEnd(i int) int {
	if i >= p.endFrom && i <= p.endTo {
		return p.endTo
	}
	end := len(p.s)
	if k := strings.IndexByte(p.s[i:], '\n'); k >= 0 {
		end = i + k
		if k > 0 && p.s[end-1] == '\r' {
			end--
		}
	}
	p.endFrom, p.endTo = i, end
	return end
}

// lineText is where the text of the cursor's line ends, without trailing blanks.
func (p *parser) lineText() int {
	end := p.lineEnd(p.i)
	return p.i + len(strings.TrimRight(p.s[p.i:end], " \t\r"))
}

func (p *parser) skipLine() { p.move(p.lineEnd(p.i)) }

// progress runs a reader and goes to the next line if it read nothing.
func (p *parser) progress(read func() *Node) *Node {
	at := p.i
	n := read()
	if p.i == at {
		p.skipLine()
	}
	return n
}

// enter counts one level of nesting; each enter that says true has its leave.
func (p *parser) enter() bool {
	p.depth++
	p.deepest = max(p.deepest, p.depth)
	if p.depth <= MaxDepth {
		return true
	}
	p.report(codeDeep, p.i, min(p.i+1, len(p.s)), fmt.Sprintf("More than %d mappings and lists stand inside each other.", MaxDepth), "Write it flatter.")
	p.halt()
	p.depth--
	return false
}

func (p *parser) leave() { p.depth-- }

// node makes a node out of the slab; nodes live as long as the tree.
func (p *parser) node(k Kind, start, end int) *Node {
	if len(p.slab) == 0 {
		p.slab = make([]Node, min(max(16, p.nodes), 1024))
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	p.nodes++
	n.Kind, n.Range = k, p.t.span(start, end)
	return n
}

// null is a value that is not there.
func (p *parser) null(at int) *Node {
	n := p.node(Null, at, at)
	n.origin = p.whole
	return n
}

// raw is plain text exactly as it stands in the file.
func (p *parser) raw(start, end int) *Node {
	n := p.node(Scalar, start, end)
	n.Value, n.origin = p.s[start:end], p.whole
	p.to = end
	return n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
