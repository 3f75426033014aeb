package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOnACloneOfThisProject does what a newcomer does in a repository of some
// size: init, commit, plan, apply. The checkout stays as it was, also its dirty
// and untracked files.
func TestOnACloneOfThisProject(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("the sources are not in a git repository")
	}
	w := newWorld(t, "slow")
	require.NoError(t, os.RemoveAll(w.repo))
	require.NoError(t, os.Mkdir(w.repo, 0o755))
	w.git("-c", "safe.directory=*", "clone", "-q", root, ".")
	w.must(0, "init", "notes")
	w.commit("init")
	require.NoError(t, os.WriteFile(filepath.Join(w.repo, "go.mod"), []byte("dirty\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(w.repo, "untracked"), []byte("mine\n"), 0o644))
	before, err := fingerprint(w.repo)
	require.NoError(t, err)
	w.must(0, "plan", "notes")
	w.must(0, "apply", "notes", "--auto-approve")
	w.must(0, "evidence", "--verify")
	after, err := fingerprint(w.repo)
	require.NoError(t, err)
	if before != after {
		t.Fatalf("the checkout is not as it was:\n%s", firstDifference(before, after))
	}
}
