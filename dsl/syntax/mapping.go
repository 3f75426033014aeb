package syntax

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// mapping collects the entries of one mapping, on top of the parser's stack.
type mapping struct {
	base   int
	seen   map[string]int // key to its place on the stack; only for many keys
	merges int            // merge keys among the entries
}

// fewKeys is the size up to which looking at each key beats a map.
const fewKeys = 8

func (p *parser) beginMapping() *mapping { return &mapping{base: len(p.entries)} }

// add takes an entry, or tells that its key is there already.
func (p *parser) add(m *mapping, key, value *Node) {
	name := canonical(key.Value)
	if k := p.find(m, name); k >= 0 {
		p.duplicate(p.entries[k].Key, key)
		p.offerRemoval(p.entries[k], Entry{key, value})
		return
	}
	if isMerge(key) {
		m.merges++
	}
	p.entries = append(p.entries, Entry{Key: key, Value: value})
	switch n := len(p.entries) - m.base; {
	case m.seen != nil:
		m.seen[name] = len(p.entries) - 1
	case n > fewKeys:
		m.seen = make(map[string]int, 2*n)
		for k := m.base; k < len(p.entries); k++ {
			m.seen[canonical(p.entries[k].Key.Value)] = k
		}
	}
}

func (p *parser) find(m *mapping, name string) int {
	if m.seen != nil {
		if k, ok := m.seen[name]; ok {
			return k
		}
		return -1
	}
	for k := m.base; k < len(p.entries); k++ {
		if canonical(p.entries[k].Key.Value) == name {
			return k
		}
	}
	return -1
}

// canonical is the key as a reader sees it: two spellings of é are one key.
func canonical(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return norm.NFC.String(s)
		}
	}
	return s
}

func (p *parser) duplicate(first, second *Node) {
	if isMerge(second) {
		p.reportAt(codeMerge, second.Range, "A second `<<` in one mapping.", "Write one `<<` with a list: `<<: [*a, *b]`.", first.Range, "the first one")
		return
	}
	detail := fmt.Sprintf("`%s` is already defined on line %d; the first one stands, this one is not read.", second.Value, first.Range.Start.Line)
	if first.Value != second.Value {
		detail = fmt.Sprintf("`%s` looks the same as the key on line %d and differs only in how its characters are composed.", second.Value, first.Range.Start.Line)
	}
	p.reportAt(codeDuplicate, second.Range, detail, "Remove one of them, or rename it.", first.Range, "first defined here")
}

// offerRemoval offers to take out a line that says what an earlier one says
// already, word for word; which of two different ones is meant, nobody knows.
func (p *parser) offerRemoval(first, second Entry) {
	a, b := first.Value, second.Value
	if len(p.fs) == 0 || isMerge(second.Key) || a.Kind != Scalar || b.Kind != Scalar || a.Value != b.Value || b.Alias != nil || b.Style > DoubleQuoted {
		return
	}
	from, to := second.Key.Range.Start.Offset, b.Range.End.Offset
	start := strings.LastIndexByte(p.s[:from], '\n') + 1
	end := strings.IndexByte(p.s[to:], '\n')
	if end < 0 || strings.Trim(p.s[start:from], " ") != "" || strings.TrimRight(p.s[to:to+end], " \r") != "" || strings.Contains(p.s[from:to], "\n") {
		return
	}
	f := &p.fs[len(p.fs)-1]
	f.Hint, f.Edit = "Remove this line; it says the same.", p.edit(start, to+end+1, "")
}

// reportAt is report with a second place.
func (p *parser) reportAt(c diag.Code, r diag.Range, detail, hint string, other diag.Range, message string) {
	f := p.report(c, r.Start.Offset, r.End.Offset, detail, hint)
	f.Related = append(f.Related, diag.Related{Range: other, Message: message})
}

// isMerge reports whether a key is YAML 1.1's merge key; quoted it is a name.
func isMerge(key *Node) bool { return key.Value == "<<" && key.Style == Plain }

// besideMerge reads the value of a key. What is merged comes to stand beside
// the key, so it is no level deeper.
func (p *parser) besideMerge(key *Node, read func() *Node) *Node {
	if !isMerge(key) {
		return read()
	}
	p.depth--
	defer func() { p.depth++ }()
	return read()
}

// manyKeys is the size from which a mapping keeps an index for Get.
const manyKeys = 32

// mappingNode makes the node of a mapping that has been read.
func (p *parser) mappingNode(m *mapping, start, end int) *Node {
	n := p.node(Mapping, start, end)
	n.Entries = p.endMapping(m)
	if len(n.Entries) < manyKeys {
		return n
	}
	n.origin = &origin{index: make(map[string]*Node, len(n.Entries))}
	for _, e := range n.Entries {
		n.origin.index[e.Key.Value] = e.Value
	}
	return n
}

// endMapping takes the entries off the stack, merges expanded where they stand.
func (p *parser) endMapping(m *mapping) []Entry {
	own := p.entries[m.base:]
	p.entries = p.entries[:m.base]
	if m.merges == 0 {
		return append([]Entry(nil), own...)
	}
	own = slices.Clone(own)
	taken := make(map[string]bool, len(own))
	for _, e := range own {
		taken[canonical(e.Key.Value)] = true
	}
	var out []Entry
	for _, e := range own {
		if isMerge(e.Key) {
			out = p.merge(out, taken, e)
			continue
		}
		out = append(out, e)
	}
	return out
}

// merge adds the entries of the merged mappings whose keys are not taken: the
// mapping's own keys win wherever they stand, then the earlier mapping wins.
func (p *parser) merge(out []Entry, taken map[string]bool, merge Entry) []Entry {
	sources := []*Node{merge.Value}
	if merge.Value.Kind == Sequence {
		sources = merge.Value.Items
	}
	for _, s := range sources {
		if s.Kind == Null && s.Alias != nil {
			continue // an alias that has been refused already
		}
		if s.Kind != Mapping {
			p.reportAt(codeMerge, merge.Key.Range, fmt.Sprintf("`<<` takes a mapping or a list of mappings; here it is given %s.", s.Kind),
				"Give it an alias of a mapping, as in `<<: *base`.", s.Range, "what it is given")
			continue
		}
		for _, e := range s.Entries {
			if name := canonical(e.Key.Value); taken[name] || !p.room(2, merge.Key.Range) {
				continue
			} else {
				taken[name] = true
			}
			out = append(out, Entry{Key: p.copyNode(e.Key, s.Alias), Value: p.copyNode(e.Value, s.Alias)})
		}
	}
	return out
}

// copyNode copies a node so that it can say through which use it is reached;
// what lies below is shared.
func (p *parser) copyNode(n *Node, use *diag.Range) *Node {
	c := p.node(n.Kind, n.Range.Start.Offset, n.Range.Start.Offset)
	*c = *n
	if use != nil {
		c.Alias = use
	}
	return c
}
