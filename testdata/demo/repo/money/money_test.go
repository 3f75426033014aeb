package money

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(150, 275); got != 425 {
		t.Errorf("Add(150, 275) = %d, want 425", got)
	}
}
