package verb

import "github.com/seed9cc7a46e/wf/dsl/diag"

// Codes of approvals and of what comes from outside.
var (
	codeNotUntrusted = diag.Define("WF650", diag.Error, "an input from outside is not declared untrusted")
)
