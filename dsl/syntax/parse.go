package syntax

import "github.com/seed9cc7a46e/wf/dsl/diag"

// Parse reads one YAML document. The root is nil only where nothing is usable.
func Parse(file string, src []byte) (*Node, diag.Findings) {
	return nil, nil
}
