package worktree

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
)

// runGit is the one place where this package starts a program.
func runGit(ctx context.Context, c call, argv, env []string) (reply, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, env, bytes.NewReader(c.stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	got := reply{out: out.Bytes(), err: strings.TrimSpace(errs.String())}
	if ctx.Err() != nil {
		return got, ctx.Err()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got.exit = exit.ExitCode()
		return got, nil
	}
	if err != nil {
		return got, noGit(argv[0], err)
	}
	if c.limit > 0 && len(got.out) > c.limit {
		got.out, got.cut = got.out[:c.limit], true
	}
	return got, nil
}

func noGit(program string, err error) error {
	return &Error{Kind: NoGit, What: "start " + program, Why: err.Error(), Hint: "install git 2.38 or later and put it on PATH", Err: err}
}
