package policies

import "github.com/seed9cc7a46e/wf/dsl/diag"

// Codes of policies that could not be evaluated. Any of them means exit 7:
// wf does not know what the policy would have said.
var (
	codeParse     = diag.Define("WF501", diag.Error, "policy file does not parse")
	codeCompile   = diag.Define("WF502", diag.Error, "policy does not compile")
	codeBuiltin   = diag.Define("WF503", diag.Error, "policy calls a builtin that is not pure")
	codePackage   = diag.Define("WF504", diag.Error, "policy package is outside wf.<name>")
	codeUnread    = diag.Define("WF505", diag.Error, "rule is no entry point and nothing reads it")
	codeEntry     = diag.Define("WF506", diag.Error, "entry point has the wrong form")
	codeNoRule    = diag.Define("WF507", diag.Error, "policy folder loads no rule")
	codeData      = diag.Define("WF508", diag.Error, "policy data cannot be used")
	codeEval      = diag.Define("WF509", diag.Error, "policy stopped before it decided")
	codeShape     = diag.Define("WF510", diag.Error, "decision has an unknown shape")
	codeExcept    = diag.Define("WF511", diag.Error, "exception names no rule of its layer")
	codeSilence   = diag.Define("WF512", diag.Error, "guard rule would silence a unit")
	codeNeverTrue = diag.Define("WF513", diag.Error, "comparison with a value the field never has")
	codeNoData    = diag.Define("WF514", diag.Error, "policy reads data that does not exist")
	codeNoField   = diag.Define("WF515", diag.Error, "policy reads a field the plan does not have")
	codeGuardRule = diag.Define("WF516", diag.Error, "guard rule cannot be read")
	codeGuardTool = diag.Define("WF517", diag.Error, "guard rule names a misspelt tool")
)

// Codes of what policies say.
var (
	codeDenied       = diag.Define("WF520", diag.Error, "a policy denies the plan")
	codeAsk          = diag.Define("WF521", diag.Warning, "a policy asks for an approval")
	codeWarn         = diag.Define("WF522", diag.Warning, "a policy warns")
	codeExcepted     = diag.Define("WF523", diag.Note, "an exception lifts a rule")
	codeExceptOver   = diag.Define("WF524", diag.Warning, "an exception is over")
	codeExceptHard   = diag.Define("WF525", diag.Warning, "an exception cannot lift a hard rule")
	codeExceptUnused = diag.Define("WF526", diag.Note, "an exception lifts nothing")
)
