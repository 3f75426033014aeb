package planfile

import "github.com/seed9cc7a46e/wf/dsl/diag"

// WF490–WF499: what a plan file can be wrong in.
var (
	codeNotPlan      = diag.Define("WF490", diag.Error, "this is not a plan file")
	codeCut          = diag.Define("WF491", diag.Error, "the plan file is cut short")
	codeFormat       = diag.Define("WF492", diag.Error, "the plan file is of a format this wf does not read")
	codeDigest       = diag.Define("WF493", diag.Error, "the plan file was changed after it was made")
	codeSpelling     = diag.Define("WF494", diag.Error, "the plan file is not as wf writes it")
	codeUnknownField = diag.Define("WF495", diag.Error, "the plan file has a field this wf does not know")
	codeTooLarge     = diag.Define("WF496", diag.Error, "the plan file is too large")
)
