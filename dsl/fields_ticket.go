package dsl

var stageFields = []FieldDoc{
	named(ownerStage, "stage", "The stage's name.").required(),
	named(ownerStage, "role", "Who works or judges here; or `reviewers`."),
	named(ownerStage, "mode", "A tighter mode than the role's.", "chat", "review", "plan", "orchestrate"),
	shaped(ownerStage, "writes", ShapeNames, "glob", "none, scope, or globs within the scope.").byDefault("none"),
	shaped(ownerStage, "verdict", ShapeValue, "", "Verdicts and where each leads: next, done, park or a stage."),
	shaped(ownerStage, "gates", ShapeNames, "string", "Gates that run after this stage; all of the ticket's where left out."),
	named(ownerStage, "expect", "Whether this stage's gates must pass or fail.", "pass", "fail").byDefault("pass"),
	shaped(ownerStage, "on_bounce", ShapeObject, ownerBounce, "What happens before the round after a refusal."),
	planned(ownerStage, "timeout", "duration", "30m", "Time of one unit."),
	shaped(ownerStage, "reviewers", ShapeNames, "string", "Independent roles on one commit, in place of `role`; the verdict is SHIP, HOLD or BLOCK.").unrun("reviewers of a stage"),
	shaped(ownerStage, "outputs", ShapeNames, "string", "The ticket's outputs that are due here; all of them at the last writing stage where left out.").unrun("outputs of a stage"),
	running(ownerStage, "when", "bool", "Whether the stage is entered.").unrun("conditional stages"),
}

var bounceFields = []FieldDoc{
	named(ownerBounce, "first", "The role that reads the refusal and diagnoses it.").required(),
}

var ticketFields = []FieldDoc{
	named(ownerTicket, "kind", "What kind of ticket this is.", "work", "review", "proposal", "deliberation").byDefault("work").notYet("deliberation").unrun("kinds of tickets", "review", "proposal"),
	running(ownerTicket, "title", "string", "The title; the ticket's name where left out."),
	named(ownerTicket, "role", "Who does it, in one stage; of a proposal, who proposes.").of("work", "proposal"),
	named(ownerTicket, "pipeline", "The stages it goes through.").of("work"),
	running(ownerTicket, "brief", "string", "What is to be done.").required(),
	running(ownerTicket, "when", "bool", "Whether it is done at all."),
	shaped(ownerTicket, "needs", ShapeObjects, ownerNeed, "Tickets it waits for."),
	running(ownerTicket, "for_each", "", "A list or map; one ticket for each entry."),
	running(ownerTicket, "key", "string", "What names an entry of `for_each`.").validated(),
	planned(ownerTicket, "max", "int", "", "The most entries of a list that is known only at run time."),
	shaped(ownerTicket, "matrix", ShapeValue, "", "Named lists; one ticket for each combination."),
	planned(ownerTicket, "scope", "glob", "", "What it may change: a ceiling that is approved.").list().of("work"),
	running(ownerTicket, "narrow", "glob", "A smaller scope, known at run time.").validated().list().of("work"),
	planned(ownerTicket, "may_change", "glob", "", "Protected paths it may change.").list().of("work"),
	planned(ownerTicket, "protect", "glob", "", "Globs added to the protected paths.").list().of("work"),
	planned(ownerTicket, "context", "path", "", "Paths to read first.").list(),
	shaped(ownerTicket, "acceptance", ShapeObjects, ownerAcceptance, "Rows that are checked when the ticket closes.").of("work"),
	shaped(ownerTicket, "gates", ShapeObjects, ownerGate, "Checks the runner executes itself.").of("work"),
	shaped(ownerTicket, "outputs", ShapeMap, ownerOutput, "Typed values it must deliver; a review's are `verdict` and `findings`.").of("work", "proposal"),
	named(ownerTicket, "hold", "Who must let it start.", "operator"),
	named(ownerTicket, "deliver", "How its work leaves wf.", "branch", "pull_request", "merge").unrun("delivery", "pull_request", "merge").of("work"),
	planned(ownerTicket, "budget", "money", "", "Its share of the run's budget."),
	planned(ownerTicket, "workdir", "path", "", "The folder its units start in."),
	named(ownerTicket, "uses", "Another workflow, included; `./` is the folder of this file."),
	planned(ownerTicket, "with", "", "", "Inputs of the included workflow.").vars(),
	shaped(ownerTicket, "services", ShapeObjects, ownerService, "Processes the runner starts at the judged commit for units and gates; they find the address in `WF_SERVICE_NAME`.").unrun("services"),
	shaped(ownerTicket, "checkout", ShapeObject, ownerCheckout, "What is checked out in place of the base.").unrun("checkout"),
	planned(ownerTicket, "base", "ref", "", "The commit it starts from; HEAD where left out.").unrun("base"),
	planned(ownerTicket, "generated", "glob", "", "Globs that a gate regenerates.").list().unrun("generated").of("work"),
	shaped(ownerTicket, "notify", ShapeObject, ownerNotify, "A command on blocked, parked, held and done; its failure changes nothing.").unrun("notify"),
	planned(ownerTicket, "keep", "glob", "", "Ignored files kept between units.").list().unrun("keep"),
	named(ownerTicket, "escalate", "The role a blocked unit asks before the operator; it only reads.").unrun("escalate"),
	named(ownerTicket, "on_conflict", "The role that resolves a merge conflict.").unrun("on_conflict").of("work"),
	named(ownerTicket, "inspector", "The role that reads the transcript of a stalled unit.").unrun("inspector"),
	shaped(ownerTicket, "reviewers", ShapeNames, "string", "The roles that review, independently of each other.").of("review"),
	shaped(ownerTicket, "axes", ShapeMap, ownerAxis, "Checks of a review that the runner executes; a gated one can only tighten the verdict.").of("review"),
	shaped(ownerTicket, "confirm", ShapeObject, ownerConfirm, "Who confirms findings, and from which priority on.").of("review"),
	planned(ownerTicket, "max_findings", "int", "50", "The most findings of a review.").of("review"),
	shaped(ownerTicket, "within", ShapeObject, ownerWithin, "What a proposal may choose from, and its bounds.").of("proposal"),
	later(ownerTicket, "voters", "The roles that vote in a deliberation.").of("deliberation"),
	later(ownerTicket, "dimensions", "What a deliberation scores.").of("deliberation"),
	later(ownerTicket, "consensus", "The agreement a deliberation needs.").of("deliberation"),
	later(ownerTicket, "alternatives", "The least number of alternatives of a deliberation.").of("deliberation"),
}

