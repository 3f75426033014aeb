package view

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// JSON writes a value, indented, without escaping HTML. It writes while it
// indents: encoding/json's own indenting holds a large plan in memory twice more.
func JSON(w io.Writer, value any) error {
	out := &indenter{w: bufio.NewWriterSize(w, 64<<10)}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	return out.w.Flush()
}

// indenter takes compact JSON and writes it as json.Indent with two spaces does.
type indenter struct {
	w      *bufio.Writer // keeps the first error for Flush
	depth  int
	opened bool // a bracket has opened and nothing stands in it yet
	text   bool // inside a string
	escape bool // behind a backslash
}

func (d *indenter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if d.text {
			rest = rest[d.string(rest):]
			continue
		}
		n := bytes.IndexAny(rest, "\"{}[],:")
		if n < 0 {
			n = len(rest)
		}
		if n > 0 {
			d.begin()
			_, _ = d.w.Write(rest[:n])
			rest = rest[n:]
			continue
		}
		d.sign(rest[0])
		rest = rest[1:]
	}
	return len(p), nil
}

// string writes what there is of a string and gives its length.
func (d *indenter) string(p []byte) int {
	n := len(p)
	for i, c := range p {
		if d.escape {
			d.escape = false
			continue
		}
		if d.escape = c == '\\'; c == '"' {
			d.text, n = false, i+1
			break
		}
	}
	_, _ = d.w.Write(p[:n])
	return n
}

func (d *indenter) sign(c byte) {
	switch c {
	case '}', ']':
		if !d.opened {
			d.depth--
			d.line()
		}
		d.opened = false
	default:
		d.begin()
	}
	_ = d.w.WriteByte(c)
	switch c {
	case '"':
		d.text = true
	case '{', '[':
		d.opened = true
	case ',':
		d.line()
	case ':':
		_ = d.w.WriteByte(' ')
	}
}

// begin goes to a line of its own in a bracket that has just opened.
func (d *indenter) begin() {
	if d.opened {
		d.opened = false
		d.depth++
		d.line()
	}
}

func (d *indenter) line() {
	_ = d.w.WriteByte('\n')
	for range d.depth {
		_, _ = d.w.WriteString("  ")
	}
}
