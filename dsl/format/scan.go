package format

import (
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// kind is what a token is.
type kind int

const (
	newline kind = iota
	comment
	marker // --- and ..., or a directive's line
	dash
	colon
	comma
	opener
	closer
	property // an anchor
	word     // a scalar on one line, an alias, the merge key
	quoted   // quoted text over several lines
	folded   // unquoted text over several lines
	block    // | or >, from its sign to the last byte of its text
)

type token struct {
	kind       kind
	start, end int
}

// scanner cuts a file without errors into tokens.
type scanner struct {
	s      string
	i      int
	depth  int                  // open brackets
	values map[int]*syntax.Node // the scalars of the tree by where they begin
	tokens []token
}

// scan gives all tokens but blanks, in file order; false where something is
// met that neither the tree nor YAML's signs explain.
func scan(s string, root *syntax.Node) ([]token, bool) {
	c := &scanner{s: s, values: map[int]*syntax.Node{}}
	c.note(root)
	for c.i < len(s) {
		if !c.next() {
			return nil, false
		}
	}
	return c.tokens, true
}

// note takes in the scalars below a node.
func (c *scanner) note(n *syntax.Node) {
	if r := n.Range; r.End.Offset > r.Start.Offset && (n.Kind == syntax.Scalar || n.Kind == syntax.Null) {
		c.values[r.Start.Offset] = n
	}
	for _, e := range n.Entries {
		c.note(e.Key)
		c.note(e.Value)
	}
	for _, item := range n.Items {
		c.note(item)
	}
}

// take adds a token that ends at end, and goes there.
func (c *scanner) take(k kind, end int) bool {
	c.tokens = append(c.tokens, token{k, c.i, end})
	c.i = end
	return true
}

func (c *scanner) next() bool {
	rest := c.s[c.i:]
	if n := c.values[c.i]; n != nil {
		return c.scalar(n)
	}
	switch ch := rest[0]; {
	case ch == ' ' || ch == '\t' || ch == '\r':
		c.i++
		return true
	case ch == '\n':
		return c.take(newline, c.i+1)
	case ch == '#':
		return c.take(comment, c.i+len(firstLine(rest)))
	case c.lineStart() && c.depth == 0 && (ch == '%' || isMarker(rest)):
		return c.marker(rest)
	case ch == '-' && blankAt(rest, 1) && c.depth == 0:
		return c.take(dash, c.i+1)
	case ch == '&':
		return c.take(property, c.i+c.nameEnd(rest))
	case ch == '*':
		return c.take(word, c.i+c.nameEnd(rest))
	case ch == '[' || ch == '{':
		c.depth++
		return c.take(opener, c.i+1)
	case ch == ']' || ch == '}':
		c.depth--
		return c.take(closer, c.i+1)
	case ch == ',' && c.depth > 0:
		return c.take(comma, c.i+1)
	case ch == ':':
		return c.take(colon, c.i+1)
	case strings.HasPrefix(rest, "<<"):
		return c.take(word, c.i+2)
	}
	return false
}

func (c *scanner) lineStart() bool { return c.i == 0 || c.s[c.i-1] == '\n' }

// marker takes a document marker or a directive, which stand alone on their lines.
func (c *scanner) marker(rest string) bool {
	line := strings.TrimRight(firstLine(rest), " \t\r")
	if rest[0] == '%' {
		return c.take(marker, c.i+len(line))
	}
	if behind := strings.TrimLeft(line[3:], " \t"); behind != "" && behind[0] != '#' {
		return false
	}
	return c.take(marker, c.i+3)
}

func (c *scanner) scalar(n *syntax.Node) bool {
	text := c.s[c.i:n.Range.End.Offset]
	switch {
	case n.Style == syntax.Literal || n.Style == syntax.Folded:
		return c.block(n.Range.End.Offset)
	case !strings.Contains(text, "\n"):
		return c.take(word, n.Range.End.Offset)
	case n.Style == syntax.Plain:
		return c.take(folded, n.Range.End.Offset)
	}
	return c.take(quoted, n.Range.End.Offset)
}

// block takes a text block. A header that keeps line breaks at the end owns
// the empty lines behind its text.
func (c *scanner) block(end int) bool {
	header, _, _ := strings.Cut(firstLine(c.s[c.i:]), "#")
	if !strings.Contains(header, "+") {
		return c.take(block, end)
	}
	for end < len(c.s) {
		line := firstLine(c.s[end:])
		if strings.Trim(line, " \t\r") != "" || end+len(line) == len(c.s) {
			break
		}
		next := end + len(line) + 1
		if strings.Trim(firstLine(c.s[next:]), " \t\r") != "" {
			break
		}
		end = next
	}
	return c.take(block, end)
}

// nameEnd is the length of an anchor or alias.
func (c *scanner) nameEnd(rest string) int {
	stop := " \t\r\n"
	if c.depth > 0 {
		stop += ",[]{}"
	}
	if k := strings.IndexAny(rest, stop); k > 0 {
		return k
	}
	return len(rest)
}

func isMarker(s string) bool {
	return (strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...")) && blankAt(s, 3)
}

func blankAt(s string, i int) bool { return i >= len(s) || strings.IndexByte(" \t\r\n", s[i]) >= 0 }

// firstLine is the text up to the first line break.
func firstLine(s string) string {
	if k := strings.IndexByte(s, '\n'); k >= 0 {
		return s[:k]
	}
	return s
}
