package planner

// Tiers of effects.
const (
	localTier    = "local"    // the approval of the plan suffices
	sharedTier   = "shared"   // heads the summary
	externalTier = "external" // leaves the repository or the machine
)

// Effect is a class of change to the world, with its meaning and how the
// planner derives it. docs/effects.md is written from this list.
type Effect struct {
	Name    string
	Tier    string
	Meaning string
	Derived string
}

// EffectList is closed: a plan names no other effect, and a policy that names
// another is wrong. Its order is the order of every list of effects.
var EffectList = []Effect{
	{"fs.write", localTier, "Creates, changes and deletes files inside the ticket's scope, on a branch of its own; includes the runner's commits on wf/ branches.", "A stage that writes, with a writing tool or the right to execute; an agent program of another make in mode chat; the replay agent where its stage writes."},
	{"process.exec", localTier, "Starts programs inside its sandbox.", "An allowed tool of the execute tier (`Bash(go test:*)` is execution); the adapter `command`, which is a program; every gate with `run` and every service, since it executes what an agent wrote; the command of `notify`; an MCP server with `run`."},
	{"fs.delete", sharedTier, "Deletes files of the repository outside its scope.", "The right to execute or to edit where the declared floor is `none`."},
	{"git.commit", sharedTier, "Writes commits, refs or configuration of the repository by itself.", "The right to execute where the declared floor is `none`; below `landlock` and `namespace` units write no part of git's folder."},
	{"workspace.restructure", sharedTier, "Moves or removes worktrees and branches of others.", "The right to execute where the declared floor is `none`."},
	{"package.install", sharedTier, "Fetches and installs packages that later units and gates use.", "The right to execute together with a network beyond the model's, or with the floor `none`."},
	{"secret.read", sharedTier, "Reads credentials.", "An environment variable that is passed on and not known to be harmless; a secret input; `auth: key` or `login`; a path under `reads` that looks like a credential; the right to execute where the floor is `none`."},
	{"audit.writable", sharedTier, "Could change the journal, evidence, plans, approvals or policies of its own run.", "The right to execute or to edit where the declared floor is `none`."},
	{"fs.write_outside", externalTier, "Changes files outside the repository.", "The right to execute or to edit where the declared floor is `none`."},
	{"git.push", externalTier, "Pushes to a remote.", "The right to execute, a network beyond the model's and a credential; or the floor `none`."},
	{"pr.create", externalTier, "Opens a pull request.", "As git.push."},
	{"pr.publish", externalTier, "Marks ready, merges or comments on a pull request.", "As git.push."},
	{"sync.write", externalTier, "Writes to trackers, chats and other services.", "As git.push; an allowed `mcp__` tool; an MCP server with `url`."},
	{"rig.control", externalTier, "Starts, stops or changes other machines, containers or runs.", "The right to execute where the declared floor is `none`."},
	{"network.egress", externalTier, "Sends data to hosts other than the model's gateway.", "A network of hosts or `open`, for a unit or a gate; an allowed web tool. Partial where something is executed with the network `model` under the floor `landlock`: it limits TCP by port and not by host. The network `none` is kept whole by both floors."},
	{"model.call", externalTier, "Sends the brief and what the unit reads to a model.", "Every adapter but `replay`, which calls none; `command` unless its network is `none`."},
}

// unconfined says which effects of a unit that can execute, or edit by itself,
// a floor leaves. What is not listed, the floor prevents.
var unconfined = []string{
	"fs.delete", "git.commit", "workspace.restructure", "package.install", "secret.read", "audit.writable",
	"fs.write_outside", "git.push", "pr.create", "pr.publish", "sync.write", "rig.control", "network.egress",
}

// unconfinedEdits are those of a unit that edits and cannot execute.
var unconfinedEdits = []string{"fs.delete", "audit.writable", "fs.write_outside"}

// withCredential are the effects a program has that reaches the network and holds a credential.
var withCredential = []string{"git.push", "pr.create", "pr.publish", "sync.write"}

// harmlessEnv are variables that are no credential.
var harmlessEnv = []string{
	"CI", "COLORTERM", "COLUMNS", "GOARCH", "GOEXPERIMENT", "GOFLAGS", "GOOS", "GOTOOLCHAIN", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE",
	"LINES", "NODE_ENV", "NO_COLOR", "PATH", "PYTHONPATH", "RUST_BACKTRACE", "TERM", "TZ",
}

// credentialFiles are paths that hold credentials by custom.
var credentialFiles = []string{
	"**/.env", "**/.env.*", "**/*.pem", "**/*.key", "**/*.p12", "**/*.pfx", "**/id_rsa*", "**/id_ed25519*", "**/id_ecdsa*", "**/.netrc", "**/.npmrc", "**/.pypirc",
	"**/.ssh/**", "**/.aws/**", "**/.config/gcloud/**", "**/.kube/**", "**/.docker/config.json", "**/credentials*", "**/secrets/**",
}

// effectAt is the place of an effect in the list.
var effectAt = func() map[string]int {
	at := make(map[string]int, len(EffectList))
	for i, e := range EffectList {
		at[e.Name] = i
	}
	return at
}()
