package process

import "fmt"

// kept holds the first and the last part of a stream in bounded memory: a
// failing test says what it is at the top and why at the end.
type kept struct {
	limit int64 // bytes of head, and of tail
	head  []byte
	tail  []byte // a ring once it is full; next is its oldest byte
	next  int
	total int64
}

func newKept(limit int64) *kept {
	if limit <= 0 {
		limit = DefaultOutputCap
	}
	return &kept{limit: (limit + 1) / 2}
}

func (k *kept) Write(p []byte) (int, error) {
	n := len(p)
	k.total += int64(n)
	if room := k.limit - int64(len(k.head)); room > 0 {
		take := min(room, int64(len(p)))
		k.head = append(k.head, p[:take]...)
		p = p[take:]
	}
	k.roll(p)
	return n, nil
}

func (k *kept) roll(p []byte) {
	if over := int64(len(p)) - k.limit; over > 0 {
		p = p[over:]
	}
	if room := k.limit - int64(len(k.tail)); room > 0 {
		take := min(room, int64(len(p)))
		k.tail = append(k.tail, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		n := copy(k.tail[k.next:], p)
		k.next = (k.next + n) % len(k.tail)
		p = p[n:]
	}
}

func (k *kept) dropped() int64 { return k.total - int64(len(k.head)) - int64(len(k.tail)) }

// bytes joins what was kept, with a mark where something is missing.
func (k *kept) bytes() []byte {
	out := append([]byte{}, k.head...)
	if d := k.dropped(); d > 0 {
		out = append(out, fmt.Sprintf("\n[… %d bytes dropped …]\n", d)...)
	}
	out = append(out, k.tail[k.next:]...)
	return append(out, k.tail[:k.next]...)
}
