package slug

import "testing"

func TestLower(t *testing.T) {
	if got := Lower("Blue Shoes"); got != "blue shoes" {
		t.Errorf("Lower = %q", got)
	}
}