var needFields = []FieldDoc{
	named(ownerNeed, "ticket", "The ticket waited for.").required(),
	named(ownerNeed, "until", "done, or settled, which also accepts skipped, parked and cancelled.", "done", "settled").byDefault("done"),
}

var acceptanceFields = []FieldDoc{
	running(ownerAcceptance, "what", "string", "What must be true.").required(),
	named(ownerAcceptance, "by", "The gate or verdict stage that shows it."),
}

var serviceFields = []FieldDoc{
	named(ownerService, "name", "The service's name.").required(),
	planned(ownerService, "run", "string", "", "The command, split into words without a shell.").required(),
	planned(ownerService, "port", "int", "", "The port it listens on inside its sandbox; a free one, given as PORT, where left out."),
	planned(ownerService, "ready", "string", "", "The path that answers with a status below 400 once it is ready; a connection is enough where left out."),
	running(ownerService, "env", "string", "Environment variables.").vars(),
	planned(ownerService, "timeout", "duration", "1m", "Time until it is ready."),
	planned(ownerService, "workdir", "path", "", "The folder it runs in."),
}

var gateFields = []FieldDoc{
	named(ownerGate, "name", "The gate's name.").required(),
	planned(ownerGate, "run", "string", "", "The command, split into words without a shell; the script where `shell:` is given."),
	named(ownerGate, "shell", "The interpreter of `run:`.", "bash", "sh"),
	named(ownerGate, "check", "A built-in check.", checkNames()...).unrun("built-in checks", plannedChecks()...),
	running(ownerGate, "env", "string", "Environment variables; the way for values from agents into a gate.").vars(),
	planned(ownerGate, "timeout", "duration", "10m", "Time of one run."),
	planned(ownerGate, "workdir", "path", "", "The folder it runs in."),
	planned(ownerGate, "min_tests", "int", "", "The least number of tests that must run."),
	named(ownerGate, "count", "How tests are counted: go, tap, junit:PATH or pattern:RE."),
	planned(ownerGate, "network", "string", "none", "none, open, or host names.").list(),
	planned(ownerGate, "pattern", "string", "", "Regular expression of `added_lines_must_not_match`.").list(),
	planned(ownerGate, "paths", "glob", "", "Paths a check looks at.").list(),
	planned(ownerGate, "max", "int", "", "The most lines of `max_diff_lines`, the most results of `sarif`."),
	planned(ownerGate, "schema", "path", "", "The JSON Schema of `json_schema`."),
	planned(ownerGate, "url", "url", "", "The address that `http` asks."),
	planned(ownerGate, "status", "int", "", "The status that `http` wants; 200 where left out."),
	planned(ownerGate, "level", "enum<error,warning,note>", "", "The least level of results that `sarif` counts; error where left out."),
	shaped(ownerGate, "fresh", ShapeFlag, "bool", "Whether the checkout is new; where it is not, the record is weak evidence.").byDefault("true").unrun("reused checkouts"),
	shaped(ownerGate, "proves", ShapeObject, ownerProves, "Tests that must fail on the base's sources; green there proves nothing.").unrun("proves"),
}

var settingsFields = []FieldDoc{
	named(ownerSettings, "repository", "The repository's identity; only in the root's settings."),
	named(ownerSettings, "agent", "The adapter of roles that name none."),
	shaped(ownerSettings, "limits", ShapeObject, ownerLimits, "Limits that no workflow below exceeds."),
	shaped(ownerSettings, "tools", ShapeObject, ownerTools, "Tools that no role below exceeds."),
	shaped(ownerSettings, "models", ShapeNames, "string", "The models roles may name."),
	shaped(ownerSettings, "agents", ShapeNames, "string", "The adapters roles may name."),
	shaped(ownerSettings, "network", ShapeNames, "string", "The hosts roles may name."),
	shaped(ownerSettings, "protect", ShapeNames, "glob", "Globs added to the protected paths."),
	named(ownerSettings, "sandbox", "The least confinement a host must offer.", "namespace", "landlock", "none").notYet("namespace"),
	named(ownerSettings, "approvals", "Where an approval is used up: in this clone, or by a ref on the remote `origin`, for all clones.", "local", "remote"),
	shaped(ownerSettings, "organisation", ShapeObject, ownerOrganisation, "The pinned organisation layer; only in the root's settings."),
}

var organisationFields = []FieldDoc{
	named(ownerOrganisation, "source", "Where the layer comes from.").required(),
	named(ownerOrganisation, "digest", "The digest it must have.").required(),
}
