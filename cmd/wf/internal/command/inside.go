package command

import (
	"encoding/json"

	"github.com/seed9cc7a46e/wf/materializer/agent/replay"
	"github.com/seed9cc7a46e/wf/materializer/evidence/gocache"
	"github.com/seed9cc7a46e/wf/materializer/guard/hook"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
)

// hookSubcommand is what agent programs call before and after each tool use.
// It is served before any flag is read: it runs at each of them.
const hookSubcommand = "hook"

// Inside serves the hidden subcommands that are not for people: the sandbox's
// first process, the replay agent, and the guard's client. done is false for everything a person types.
func Inside(p Process) (code int, done bool) {
	if len(p.Args) == 0 {
		return 0, false
	}
	switch p.Args[0] {
	case sandbox.Subcommand:
		return sandbox.Main(p.Args[1:], p.Environ, p.Stdout, p.Stderr), true
	case gocache.Subcommand:
		return gocache.Main(p.Args[1:], p.Stdin, p.Stdout, p.Stderr, p.Now), true
	case replay.Subcommand:
		return replay.Main(replay.Session{
			UnitID: p.getenv("WF_UNIT_ID"), Exchange: p.getenv("WF_UNIT"), Worktree: p.Dir,
			Env: p.Environ, Stdin: p.Stdin, Stdout: p.Stdout, Guard: asks(p.getenv(hook.Variable)),
		}, p.Args[1:]), true
	case hookSubcommand:
		return hook.Main(p.Args[1:], p.getenv(hook.Variable), p.Stdin, p.Stderr), true
	}
	return 0, false
}

// asks is how the replay agent asks the guard: by the code that `wf hook` runs.
func asks(socket string) func(id, tool string, input json.RawMessage) (bool, string) {
	return func(id, tool string, input json.RawMessage) (bool, string) {
		q := hook.Question{Guard: hook.Version, Event: hook.Pre, ID: id, Tool: tool, Input: input}
		a, err := hook.Ask(socket, q, hook.Timeout)
		if err != nil {
			return false, err.Error()
		}
		return a.Allowed, a.Reason
	}
}
