package lsp

import (
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/format"
)

// formatting gives the one edit that brings a document into its canonical
// form; it leaves out the lines at both ends that stay, so that the cursor does.
func formatting(_ *server, d *document) any {
	after, found := format.Format(d.path, []byte(d.text))
	text := string(after)
	if found.HasErrors() || text == d.text {
		return []textEdit{}
	}
	from := sameLines(d.text, text)
	to := sameEnd(d.text[from:], text[from:])
	return []textEdit{{d.span(from, len(d.text)-to), text[from : len(text)-to]}}
}

// sameLines is how many bytes of whole lines two texts begin with alike.
func sameLines(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexByte(a[:n], '\n') + 1
}

// sameEnd is how many bytes of whole lines two texts end with alike.
func sameEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	end := a[len(a)-n:]
	if k := strings.IndexByte(end, '\n'); k >= 0 {
		return n - k - 1
	}
	return 0
}
