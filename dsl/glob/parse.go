package glob

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// The nodes of a pattern's syntax.
type (
	node    interface{ isNode() }
	class   struct{ set set }     // one character
	star    struct{}              // any text within a segment
	deep    struct{ last bool }   // ** with the slash behind it, or as the last segment
	choices struct{ of [][]node } // braces
)

func (class) isNode()   {}
func (star) isNode()    {}
func (deep) isNode()    {}
func (choices) isNode() {}

const special = `*?[]{},\!`

// Escape returns a pattern that matches exactly the literal path.
func Escape(literal string) string {
	var b strings.Builder
	for i := 0; i < len(literal); i++ {
		if strings.IndexByte(special, literal[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(literal[i])
	}
	return b.String()
}

// reader reads one pattern.
type reader struct {
	s    string
	i    int
	wild int
}

// fault is an error with its byte.
func fault(at int, format string, args ...any) error {
	return fmt.Errorf("at byte %d: %s", at, fmt.Sprintf(format, args...))
}

func parse(s string) ([]node, error) {
	switch {
	case s == "":
		return nil, fault(0, "it is empty")
	case len(s) > MaxLength:
		return nil, fault(MaxLength, "it is longer than %d bytes", MaxLength)
	case !utf8.ValidString(s):
		return nil, fault(invalidAt(s), "it is not UTF-8")
	case s[0] == '!':
		return nil, fault(0, `a pattern cannot exclude; write \! for a name that begins with !`)
	}
	r := &reader{s: s}
	seq, err := r.sequence(true, true, 0)
	if err == nil && r.i < len(s) {
		return nil, fault(r.i, "%q closes nothing; write \\%c for the sign itself", s[r.i], s[r.i])
	}
	return seq, err
}

func invalidAt(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(s)
}

// segment is the segment being read: where it began, whether anything of it
// was read, and whether it began at a border, so that all of it is known.
type segment struct {
	from  int
	empty bool
	whole bool
}

// sequence reads up to the end, or up to the , or } that ends a choice. left
// and right say whether a segment begins before it and ends behind it.
func (r *reader) sequence(left, right bool, depth int) ([]node, error) {
	out := make([]node, 0, 16)
	seg := segment{from: r.i, empty: left, whole: left}
	for r.i < len(r.s) && r.s[r.i] != '}' && (depth == 0 || r.s[r.i] != ',') {
		if r.s[r.i] == '/' {
			if err := r.slash(seg); err != nil {
				return nil, err
			}
			out = append(out, letter('/'))
			seg = segment{from: r.i, empty: true, whole: true}
			continue
		}
		n, err := r.element(seg.empty, right, depth)
		if err != nil {
			return nil, err
		}
		out, seg.empty = append(out, n), false
		if d, ok := n.(deep); ok && !d.last {
			seg = segment{from: r.i, empty: true, whole: true}
		}
	}
	if !right || !seg.whole {
		return out, nil
	}
	if seg.empty && len(out) > 0 {
		return nil, fault(r.i-1, "it ends with a slash; write %s** for everything under it", r.s[:r.i])
	}
	return out, dots(r.s[seg.from:r.i], seg.from)
}

// slash reads a slash; a segment must stand before it.
func (r *reader) slash(seg segment) error {
	switch {
	case seg.empty && r.i == 0:
		return fault(r.i, "it begins with a slash; paths are relative to the repository")
	case seg.empty:
		return fault(r.i, "the segment before this slash is empty")
	case seg.whole:
		if err := dots(r.s[seg.from:r.i], seg.from); err != nil {
			return err
		}
	}
	r.i++
	return nil
}

func dots(segment string, at int) error {
	if segment == "." || segment == ".." {
		return fault(at, "%q is no name in a clean path", segment)
	}
	return nil
}

// element reads what stands for characters: a sign, a wildcard, a class, braces.
func (r *reader) element(start, right bool, depth int) (node, error) {
	at := r.i
	c, size := utf8.DecodeRuneInString(r.s[at:])
	r.i += size
	switch {
	case c < ' ' || c == 0x7f:
		return nil, fault(at, "a control character stands in it")
	case c == '\\':
		return r.escaped(at)
	case c == '?':
		return class{notSlash}, r.count(at)
	case c == '[':
		return r.class(at)
	case c == ']':
		return nil, fault(at, `"]" closes nothing; write \] for the sign itself`)
	case c == '{':
		return r.choices(at, start, right, depth)
	case c == '*' && r.i < len(r.s) && r.s[r.i] == '*':
		return r.deep(at, start, right)
	case c == '*':
		return star{}, r.count(at)
	}
	return letter(c), nil
}

// letter is the class of one character; those of ASCII are made once.
func letter(c rune) node {
	if c < utf8.RuneSelf {
		return asciiLetters()[c]
	}
	return class{one(c)}
}

var asciiLetters = sync.OnceValue(func() []node {
	out := make([]node, utf8.RuneSelf)
	for c := range out {
		out[c] = class{one(rune(c))}
	}
	return out
})

func (r *reader) count(at int) error {
	if r.wild++; r.wild > MaxWild {
		return fault(at, "it has more than %d wildcards", MaxWild)
	}
	return nil
}

func (r *reader) escaped(at int) (node, error) {
	c, err := r.literal(at)
	return letter(c), err
}

// literal reads the sign behind a backslash.
func (r *reader) literal(at int) (rune, error) {
	if r.i >= len(r.s) {
		return 0, fault(at, `nothing follows the backslash; write \\ for the sign itself`)
	}
	c, size := utf8.DecodeRuneInString(r.s[r.i:])
	if c == '/' || c < ' ' || c == 0x7f {
		return 0, fault(at, "a backslash cannot stand before %q", c)
	}
	r.i += size
	return c, nil
}

// deep reads ** with the slash behind it; it stands for whole segments.
func (r *reader) deep(at int, start, right bool) (node, error) {
	r.i++
	if err := r.count(at); err != nil {
		return nil, err
	}
	next := byte(0)
	if r.i < len(r.s) {
		next = r.s[r.i]
	}
	switch {
	case !start:
	case next == '/' && r.i+1 < len(r.s):
		r.i++
		return deep{}, nil
	case next == 0, right && (next == ',' || next == '}'):
		return deep{last: true}, nil
	}
	return nil, fault(at, "`**` must be a whole segment; within one write `*`")
}

// choices reads braces. They begin and end a segment where they stand at its
// border; ** in them needs that.
func (r *reader) choices(at int, start, right bool, depth int) (node, error) {
	if err := r.count(at); err != nil {
		return nil, err
	}
	if depth >= 8 {
		return nil, fault(at, "braces stand more than 8 deep inside each other")
	}
	end := matching(r.s, at)
	if end < 0 {
		return nil, fault(at, `"{" is not closed; write \{ for the sign itself`)
	}
	ends := end+1 == len(r.s) || right && (r.s[end+1] == ',' || r.s[end+1] == '}')
	var out choices
	for {
		seq, err := r.sequence(start, ends, depth+1)
		if err != nil {
			return nil, err
		}
		out.of = append(out.of, seq)
		if r.i >= len(r.s) {
			return nil, fault(at, `"{" is not closed; write \{ for the sign itself`)
		}
		r.i++
		if r.s[r.i-1] == '}' {
			return out, nil
		}
	}
}

// matching is the place of the brace that closes the one at i, or -1.
func matching(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// class reads a class behind its opening bracket.
func (r *reader) class(at int) (node, error) {
	if err := r.count(at); err != nil {
		return nil, err
	}
	var out set
	not := r.i < len(r.s) && (r.s[r.i] == '!' || r.s[r.i] == '^')
	if not {
		r.i++
	}
	for {
		if r.i >= len(r.s) {
			return nil, fault(at, `"[" is not closed; write \[ for the sign itself`)
		}
		if r.s[r.i] == ']' {
			r.i++
			break
		}
		lo, err := r.member(at)
		if err != nil {
			return nil, err
		}
		hi := lo
		if r.i+1 < len(r.s) && r.s[r.i] == '-' && r.s[r.i+1] != ']' {
			from := r.i
			r.i++
			if hi, err = r.member(at); err != nil {
				return nil, err
			}
			if hi < lo {
				return nil, fault(from, "the range %c-%c runs backwards", lo, hi)
			}
		}
		out = append(out, span{lo, hi})
	}
	if len(out) == 0 {
		return nil, fault(at, "the class is empty")
	}
	out = out.sorted()
	if not {
		out = out.complement()
	}
	return class{out.intersect(notSlash)}, nil
}

// member reads one character of a class.
func (r *reader) member(at int) (rune, error) {
	c, size := utf8.DecodeRuneInString(r.s[r.i:])
	pos := r.i
	r.i += size
	switch {
	case size == 0:
		return 0, fault(at, `"[" is not closed; write \[ for the sign itself`)
	case c == '/' || c < ' ' || c == 0x7f:
		return 0, fault(pos, "a class cannot hold %q", c)
	case c == '\\':
		return r.literal(pos)
	}
	return c, nil
}

// literalPrefix is the text before the first thing that is not one character.
func literalPrefix(seq []node) string {
	var b strings.Builder
	for _, n := range seq {
		c, ok := n.(class)
		if !ok || len(c.set) != 1 || c.set[0].lo != c.set[0].hi {
			break
		}
		b.WriteRune(c.set[0].lo)
	}
	return b.String()
}
