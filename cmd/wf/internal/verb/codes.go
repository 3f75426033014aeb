package verb

import "github.com/seed9cc7a46e/wf/dsl/diag"

// Codes of this package: the repository, plan files, approvals, the host.
var (
	codeNoGit      = diag.Define("WF600", diag.Error, "git is missing or too old")
	codeNoRepo     = diag.Define("WF601", diag.Error, "not inside a git repository")
	codeBare       = diag.Define("WF602", diag.Error, "the repository has no working tree")
	codeNoCommits  = diag.Define("WF603", diag.Error, "the repository has no commits")
	codeShallow    = diag.Define("WF604", diag.Error, "the repository's history is cut off")
	codeDubious    = diag.Define("WF605", diag.Error, "the repository belongs to another user")
	codeGitRefused = diag.Define("WF606", diag.Error, "the repository refuses what wf needs")
	codeDiskFull   = diag.Define("WF607", diag.Error, "no space left on the disk")
	codePermission = diag.Define("WF608", diag.Error, "the system refuses access")

	codeNoWorkflow  = diag.Define("WF610", diag.Error, "no such workflow")
	codeNoPlanFile  = diag.Define("WF611", diag.Error, "the plan file cannot be read")
	codeStale       = diag.Define("WF612", diag.Error, "the plan is stale")
	codeUsed        = diag.Define("WF613", diag.Error, "the approval was used already")
	codeNoApproval  = diag.Define("WF614", diag.Error, "the plan is not approved")
	codeBadApproval = diag.Define("WF615", diag.Error, "the approval does not hold")
	codeInside      = diag.Define("WF616", diag.Error, "an agent cannot decide")
	codeKey         = diag.Define("WF617", diag.Error, "the key cannot be used")
	codeHost        = diag.Define("WF618", diag.Error, "this host does not meet the plan")
	codeAuto        = diag.Define("WF619", diag.Error, "the plan cannot be approved automatically")

	codeNoRun        = diag.Define("WF620", diag.Error, "no such run")
	codeManyRuns     = diag.Define("WF621", diag.Error, "more than one run is open")
	codeLocked       = diag.Define("WF622", diag.Error, "another wf works on this run")
	codeNoTicket     = diag.Define("WF623", diag.Error, "no such ticket")
	codeNotNow       = diag.Define("WF624", diag.Error, "the decision does not fit the ticket's status")
	codeJournal      = diag.Define("WF625", diag.Error, "the journal is damaged")
	codeRules        = diag.Define("WF626", diag.Error, "the run was made under other rules")
	codeOpenRun      = diag.Define("WF627", diag.Error, "the workflow has an open run")
	codeNoCode       = diag.Define("WF632", diag.Error, "no such finding code")
	codeDelivered    = diag.Define("WF633", diag.Error, "the work cannot be delivered there")
	codeNoQuestion   = diag.Define("WF634", diag.Error, "no such question")
	codeBadFile      = diag.Define("WF635", diag.Error, "the file cannot be read")
	codeConfig       = diag.Define("WF636", diag.Error, "your own wf configuration cannot be used")
	codeNotWritten   = diag.Define("WF638", diag.Error, "the file cannot be written")
	codeBadInput     = diag.Define("WF639", diag.Error, "an input cannot be read")
	codeOrganisation = diag.Define("WF637", diag.Error, "the organisation's policies are not there")
)
