package dsl

var workflowFields = []FieldDoc{
	shaped(ownerWorkflow, "wf", ShapeName, "int", "The version of the language; 1 today.").required(),
	named(ownerWorkflow, "name", "The workflow's name, as in the file's name.").required(),
	shaped(ownerWorkflow, "description", ShapeText, "string", "What the workflow is for, in a sentence."),
	shaped(ownerWorkflow, "inputs", ShapeMap, ownerInput, "The values a plan is made for."),
	shaped(ownerWorkflow, "types", ShapeMap, ownerType, "Named records."),
	shaped(ownerWorkflow, "limits", ShapeObject, ownerLimits, "The hard limits of a run; `budget` is required.").required(),
	shaped(ownerWorkflow, "roles", ShapeMap, ownerRole, "What agents are hired as."),
	shaped(ownerWorkflow, "pipelines", ShapeLists, ownerStage, "Ordered lists of stages."),
	shaped(ownerWorkflow, "tickets", ShapeMap, ownerTicket, "The pieces of work.").required(),
	running(ownerWorkflow, "outputs", "", "Values of the whole workflow.").vars(),
	planned(ownerWorkflow, "protect", "glob", "", "Globs added to the protected paths.").list(),
}

var inputFields = []FieldDoc{
	shaped(ownerInput, "type", ShapeText, "string", "The type, as in `list<path>`.").required(),
	shaped(ownerInput, "default", ShapeValue, "", "The value where none is given."),
	shaped(ownerInput, "description", ShapeText, "string", "What to give."),
	shaped(ownerInput, "untrusted", ShapeFlag, "bool", "The value may come from strangers, as from a pull request; it is kept out of commands.").byDefault("false"),
	shaped(ownerInput, "secret", ShapeFlag, "bool", "The value is a secret: it is resolved when a unit or gate starts that is given it, and is in no plan.").byDefault("false"),
	named(ownerInput, "source", "The name under `secrets:` of the user's own configuration that says where a secret comes from; the input's name where left out."),
}

var typeFields = []FieldDoc{
	shaped(ownerType, "fields", ShapeMap, ownerOutput, "The record's fields, name by name.").required(),
	shaped(ownerType, "description", ShapeText, "string", "What the record stands for."),
}

// Inputs, outputs and the fields of records also take the constraints.
var outputFields = []FieldDoc{
	shaped(ownerOutput, "type", ShapeText, "string", "The type, as in `list<area>`.").required(),
	shaped(ownerOutput, "description", ShapeText, "string", "What to deliver."),
}

// constraintNames are keys beside `type:`; which of them fit is the type's to say.
var constraintNames = []string{"min", "max", "min_length", "max_length", "pattern", "min_items", "max_items", "unique"}

var limitFields = []FieldDoc{
	planned(ownerLimits, "budget", "money", "", "The hard cap of the run.").required(),
	planned(ownerLimits, "units", "int", "", "Sessions started in all; as computed where left out."),
	planned(ownerLimits, "concurrency", "int", "4", "Sessions at the same time."),
	planned(ownerLimits, "depth", "int", "1", "How deep agents may start agents."),
	planned(ownerLimits, "children", "int", "5", "Live subagents inside one session."),
	planned(ownerLimits, "bounces", "int", "2", "Refusals per ticket; the last one parks it."),
	planned(ownerLimits, "retries", "int", "1", "Reruns of a unit after a crash, a stall or a vendor's error."),
	planned(ownerLimits, "width", "string", "medium", "Guideline for the number of agents: small, medium, large, unlimited or a number."),
	planned(ownerLimits, "timeout", "duration", "2h", "Runner time of the whole run."),
}

var roleFields = []FieldDoc{
	named(ownerRole, "uses", "Path of an agent definition, as in .claude/agents/qa.md."),
	named(ownerRole, "mode", "What the role may do at most.", "chat", "review", "plan", "orchestrate").byDefault("chat"),
	planned(ownerRole, "agent", "string", "replay", "The adapter: replay, command, claude, codex, gemini, opencode; by default the settings' `agent`."),
	planned(ownerRole, "model", "string", "", "The model, as the adapter names it."),
	planned(ownerRole, "fallback", "string", "", "Models to fall back to, at most 3.").list(),
	shaped(ownerRole, "tools", ShapeObject, ownerTools, "What bounds the tools."),
	planned(ownerRole, "network", "string", "", "none, model, open, or host names.").list(),
	planned(ownerRole, "reads", "path", "", "Paths outside the worktree that it may read.").list(),
	shaped(ownerRole, "env", ShapeNames, "string", "Names of environment variables passed on."),
	planned(ownerRole, "budget", "money", "", "The ceiling of one unit."),
	planned(ownerRole, "children", "int", "", "Live subagents inside one session."),
	named(ownerRole, "instructions", "Path of a file with the role's instructions."),
	named(ownerRole, "sandbox", "The least confinement a host must offer.", "namespace", "landlock", "none").notYet("namespace"),
	shaped(ownerRole, "secrets", ShapeNames, "string", "Secret inputs that its units get, each as the variable of the same name in capital letters."),
	shaped(ownerRole, "mcp", ShapeMap, ownerMCP, "MCP servers that its units are given; which of their tools it may use is said by `tools`.").unrun("mcp"),
	shaped(ownerRole, "skills", ShapeNames, "string", "Skills it is given: names under the nearest .claude/skills, or paths of their folders.").unrun("skills"),
	named(ownerRole, "auth", "How its program reaches the model: through wf's gateway, with the key itself, or with the program's own login.", "gateway", "key", "login").byDefault("gateway").unrun("auth", "key", "login"),
	named(ownerRole, "customisation", "Whose settings its program sees: none, the repository's of the base commit, or the user's as well.", "none", "repository", "user").byDefault("repository").unrun("customisation", "none", "user"),
	named(ownerRole, "inspector", "The role that reads its transcript when it stalls.").unrun("inspector"),
	later(ownerRole, "specialists", "Agents that a unit calls inside its own session."),
}

var mcpFields = []FieldDoc{
	planned(ownerMCP, "run", "string", "", "The command that is the server, split into words without a shell."),
	planned(ownerMCP, "url", "url", "", "Where a remote server is."),
	shaped(ownerMCP, "env", ShapeNames, "string", "Names of environment variables passed on to it."),
}

var toolFields = []FieldDoc{
	planned(ownerTools, "allow", "string", "", "Tools from the write tier up that it may use; reading tools stay.").list(),
	planned(ownerTools, "deny", "string", "", "Tools it may not use.").list(),
}

var definitionFields = []FieldDoc{
	shaped(ownerDefinition, "name", ShapeText, "string", "The agent's name."),
	shaped(ownerDefinition, "description", ShapeText, "string", "When to call it."),
	shaped(ownerDefinition, "tools", ShapeValue, "", "Tools it may use, as a list or separated by commas."),
	shaped(ownerDefinition, "disallowedTools", ShapeValue, "", "Tools it may not use."),
	shaped(ownerDefinition, "model", ShapeText, "string", "The model."),
	shaped(ownerDefinition, "color", ShapeText, "string", "Of no meaning to wf."),
}
