package worktree

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/process"
)

// stopGrace lets git remove its lock files when a call is cancelled.
const stopGrace = 5 * time.Second

// runGit is the one place where this package starts a program. A cancelled
// context is the error; any exit of git's own is in the reply.
func runGit(ctx context.Context, c call, argv, env []string) (reply, error) {
	if err := ctx.Err(); err != nil {
		return reply{}, err
	}
	limit := c.limit
	if limit == 0 {
		limit = maxOutput
	}
	out, errs := first{limit: limit}, first{limit: 4 << 10}
	res, err := process.Run(ctx, process.Spec{
		Argv: argv, Env: env, Dir: c.dir, Stdin: bytes.NewReader(c.stdin),
		Stdout: &out, Stderr: &errs, Grace: stopGrace,
	})
	if err != nil {
		return reply{}, notStarted(argv[0], err)
	}
	got := reply{out: out.kept, err: strings.TrimSpace(string(errs.kept)), exit: res.Exit, cut: out.cut}
	switch {
	case ctx.Err() != nil:
		return got, ctx.Err()
	case res.Signal != "":
		return got, &Error{Kind: Failed, What: "git", Why: "it was ended by " + res.Signal}
	case res.OutputErr != nil:
		return got, fmt.Errorf("read the output of git: %w", res.OutputErr)
	case got.cut && c.limit == 0:
		return got, &Error{Kind: Failed, What: "git", Why: fmt.Sprintf("it printed more than %d bytes", maxOutput)}
	}
	return got, nil
}

func notStarted(program string, err error) error {
	reason, _ := process.ReasonOf(err)
	if reason == process.NotFound || reason == process.Permission {
		return &Error{Kind: NoGit, What: "start " + program, Why: err.Error(), Hint: "install git 2.38 or later and put it on PATH", Err: err}
	}
	return fmt.Errorf("start git: %w", err)
}

// first keeps the first bytes of a stream: a list with its middle cut out, as
// processes keep it for people, would be a wrong list.
type first struct {
	limit int
	kept  []byte
	cut   bool
}

func (f *first) Write(p []byte) (int, error) {
	take := min(len(p), f.limit-len(f.kept))
	f.kept = append(f.kept, p[:take]...)
	f.cut = f.cut || take < len(p)
	return len(p), nil
}
