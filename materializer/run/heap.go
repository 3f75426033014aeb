package run

import "slices"

// queue is a heap of tickets that knows each one's place, so that a ticket can
// leave it at any time. Deciding looks at its first few and never at the rest.
type queue struct {
	items []*node
	less  func(a, b *node) bool
	place func(n *node) *int // -1: not in the queue
}

func (q *queue) add(n *node) {
	if *q.place(n) >= 0 {
		q.up(*q.place(n))
		q.down(*q.place(n))
		return
	}
	q.items = append(q.items, n)
	*q.place(n) = len(q.items) - 1
	q.up(len(q.items) - 1)
}

func (q *queue) remove(n *node) {
	i := *q.place(n)
	if i < 0 {
		return
	}
	last := len(q.items) - 1
	q.swap(i, last)
	q.items = q.items[:last]
	*q.place(n) = -1
	if i < last {
		q.up(i)
		q.down(i)
	}
}

// set puts n in or takes it out.
func (q *queue) set(n *node, in bool) {
	if in {
		q.add(n)
	} else {
		q.remove(n)
	}
}

// first gives the first k in their order without taking them out.
func (q *queue) first(k int) []*node {
	if k >= len(q.items) {
		all := slices.Clone(q.items)
		slices.SortFunc(all, q.compare)
		return all
	}
	taken := make([]*node, 0, max(k, 0))
	for len(taken) < k {
		n := q.items[0]
		taken = append(taken, n)
		q.remove(n)
	}
	for _, n := range taken {
		q.add(n)
	}
	return taken
}

func (q *queue) compare(a, b *node) int {
	switch {
	case q.less(a, b):
		return -1
	case q.less(b, a):
		return 1
	}
	return 0
}

func (q *queue) swap(i, j int) {
	q.items[i], q.items[j] = q.items[j], q.items[i]
	*q.place(q.items[i]), *q.place(q.items[j]) = i, j
}

func (q *queue) up(i int) {
	for i > 0 && q.less(q.items[i], q.items[(i-1)/2]) {
		q.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (q *queue) down(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(q.items); c++ {
			if q.less(q.items[c], q.items[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		q.swap(i, least)
		i = least
	}
}
