package text

import "testing"

func TestQuote(t *testing.T) {
	if got := Quote("new"); got != "“new”" {
		t.Errorf("Quote = %q", got)
	}
}
