package evidence

import (
	"bytes"
	"fmt"
)

// maxOutput is how many bytes of a gate's output are kept: its head and its tail.
const maxOutput = 1 << 20

// maxLine is how much of one line is looked at, in bytes.
const maxLine = 64 << 10

// stream receives a gate's output. Tests are counted on all of it, what is kept
// is bounded. One goroutine writes.
type stream struct {
	kept capped
	line []byte
	each func(line []byte)
}

// Write never fails: a gate is not ended for wf's trouble.
func (s *stream) Write(p []byte) (int, error) {
	n := len(p)
	_, _ = s.kept.Write(p)
	for s.each != nil && len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		s.line = append(s.line, part[:min(len(part), maxLine-len(s.line))]...)
		if whole {
			s.flush()
		}
		p = rest
	}
	return n, nil
}

func (s *stream) flush() {
	if s.each != nil {
		s.each(bytes.TrimSuffix(s.line, []byte{'\r'}))
	}
	s.line = s.line[:0]
}

// end hands over a last line that no newline ends.
func (s *stream) end() {
	if len(s.line) > 0 {
		s.flush()
	}
}

// capped keeps the head and the tail of what is written to it, maxOutput bytes
// in all, and counts what it dropped.
type capped struct {
	head, tail []byte
	total      int64
	cut        bool
}

// Write keeps what fits.
func (c *capped) Write(p []byte) (int, error) {
	const half = maxOutput / 2
	n := len(p)
	c.total += int64(n)
	if room := half - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head = append(c.head, p[:take]...)
		p = p[take:]
	}
	if over := len(p) - half; over > 0 {
		p, c.cut = p[over:], true
	}
	c.tail = append(c.tail, p...)
	if len(c.tail) > half {
		c.cut = true
	}
	if over := len(c.tail) - half; over > half {
		c.tail = c.tail[:copy(c.tail, c.tail[over:])]
	}
	return n, nil
}

// bytes joins what was kept, cut at line ends where there are any: half a line
// is no JSON, and half a secret would not be redacted.
func (c *capped) bytes() []byte {
	if !c.cut {
		return append(c.head[:len(c.head):len(c.head)], c.tail...)
	}
	head, tail := c.head, c.tail[max(0, len(c.tail)-maxOutput/2):]
	if i := bytes.LastIndexByte(head, '\n'); i >= len(head)-maxLine && i >= 0 {
		head = head[:i+1]
	}
	if i := bytes.IndexByte(tail, '\n'); i >= 0 && i <= maxLine {
		tail = tail[i+1:]
	}
	mark := fmt.Sprintf("\n… %d bytes dropped …\n", c.total-int64(len(head))-int64(len(tail)))
	return append(append(head[:len(head):len(head)], mark...), tail...)
}
