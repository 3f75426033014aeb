package worktree

import (
	"context"
	"strings"
)

// CommitMessage gives the message of a commit, trailers included.
func (r *Repo) CommitMessage(ctx context.Context, commit string) (string, error) {
	hash, err := r.Commit(ctx, commit)
	if err != nil {
		return "", err
	}
	out, err := r.must(ctx, call{args: []string{"cat-file", "commit", hash}})
	if err != nil {
		return "", err
	}
	_, message, _ := strings.Cut(string(out), "\n\n")
	return message, nil
}
