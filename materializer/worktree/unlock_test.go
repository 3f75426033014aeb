package worktree

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Law 8: git's locks that a kill left of wf's own refs, indexes and heads stop
// nobody; the locks of others stay.
func TestUnlockTakesOnlyWhatAKilledRunLeft(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	ours := []string{w.index + ".lock", filepath.Join(w.admin, "index.lock"), filepath.Join(w.admin, "HEAD.lock"), filepath.Join(r.common, "refs", "heads", w.Branch+".lock")}
	theirs := []string{filepath.Join(r.common, "index.lock"), filepath.Join(r.common, "refs", "heads", "main.lock")}
	for _, path := range append(ours, theirs...) {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	require.Error(t, r.Reset(ctx, w, w.Commit, nil))
	require.NoError(t, r.Unlock(ctx, "ffffffff-1"))
	require.FileExists(t, ours[0], "another run's tree")
	require.NoError(t, r.Unlock(ctx, w.Owner.Run))
	for _, path := range ours {
		require.NoFileExists(t, path)
	}
	for _, path := range theirs {
		require.FileExists(t, path)
	}
	require.NoError(t, r.Reset(ctx, w, w.Commit, nil))
}
