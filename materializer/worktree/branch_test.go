package worktree

import (
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

var odd = []string{
	"main", "feat/x", "", "/", "a/", "/a", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.lockx", "a..b", "a.", "a/b.", "a./b", "-a", "a/-b", "@", "a@", "a@{b", "{", "@{",
	"a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b", "a\x7f", "a\tb", "ünï", "日本語", "HEAD", "a/HEAD", "a\xffb", "refs/heads/x",
}

// The rule is git's own.
func TestValidBranchIsGitsRule(t *testing.T) {
	t.Parallel()
	for _, name := range odd {
		cmd := exec.Command("git", "check-ref-format", "refs/heads/"+name)
		want := cmd.Run() == nil && !strings.HasPrefix(name, "-") && name != "HEAD" && name != "@"
		require.Equal(t, want, ValidBranch(name), "%q", name)
	}
}

func TestBranchNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, "wf/build/0a1b2c3d-2/T-002.1", BranchName("build", "0a1b2c3d", 2, "T-002.1"))
	seen := map[string]string{}
	for _, workflow := range append(odd, strings.Repeat("long", 60), strings.Repeat("日", 60), strings.Repeat("日", 59)+"本") {
		for _, ticket := range []string{"T-001", "T-001.1", "T-001.2", "a b", "a:b", strings.Repeat("t", 100)} {
			name := BranchName(workflow, "0a1b2c3d", 1, ticket)
			require.True(t, ValidBranch(name), "%q from %q", name, workflow)
			require.LessOrEqual(t, len(name), MaxBranch)
			require.True(t, utf8.ValidString(name) || !utf8.ValidString(workflow))
			key := workflow + "\x00" + ticket
			require.Empty(t, seen[name], "%q", key)
			seen[name] = key
		}
	}
}

func TestBranchCollision(t *testing.T) {
	t.Parallel()
	a, b, ok := BranchCollision([]string{"x", "feat/x/y", "feat/x"})
	require.True(t, ok)
	require.Equal(t, []string{"feat/x", "feat/x/y"}, []string{a, b})
	_, _, ok = BranchCollision([]string{"feat", "feat2/x", "fea"})
	require.False(t, ok)
	_, _, ok = BranchCollision([]string{"a", "a"})
	require.True(t, ok)
}

func FuzzBranchName(f *testing.F) {
	for _, s := range odd {
		f.Add(s, "T-001")
	}
	f.Fuzz(func(t *testing.T, workflow, ticket string) {
		name := BranchName(workflow, "0a1b2c3d", 1, ticket)
		require.True(t, ValidBranch(name), "%q", name)
		require.LessOrEqual(t, len(name), MaxBranch)
	})
}

func FuzzParseRaw(f *testing.F) {
	f.Add(":100644 100755 aa bb M")
	f.Fuzz(func(t *testing.T, s string) { _, _ = parseRaw(s) })
}
