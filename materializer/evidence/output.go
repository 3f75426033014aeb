package evidence

import "fmt"

// capped keeps the head and the tail of what is written to it, maxOutput bytes
// in all, and counts what it dropped. One goroutine writes.
type capped struct {
	head, tail []byte
	total      int64
	cut        bool
}

// Write keeps what fits.
func (c *capped) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	if room := maxOutput/2 - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head = append(c.head, p[:take]...)
		p = p[take:]
	}
	c.tail = append(c.tail, p...)
	if over := len(c.tail) - maxOutput/2; over > 0 {
		c.cut = true
		if over > maxOutput/2 || len(p) > maxOutput/2 {
			c.tail = append(c.tail[:0:0], c.tail[over:]...)
		} else {
			c.tail = c.tail[over:]
		}
	}
	return n, nil
}

func (c *capped) bytes() []byte {
	if !c.cut {
		return append(c.head[:len(c.head):len(c.head)], c.tail...)
	}
	dropped := c.total - int64(len(c.head)) - int64(len(c.tail))
	mark := fmt.Sprintf("\n… %d bytes dropped …\n", dropped)
	return append(append(c.head[:len(c.head):len(c.head)], mark...), c.tail...)
}
