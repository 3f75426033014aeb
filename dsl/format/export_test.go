package format

import "github.com/seed9cc7a46e/wf/dsl/syntax"

// Unfaithful gives what Format would have made of a file, had it not looked
// again, where that says something else than the file; "" where all is well.
func Unfaithful(src []byte) string {
	root, found := syntax.Parse("a.yaml", src)
	if found.HasErrors() || root == nil {
		return ""
	}
	if out, ok := canonical(string(src), root); ok && !faithful("a.yaml", out, root) {
		return string(out)
	}
	return ""
}
