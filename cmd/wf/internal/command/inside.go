package command

import (
	"github.com/seed9cc7a46e/wf/materializer/agent/replay"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
)

// Inside serves the hidden subcommands that wf starts itself as: the sandbox's
// first process and the replay agent. done is false for everything a person types.
func Inside(p Process) (code int, done bool) {
	if len(p.Args) == 0 {
		return 0, false
	}
	switch p.Args[0] {
	case sandbox.Subcommand:
		return sandbox.Main(p.Args[1:], p.Environ, p.Stdout, p.Stderr), true
	case replay.Subcommand:
		return replay.Main(replay.Session{
			UnitID: p.getenv("WF_UNIT_ID"), Exchange: p.getenv("WF_UNIT"), Worktree: p.Dir,
			Env: p.Environ, Stdin: p.Stdin, Stdout: p.Stdout,
		}, p.Args[1:]), true
	}
	return 0, false
}
