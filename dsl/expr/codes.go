package expr

import "github.com/seed9cc7a46e/wf/dsl/diag"

// The findings of this package. Each has its page in dsl/diag/pages.
var (
	codeSyntax      = diag.Define("WF201", diag.Error, "the expression cannot be read")
	codeName        = diag.Define("WF202", diag.Error, "the name is not known here")
	codeField       = diag.Define("WF203", diag.Error, "the field does not exist")
	codeOperands    = diag.Define("WF204", diag.Error, "the types do not fit together")
	codeArguments   = diag.Define("WF205", diag.Error, "the number of arguments is wrong")
	codeResult      = diag.Define("WF206", diag.Error, "the value does not have the type its field wants")
	codeForbidden   = diag.Define("WF207", diag.Error, "this is not part of the expression language")
	codePhase       = diag.Define("WF208", diag.Error, "the value is not known when the plan is made")
	codeTaint       = diag.Define("WF209", diag.Error, "untrusted text would enter a field that must be clean")
	codeOptional    = diag.Define("WF210", diag.Error, "a value that may be missing is used without a guard")
	codeTooLarge    = diag.Define("WF211", diag.Error, "the expression is too long or nested too deeply")
	codeUnclosed    = diag.Define("WF212", diag.Error, "the expression is not closed")
	codeLooksLike   = diag.Define("WF213", diag.Warning, "this looks like an expression and is plain text")
	codeInText      = diag.Define("WF214", diag.Error, "only a single value can stand inside text")
	codeSecret      = diag.Define("WF215", diag.Error, "a secret may not stand in this field")
	codeAlwaysFails = diag.Define("WF216", diag.Error, "the expression fails whenever it is evaluated")
	codeCombining   = diag.Define("WF217", diag.Warning, "the text contains combining characters and may never be equal")
)
