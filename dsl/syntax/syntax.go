// Package syntax defines the tree: what a YAML file says, node by node, each with its place in the file.
//
// Enter through Parse. It refuses what YAML allows and a workflow should not
// hold (duplicate keys, tags, several documents, invisible characters), says
// so in findings, and reads on, so that one run tells everything.
//
// The reader is our own, over the bytes as they lie on disk: goccy/go-yaml's
// lexer loses a key after a double-quoted scalar that holds a tab, and its
// offsets drift after block scalars, escapes and CRLF. The tests hold these
// facts, and compare this reader with goccy's wherever both are right.
package syntax

import (
	"sort"
	"unicode/utf8"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Kind is what a node is.
type Kind int

// The kinds of node. The null of YAML (null, ~ or nothing) is its own kind.
const (
	Scalar Kind = iota
	Mapping
	Sequence
	Null
)

// String gives the word a reader sees.
func (k Kind) String() string {
	return [...]string{"text", "mapping", "list", "nothing"}[k]
}

// Style is how a scalar is written.
type Style int

// The styles of a scalar.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal
	Folded
)

// The limits of one file. They are far above what people write and keep a
// hostile file from costing more than its size.
const (
	MaxBytes    = 16 << 20  // bytes of the file
	MaxDepth    = 64        // mappings and lists inside each other, aliases followed
	MaxKeys     = 2_000_000 // keys in the file
	MaxExpanded = 100_000   // nodes that aliases and merges add
	maxFindings = 1_000     // findings told of one file
)

// Node is a value in the file.
type Node struct {
	Kind    Kind
	Style   Style
	Value   string      // of a Scalar: plain keeps its exact spelling, quoted and block text is decoded; of a Null: its spelling
	Range   diag.Range  // of the value in the file; quotes included; a block scalar from its | or > to the end of its content
	Entries []Entry     // of a Mapping, in file order, merges expanded where they stand
	Items   []*Node     // of a Sequence; never nil nodes
	Alias   *diag.Range // the use, where this node was reached through an alias or a merge

	origin *origin // how Value maps back to the file, or how a big mapping finds its keys; may be nil
}

// Entry is a key with its value; neither is nil.
type Entry struct{ Key, Value *Node }

// Get returns the value of a key, or nil where there is none; a nil node has no keys.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	if n.origin != nil && n.origin.index != nil {
		return n.origin.index[key]
	}
	for _, e := range n.Entries {
		if e.Key.Value == key {
			return e.Value
		}
	}
	return nil
}

// origin maps the bytes of a Value to the file. segs is nil where the value is
// one unbroken stretch of the file that begins at base. Of a mapping of many
// keys it holds their index instead, and text is nil.
type origin struct {
	text  *text
	segs  []seg
	index map[string]*Node
}

// seg says that the value's bytes from val up to the next seg come from size
// bytes of the file at src. Where both lengths are equal they map one to one;
// otherwise (an escape, a fold) they map as a whole.
type seg struct{ val, src, size int32 }

// RangeAt gives the place in the file of Value[start:end], both in bytes.
// Offsets outside the value are drawn to its ends, offsets inside a character
// to its beginning.
func (n *Node) RangeAt(start, end int) diag.Range {
	if n.origin == nil || n.origin.text == nil {
		return n.Range
	}
	start = n.boundary(start)
	end = max(n.boundary(end), start)
	from := n.offsetOf(start)
	to := from
	if end > start {
		to = max(n.offsetAfter(end), from)
	}
	return n.origin.text.span(from, to)
}

// boundary draws an offset to where a character of the value begins.
func (n *Node) boundary(i int) int {
	i = min(max(i, 0), len(n.Value))
	for k := i; k < len(n.Value) && k >= 0 && k > i-utf8.UTFMax; k-- {
		if utf8.RuneStart(n.Value[k]) {
			return k
		}
	}
	return i
}

// offsetOf is the place of the value's byte i, or of its end.
func (n *Node) offsetOf(i int) int {
	if n.origin.segs == nil {
		return n.base() + i
	}
	if i == len(n.Value) {
		return n.offsetAfter(i)
	}
	s, length := n.segAt(i)
	if length == int(s.size) {
		return int(s.src) + i - int(s.val)
	}
	return int(s.src)
}

// offsetAfter is the place just behind the value's byte i-1.
func (n *Node) offsetAfter(i int) int {
	if n.origin.segs == nil {
		return n.base() + i
	}
	if i == 0 {
		return int(n.origin.segs[0].src)
	}
	s, length := n.segAt(i - 1)
	if length == int(s.size) {
		return int(s.src) + i - int(s.val)
	}
	return int(s.src + s.size)
}

// base is where an unbroken value begins: behind its quote, if it has one.
func (n *Node) base() int {
	if n.Style == SingleQuoted || n.Style == DoubleQuoted {
		return n.Range.Start.Offset + 1
	}
	return n.Range.Start.Offset
}

// segAt finds the seg of byte i and how many bytes of the value it covers.
func (n *Node) segAt(i int) (seg, int) {
	segs := n.origin.segs
	k := sort.Search(len(segs), func(k int) bool { return int(segs[k].val) > i }) - 1
	next := len(n.Value)
	if k+1 < len(segs) {
		next = int(segs[k+1].val)
	}
	return segs[k], next - int(segs[k].val)
}
