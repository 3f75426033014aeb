package worktree

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var ctx = context.Background()

// sh runs a shell in dir with a plain git, as an operator or a hostile unit would.
func sh(t testing.TB, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=op", "GIT_AUTHOR_EMAIL=op@localhost", "GIT_COMMITTER_NAME=op", "GIT_COMMITTER_EMAIL=op@localhost",
		"GIT_AUTHOR_DATE=@1700000000 +0000", "GIT_COMMITTER_DATE=@1700000000 +0000",
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", script, out)
	return strings.TrimSpace(string(out))
}

func tempDir(t testing.TB) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// repository makes one commit: a.txt, src/b.go, run.sh, a link, an ignore file.
func repository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(tempDir(t), "repo")
	require.NoError(t, os.CopyFS(dir, os.DirFS(template(t))))
	return dir
}

// template is the repository that repository copies: starting git is what these
// tests spend their time on.
func template(t testing.TB) string {
	once.Do(func() {
		var err error
		templateDir, err = os.MkdirTemp("", "worktree-template")
		require.NoError(t, err)
		sh(t, templateDir, `
git init -q -b main .; rm -r .git/hooks
mkdir src; echo a >a.txt; echo 'package b' >src/b.go; echo '#!/bin/sh' >run.sh; chmod +x run.sh
ln -s a.txt link; printf '*.log\nbuild/\n' >.gitignore
git add -A; git commit -qm first`)
	})
	return templateDir
}

var (
	once        sync.Once
	templateDir string
)

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(templateDir)
	os.Exit(code)
}

func open(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(ctx, dir, Options{Path: os.Getenv("PATH")})
	require.NoError(t, err)
	return r
}

func write(t testing.TB, elem ...string) {
	t.Helper()
	path := filepath.Join(elem[:len(elem)-1]...)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(elem[len(elem)-1]), 0o644))
}

func read(t testing.TB, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	require.NoError(t, err)
	return string(data)
}

var owner = Owner{Run: "0a1b2c3d-1", Ticket: "T-001"}

// tree makes a repository and a worktree with a branch in it.
func tree(t testing.TB) (*Repo, Worktree) {
	r := open(t, repository(t))
	return r, add(t, r, "T-001")
}

func add(t testing.TB, r *Repo, ticket string) Worktree {
	t.Helper()
	w, err := r.Add(ctx, Spec{
		Path: filepath.Join(r.Root()+".wf", ticket), Branch: BranchName("demo", "0a1b2c3d", 1, ticket),
		Commit: "HEAD", Owner: Owner{Run: "0a1b2c3d-1", Ticket: ticket},
	})
	require.NoError(t, err)
	return w
}

func kind(t testing.TB, want Kind, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, want.String(), KindOf(err).String(), "%v", err)
}

func kinds(changes []Change) map[string]ChangeKind {
	m := map[string]ChangeKind{}
	for _, c := range changes {
		m[c.Path] = c.Kind
	}
	return m
}

func TestOpenTellsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	r := open(t, filepath.Join(dir, "src"))
	require.Equal(t, dir, r.Root())
	require.Equal(t, filepath.Join(dir, ".git"), r.CommonDir())
	require.Equal(t, "sha1", r.ObjectFormat())
	sh(t, dir, `echo x >>a.txt; echo n >new; echo i >x.log; git rm -q --cached run.sh`)
	f, err := r.Inspect(ctx)
	require.NoError(t, err)
	require.Equal(t, "main", f.Branch)
	require.Equal(t, sh(t, dir, "git rev-parse HEAD"), f.Head)
	require.Equal(t, []string{"a.txt", "run.sh"}, f.Dirty)
	require.Equal(t, []string{"new", "run.sh"}, f.Untracked)
	require.False(t, f.NoCommits || f.Shallow || f.LFS || f.Partial)
	when, err := r.CommitDate(ctx, f.Head)
	require.NoError(t, err)
	require.Equal(t, time.Unix(1700000000, 0).UTC(), when)

	clone := filepath.Join(tempDir(t), "clone")
	sh(t, dir, "git clone -q . '"+clone+"'; cd '"+clone+"'; git commit -qm more --allow-empty")
	g, err := open(t, clone).Inspect(ctx)
	require.NoError(t, err)
	require.Equal(t, f.ID, g.ID, "a clone is the same repository")
	require.Equal(t, "refs/remotes/origin/main", g.Upstream)
	require.Equal(t, 1, g.Unpushed)
}

// ISO-06 and its like: each state that keeps wf from working has a kind and a way out.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	sh(t, base, `mkdir plain; git init -q --bare bare; mkdir -p broken/.git; git init -q odd`)
	_, err := Open(ctx, filepath.Join(base, "plain"), Options{Path: os.Getenv("PATH")})
	kind(t, NotRepository, err)
	require.ErrorContains(t, err, "git init")
	_, err = Open(ctx, filepath.Join(base, "none"), Options{Path: os.Getenv("PATH")})
	kind(t, NotRepository, err)
	_, err = Open(ctx, filepath.Join(base, "bare"), Options{Path: os.Getenv("PATH")})
	kind(t, Bare, err)
	_, err = Open(ctx, filepath.Join(base, "broken"), Options{Path: os.Getenv("PATH")})
	kind(t, NotRepository, err)
	_, err = Open(ctx, filepath.Join(base, "odd", ".git"), Options{Path: os.Getenv("PATH")})
	kind(t, NotRepository, err)
	_, err = Open(ctx, base, Options{Path: filepath.Join(base, "plain")})
	kind(t, NoGit, err)
}

