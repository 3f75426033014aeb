package queue

import "testing"

func TestPush(t *testing.T) {
	var q Queue
	q.Push("a")
	if q.Len() != 1 {
		t.Errorf("Len = %d, want 1", q.Len())
	}
}
