package verb

import "github.com/seed9cc7a46e/wf/dsl/diag"

// Codes of approvals and of what comes from outside. Each reason for which an
// approval does not count has its own.
var (
	codeNotUntrusted  = diag.Define("WF650", diag.Error, "an input from outside is not declared untrusted")
	codeSigUnreadable = diag.Define("WF651", diag.Error, "the approval cannot be read")
	codeSigAltered    = diag.Define("WF652", diag.Error, "the approval was changed after it was signed")
	codeSigNamespace  = diag.Define("WF653", diag.Error, "the signature was made for something else")
	codeSigUnknown    = diag.Define("WF654", diag.Error, "the signer is no operator")
	codeSigRevoked    = diag.Define("WF655", diag.Error, "the signer is no operator any more")
	codeSigKey        = diag.Define("WF656", diag.Error, "the signer's key may not approve plans now")
	codeSigGroup      = diag.Define("WF657", diag.Error, "the signer is not in the group they speak for")
	codeSigPlan       = diag.Define("WF658", diag.Error, "the approval is of another plan")
	codeSigRepository = diag.Define("WF659", diag.Error, "the approval is of another repository")
	codeSigExpired    = diag.Define("WF660", diag.Error, "the approval has expired")
	codeSigMissing    = diag.Define("WF661", diag.Error, "somebody's approval is missing")
	codeClaim         = diag.Define("WF662", diag.Error, "the approval cannot be used up on the remote")
	codeNotAlone      = diag.Define("WF663", diag.Error, "a unit could type at this terminal")
)