func TestAnotherUsersRepositoryIsDubious(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	dir := repository(t)
	require.NoError(t, os.Chown(dir, 12345, 12345))
	require.NoError(t, os.Chown(filepath.Join(dir, ".git"), 12345, 12345))
	_, err := Open(ctx, dir, Options{Path: os.Getenv("PATH")})
	kind(t, Dubious, err)
	_, err = Open(ctx, dir, Options{Path: os.Getenv("PATH"), Trusted: []string{dir}})
	require.NoError(t, err, "the operator may vouch for it")
}

func TestInspectSpecialRepositories(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	sh(t, base, `
git init -q empty; echo x >empty/x; (cd empty; git add x)
git init -q sub; (cd sub; git commit -qm s --allow-empty)
git init -q big; cd big; echo '*.bin filter=lfs diff=lfs' >.gitattributes
git -c protocol.file.allow=always submodule --quiet add ../sub dep; git add -A; git commit -qm 1; git commit -qm 2 --allow-empty
cd ..; git clone -q --depth 1 "file://$PWD/big" shallow
git init -q --object-format=sha256 wide; cd wide; git commit -qm w --allow-empty`)
	f, err := open(t, filepath.Join(base, "empty")).Inspect(ctx)
	require.NoError(t, err)
	require.True(t, f.NoCommits)
	require.Equal(t, []string{"x"}, f.Dirty)
	f, err = open(t, filepath.Join(base, "big")).Inspect(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"dep"}, f.Submodules)
	require.True(t, f.LFS)
	require.Empty(t, f.Dirty)
	f, err = open(t, filepath.Join(base, "shallow")).Inspect(ctx)
	require.NoError(t, err)
	require.True(t, f.Shallow)
	require.Empty(t, f.ID)
	r := open(t, filepath.Join(base, "wide"))
	require.Equal(t, "sha256", r.ObjectFormat())
	w := add(t, r, "T-1")
	write(t, w.Path, "f", "x")
	changes, err := r.Changes(ctx, w, w.Commit)
	require.NoError(t, err)
	require.Len(t, changes[0].Hash, 64)
	_, err = open(t, filepath.Join(base, "empty")).Add(ctx, Spec{Path: filepath.Join(base, "w"), Commit: "HEAD"})
	kind(t, NoCommits, err)
}

func TestReading(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	r := open(t, dir)
	_, err := r.ReadFile(ctx, "HEAD", "src/b.go")
	require.ErrorContains(t, err, "not found", "HEAD of the private git folder names nothing: callers pass commits")
	head, err := r.Commit(ctx, "HEAD")
	require.NoError(t, err)
	text, err := r.ReadFile(ctx, head, "src/b.go")
	require.NoError(t, err)
	require.Equal(t, "package b\n", string(text))
	_, err = r.ReadFile(ctx, head, "none")
	kind(t, NoObject, err)
	_, err = r.Commit(ctx, "0123456789012345678901234567890123456789")
	kind(t, NoObject, err)
	_, err = r.Commit(ctx, "--help")
	kind(t, NoObject, err)
	entries, err := r.ListTree(ctx, head)
	require.NoError(t, err)
	require.Len(t, entries, 5)
	require.Equal(t, Entry{Path: "link", Mode: Link, Hash: entries[2].Hash, Size: 5}, entries[2])

	sh(t, dir, `echo b >>a.txt; rm run.sh; printf '\000\001' >bin; git add -A; git commit -qm second`)
	next, err := r.Commit(ctx, "HEAD")
	require.NoError(t, err)
	stats, err := r.DiffStat(ctx, head, next)
	require.NoError(t, err)
	require.Equal(t, []FileStat{{Path: "a.txt", Added: 1}, {Path: "bin", Binary: true}, {Path: "run.sh", Removed: 1}}, stats)
	full, cut, err := r.Diff(ctx, head, next, 1<<20)
	require.NoError(t, err)
	require.False(t, cut)
	part, cut, err := r.Diff(ctx, head, next, 40)
	require.NoError(t, err)
	require.True(t, cut)
	require.Equal(t, full[:40], part)
	for _, c := range []struct {
		old, new string
		want     bool
	}{{head, next, true}, {next, head, false}, {head, head, true}} {
		ok, err := r.IsAncestor(ctx, c.old, c.new)
		require.NoError(t, err)
		require.Equal(t, c.want, ok)
	}
	n, err := r.CountCommits(ctx, head, next)
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestPatchIDFollowsTheChange(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	r := open(t, dir)
	rev := func(s string) string { c, err := r.Commit(ctx, s); require.NoError(t, err); return c }
	sh(t, dir, `git checkout -qb topic; echo t >t; git add t; git commit -qm topic; git checkout -q main; echo m >m; git add m; git commit -qm m; git cherry-pick topic >/dev/null`)
	a, err := r.PatchID(ctx, rev("topic~1"), rev("topic"))
	require.NoError(t, err)
	b, err := r.PatchID(ctx, rev("main~1"), rev("main"))
	require.NoError(t, err)
	require.Len(t, a, 40)
	require.Equal(t, a, b)
	none, err := r.PatchID(ctx, rev("main"), rev("main"))
	require.NoError(t, err)
	require.Empty(t, none)
}
