// Package format defines the canonical form of wf's YAML files: the layout in
// which every author's file looks alike and says what it said before.
//
// Enter with Format. It changes indentation, spacing, line ends, blank lines
// and, where the meaning is the same, quotes; it keeps comments, the order of
// keys and the style of lists and texts. It works over the tokens of the file,
// with the tree of package syntax telling where each scalar begins and ends.
package format

import (
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// step is the indentation of one level.
const step = 2

// Format gives the canonical form of a file: formatting it again changes
// nothing, and its tree is that of src. A file with errors is given back as it
// is, with its findings; so is one whose layout is beyond this package (a key
// on the line of `---`, a merged mapping of which nothing is left), without any.
func Format(file string, src []byte) ([]byte, diag.Findings) {
	if saysNothing(src) {
		return []byte(bare(string(src))), nil
	}
	root, found := syntax.Parse(file, src)
	if found.HasErrors() || root == nil {
		return src, found
	}
	if out, ok := canonical(string(src), root); ok && faithful(file, out, root) {
		return out, nil
	}
	return src, nil
}

// canonical lays a file out; false where its layout is beyond this package.
func canonical(src string, root *syntax.Node) ([]byte, bool) {
	tokens, ok := scan(src, root)
	if !ok {
		return nil, false
	}
	return []byte(layOut(src, tokens)), true
}

// faithful reports whether a text has no errors and says what a tree says. It
// is the last word: what this package overlooks changes no file.
func faithful(file string, out []byte, root *syntax.Node) bool {
	again, found := syntax.Parse(file, out)
	return !found.HasErrors() && same(root, again)
}

// saysNothing reports whether a file holds only blank lines and comments.
func saysNothing(src []byte) bool {
	for line := range strings.Lines(string(src)) {
		if line = strings.Trim(line, " \t\r\n"); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// bare is the canonical form of a file that says nothing.
func bare(src string) string {
	p := &page{}
	for line := range strings.Lines(src) {
		if line = strings.Trim(line, " \t\r\n"); line == "" {
			p.blank = true
			continue
		}
		p.put(line)
	}
	return p.text(true)
}

// same reports whether two trees say the same. Single and double quotes are
// one way of writing: both say that the value is text.
func same(a, b *syntax.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Value != b.Value || manner(a.Style) != manner(b.Style) || (a.Alias == nil) != (b.Alias == nil) ||
		len(a.Entries) != len(b.Entries) || len(a.Items) != len(b.Items) {
		return false
	}
	for i, e := range a.Entries {
		if !same(e.Key, b.Entries[i].Key) || !same(e.Value, b.Entries[i].Value) {
			return false
		}
	}
	for i, item := range a.Items {
		if !same(item, b.Items[i]) {
			return false
		}
	}
	return true
}

func manner(s syntax.Style) syntax.Style {
	if s == syntax.SingleQuoted {
		return syntax.DoubleQuoted
	}
	return s
}
