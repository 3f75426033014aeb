package approval

import "github.com/seed9cc7a46e/wf/dsl/diag"

var (
	codeOperatorLine   = diag.Define("WF560", diag.Error, "operators line cannot be read")
	codeOperatorOption = diag.Define("WF561", diag.Error, "operators option cannot be used")
	codeOperatorName   = diag.Define("WF562", diag.Error, "an operator is not one named person")
	codeOperatorKey    = diag.Define("WF563", diag.Error, "operator's key cannot be used")
	codeOperatorTwice  = diag.Define("WF564", diag.Error, "one key stands in two lines")
	codeOperatorGroups = diag.Define("WF565", diag.Error, "operator's groups cannot be read")
	codeOperatorsNone  = diag.Define("WF566", diag.Error, "operators file names nobody")
)
