// Package queue keeps orders in their order.
package queue

// Queue is first in, first out. The zero value is empty.
type Queue struct{ items []string }

// Push adds an order at the end.
func (q *Queue) Push(order string) { q.items = append(q.items, order) }

// Len is how many orders wait.
func (q *Queue) Len() int { return len(q.items) }
