package dsl

var stageFields = []FieldDoc{
	named(ownerStage, "stage", "The stage's name.").required(),
	named(ownerStage, "role", "Who works or judges here.").required(),
	named(ownerStage, "mode", "A tighter mode than the role's.", "chat", "review", "plan", "orchestrate"),
	shaped(ownerStage, "writes", ShapeNames, "glob", "none, scope, or globs within the scope.").byDefault("none"),
	shaped(ownerStage, "verdict", ShapeValue, "", "Verdicts and where each leads: next, done, park or a stage."),
	shaped(ownerStage, "gates", ShapeNames, "string", "Gates that run after this stage; all of the ticket's where left out."),
	named(ownerStage, "expect", "Whether this stage's gates must pass or fail.", "pass", "fail").byDefault("pass"),
	shaped(ownerStage, "on_bounce", ShapeObject, ownerBounce, "What happens before the round after a refusal."),
	planned(ownerStage, "timeout", "duration", "30m", "Time of one unit."),
	later(ownerStage, "reviewers", "Independent roles on one commit."),
	later(ownerStage, "outputs", "The ticket's outputs that are due here."),
	later(ownerStage, "when", "Whether the stage is entered."),
}

var bounceFields = []FieldDoc{
	named(ownerBounce, "first", "The role that reads the refusal and diagnoses it.").required(),
}

var ticketFields = []FieldDoc{
	named(ownerTicket, "kind", "What kind of ticket this is.", "work", "review", "proposal", "deliberation").byDefault("work").notYet("review", "proposal", "deliberation"),
	running(ownerTicket, "title", "string", "The title; the ticket's name where left out."),
	named(ownerTicket, "role", "Who does it, in one stage."),
	named(ownerTicket, "pipeline", "The stages it goes through."),
	running(ownerTicket, "brief", "string", "What is to be done.").required(),
	running(ownerTicket, "when", "bool", "Whether it is done at all."),
	shaped(ownerTicket, "needs", ShapeObjects, ownerNeed, "Tickets it waits for."),
	running(ownerTicket, "for_each", "", "A list or map; one ticket for each entry."),
	running(ownerTicket, "key", "string", "What names an entry of `for_each`.").validated(),
	planned(ownerTicket, "max", "int", "", "The most entries of a list that is known only at run time."),
	shaped(ownerTicket, "matrix", ShapeValue, "", "Named lists; one ticket for each combination."),
	planned(ownerTicket, "scope", "glob", "", "What it may change: a ceiling that is approved.").list(),
	running(ownerTicket, "narrow", "glob", "A smaller scope, known at run time.").validated().list(),
	planned(ownerTicket, "may_change", "glob", "", "Protected paths it may change.").list(),
	planned(ownerTicket, "protect", "glob", "", "Globs added to the protected paths.").list(),
	planned(ownerTicket, "context", "path", "", "Paths to read first.").list(),
	shaped(ownerTicket, "acceptance", ShapeObjects, ownerAcceptance, "Rows that are checked when the ticket closes."),
	shaped(ownerTicket, "gates", ShapeObjects, ownerGate, "Checks the runner executes itself."),
	shaped(ownerTicket, "outputs", ShapeMap, ownerOutput, "Typed values it must deliver."),
	named(ownerTicket, "hold", "Who must let it start.", "operator"),
	named(ownerTicket, "deliver", "How its work leaves wf.", "branch", "pull_request", "merge").notYet("pull_request", "merge"),
	planned(ownerTicket, "budget", "money", "", "Its share of the run's budget."),
	planned(ownerTicket, "workdir", "path", "", "The folder its units start in."),
	later(ownerTicket, "uses", "Another workflow, included."),
	later(ownerTicket, "with", "Inputs of an included workflow."),
	later(ownerTicket, "services", "Processes the runner starts at the judged commit."),
	later(ownerTicket, "checkout", "What is checked out instead of the base."),
	later(ownerTicket, "submodules", "Submodules to check out."),
	later(ownerTicket, "generated", "Globs that a gate regenerates."),
	later(ownerTicket, "base", "The commit it starts from."),
	later(ownerTicket, "notify", "A command on blocked, parked, held and done."),
	planned(ownerTicket, "keep", "glob", "", "Ignored files kept between units.").list().unrun("keep"),
	later(ownerTicket, "escalate", "The role a blocked unit asks first."),
	later(ownerTicket, "on_conflict", "The role that resolves a merge conflict."),
	later(ownerTicket, "inspector", "The role that reads the transcript of a stalled unit."),
	later(ownerTicket, "reviewers", "Independent reviewers of a review."),
	later(ownerTicket, "axes", "Checks of a review."),
	later(ownerTicket, "confirm", "Who confirms findings of a review."),
	later(ownerTicket, "max_findings", "The most findings of a review."),
	later(ownerTicket, "within", "The bounds of a proposal."),
	later(ownerTicket, "voters", "The roles that vote in a deliberation."),
	later(ownerTicket, "dimensions", "What a deliberation scores."),
	later(ownerTicket, "consensus", "The agreement a deliberation needs."),
	later(ownerTicket, "alternatives", "The least number of alternatives of a deliberation."),
}

var needFields = []FieldDoc{
	named(ownerNeed, "ticket", "The ticket waited for.").required(),
	named(ownerNeed, "until", "done, or settled, which also accepts skipped, parked and cancelled.", "done", "settled").byDefault("done"),
}

var acceptanceFields = []FieldDoc{
	running(ownerAcceptance, "what", "string", "What must be true.").required(),
	named(ownerAcceptance, "by", "The gate or verdict stage that shows it."),
}

var gateFields = []FieldDoc{
	named(ownerGate, "name", "The gate's name.").required(),
	planned(ownerGate, "run", "string", "", "The command, split into words without a shell; the script where `shell:` is given."),
	named(ownerGate, "shell", "The interpreter of `run:`.", "bash", "sh"),
	named(ownerGate, "check", "A built-in check.", checkNames()...).notYet(laterChecks()...),
	running(ownerGate, "env", "string", "Environment variables; the way for values from agents into a gate.").vars(),
	planned(ownerGate, "timeout", "duration", "10m", "Time of one run."),
	planned(ownerGate, "workdir", "path", "", "The folder it runs in."),
	planned(ownerGate, "min_tests", "int", "", "The least number of tests that must run."),
	named(ownerGate, "count", "How tests are counted: go, tap, junit:PATH or pattern:RE."),
	planned(ownerGate, "network", "string", "none", "none, open, or host names.").list(),
	planned(ownerGate, "pattern", "string", "", "Regular expression of `added_lines_must_not_match`.").list(),
	planned(ownerGate, "paths", "glob", "", "Paths a check looks at.").list(),
	planned(ownerGate, "max", "int", "", "The most lines of `max_diff_lines`."),
	later(ownerGate, "schema", "The schema of `json_schema`."),
	later(ownerGate, "fresh", "Whether the checkout is new."),
	later(ownerGate, "proves", "Tests that must fail on the base."),
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
	shaped(ownerSettings, "organisation", ShapeObject, ownerOrganisation, "The pinned organisation layer; only in the root's settings."),
}

var organisationFields = []FieldDoc{
	named(ownerOrganisation, "source", "Where the layer comes from.").required(),
	named(ownerOrganisation, "digest", "The digest it must have.").required(),
}
