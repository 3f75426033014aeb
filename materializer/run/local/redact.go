package local

import (
	"bytes"
	"encoding/base64"
	"net/url"
)

// redacted stands where a known secret was.
var redacted = []byte("[redacted]")

// redactor replaces known secrets, in the forms in which programs print them.
// Its zero value knows none.
type redactor struct{ forms [][]byte }

// add makes a value known. Short values would blank out ordinary text, and are
// not secrets worth the name.
func (r *redactor) add(value string) {
	if len(value) < 6 {
		return
	}
	forms := []string{value, url.QueryEscape(value), url.PathEscape(value)}
	// A secret inside a longer text that was encoded starts at one of three places in a base64 group.
	for shift := range 3 {
		padded := append(make([]byte, shift), value...)
		coded := base64.RawStdEncoding.EncodeToString(padded)
		skip := []int{0, 2, 3}[shift]
		end := len(coded) - 1 // the last sign depends on what follows
		if end > skip+6 {
			forms = append(forms, coded[skip:end])
		}
	}
	for _, f := range forms {
		r.forms = append(r.forms, []byte(f))
	}
}

func (r *redactor) apply(p []byte) []byte {
	for _, f := range r.forms {
		if bytes.Contains(p, f) {
			p = bytes.ReplaceAll(p, f, redacted)
		}
	}
	return p
}
