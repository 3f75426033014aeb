package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// trap makes a program that writes a canary when anything runs it, and gives its
// path and a check that it never ran.
func trap(t *testing.T) (program string, unsprung func()) {
	dir := tempDir(t)
	program = filepath.Join(dir, "trap.sh")
	canary := filepath.Join(dir, "canary")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >>'"+canary+"'\ncat\nexit 0\n"), 0o755))
	return program, func() {
		t.Helper()
		if data, err := os.ReadFile(canary); err == nil {
			t.Fatalf("a program of the unit ran as the runner: %s", data)
		}
	}
}

// poison gives a git folder every way known to start a program.
func poison(t *testing.T, gitDir, program string) {
	t.Helper()
	hooks := filepath.Join(filepath.Dir(program), "hooks")
	config := strings.NewReplacer("PROG", program, "HOOKS", hooks).Replace(`
[core]
	fsmonitor = PROG
	sshCommand = PROG
	askPass = PROG
	editor = PROG
	pager = PROG
	hooksPath = HOOKS
	gitProxy = PROG
	alternateRefsCommand = PROG
	untrackedCache = true
[diff]
	external = PROG
[diff "x"]
	textconv = PROG
	command = PROG
[filter "x"]
	clean = PROG
	smudge = PROG
	required = true
[filter "lfs"]
	process = PROG
	clean = PROG
	smudge = PROG
[merge]
	default = x
[merge "x"]
	driver = PROG
[credential]
	helper = PROG
[gpg]
	program = PROG
[commit]
	gpgSign = true
[alias]
	status = !PROG
	ls-files = !PROG
	update-index = !PROG
[remote "origin"]
	url = ext::PROG
	promisor = true
[extensions]
	partialClone = origin
[protocol]
	allow = always
[submodule]
	recurse = true
`)
	f, err := os.OpenFile(filepath.Join(gitDir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(config)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	script, err := os.ReadFile(program)
	require.NoError(t, err)
	for _, dir := range []string{hooks, filepath.Join(gitDir, "hooks")} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		for _, h := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-commit", "post-commit", "pre-auto-gc", "fsmonitor-watchman"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, h), script, 0o755))
		}
	}
	write(t, gitDir, "info", "attributes", "* filter=x diff=x merge=x\n")
}

// everything calls all that the engine calls around a unit.
func everything(t *testing.T, r *Repo, w Worktree) {
	t.Helper()
	head, err := r.Commit(ctx, "HEAD")
	require.NoError(t, err)
	_, err = r.Inspect(ctx)
	require.NoError(t, err)
	_, err = r.Fingerprint(ctx)
	require.NoError(t, err)
	_, err = r.Working(ctx, head, []string{"a.txt", "src/b.go"})
	require.NoError(t, err)
	_, err = r.Snapshot(ctx, w, w.Commit, []string{"a.txt"})
	require.NoError(t, err)
	tree, err := r.WriteTree(ctx, w, w.Commit)
	require.NoError(t, err)
	commit, err := r.CommitObject(ctx, Draft{Tree: tree, Parents: []string{w.Commit}, Date: time.Unix(1, 0), Message: "m"})
	require.NoError(t, err)
	require.NoError(t, r.UpdateRef(ctx, Candidate("r", "T-001/implement/1"), "", commit))
	require.NoError(t, r.UpdateRef(ctx, Candidate("r", "T-001/implement/1"), commit, ""))
	_, _, err = r.Diff(ctx, w.Commit, commit, 1<<20)
	require.NoError(t, err)
	_, err = r.DiffStat(ctx, w.Commit, commit)
	require.NoError(t, err)
	_, err = r.PatchID(ctx, w.Commit, commit)
	require.NoError(t, err)
	other, err := r.CommitObject(ctx, Draft{Tree: tree, Parents: []string{head}, Date: time.Unix(2, 0), Message: "o"})
	require.NoError(t, err)
	_, err = r.MergeTree(ctx, time.Unix(3, 0), commit, other, head)
	require.NoError(t, err)
	require.NoError(t, r.Checkout(ctx, commit, filepath.Join(tempDir(t), "gate")))
	_, err = r.Registered(ctx)
	require.NoError(t, err)
	require.NoError(t, r.Reset(ctx, w, w.Commit, func(string) bool { return true }))
	two := add(t, r, "T-002")
	require.NoError(t, r.Remove(ctx, two))
	require.NoError(t, r.UpdateRef(ctx, "refs/heads/"+two.Branch, w.Commit, ""))
	// An object that is not there must not be fetched.
	_, err = r.Commit(ctx, "0123456789012345678901234567890123456789")
	kind(t, NoObject, err)
	_, err = r.ReadFile(ctx, "0123456789012345678901234567890123456789", "x")
	kind(t, NoObject, err)
}

// The traps are real: the operator's own git springs them.
func TestTheTrapsWork(t *testing.T) {
	t.Parallel()
	program, _ := trap(t)
	dir := repository(t)
	poison(t, filepath.Join(dir, ".git"), program)
	sh(t, dir, `echo y >>a.txt; git add a.txt || true`)
	require.FileExists(t, filepath.Join(filepath.Dir(program), "canary"))
}

// Law 4, ISO-02: a unit that rewrites its tree's .git file to a repository of its
// own, whose configuration names programs, runs nothing as the runner.
func TestARewrittenDotGitRunsNothing(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	program, unsprung := trap(t)
	evil := filepath.Join(w.Path, "build", "evil")
	sh(t, w.Path, "mkdir -p build/evil; cd build/evil; git init -q .; echo a >a.txt; git add -A; git commit -qm e")
	poison(t, filepath.Join(evil, ".git"), program)
	write(t, w.Path, ".gitattributes", "* filter=x diff=x merge=x\n*.txt filter=lfs\n")
	write(t, w.Path, ".git", "gitdir: "+filepath.Join(evil, ".git")+"\n")
	s, err := r.Snapshot(ctx, w, w.Commit, nil)
	require.NoError(t, err)
	require.Equal(t, digest([]byte("gitdir: "+filepath.Join(evil, ".git")+"\n")), s.DotGit)
	require.Equal(t, w.Branch, s.Branch, "HEAD is the recorded one")
	require.Equal(t, map[string]ChangeKind{".gitattributes": Added}, kinds(s.Dirty))
	everything(t, r, w)
	unsprung()
	require.Equal(t, string(w.dotGit()), read(t, w.Path, ".git"), "Reset mends it")
}

// Without a sandbox a unit can poison the repository itself, its own admin
// folder, and the attributes of the tree.
func TestAPoisonedRepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	program, unsprung := trap(t)
	poison(t, r.CommonDir(), program)
	write(t, w.Path, ".gitattributes", "* filter=x diff=x merge=x\n")
	write(t, r.Root(), ".gitattributes", "* filter=x diff=x merge=x\n")
	write(t, w.Path, "a.txt", "changed\n")
	write(t, r.Root(), "a.txt", "changed here\n")
	everything(t, r, w)
	unsprung()
	_, err := Open(ctx, r.Root(), Options{Path: os.Getenv("PATH")})
	require.NoError(t, err)
	unsprung()
}

func TestAnAdminFolderThatLeadsElsewhereRunsNothing(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	program, unsprung := trap(t)
	evil := repository(t)
	poison(t, filepath.Join(evil, ".git"), program)
	write(t, w.Admin(), "commondir", filepath.Join(evil, ".git")+"\n")
	write(t, w.Admin(), "config.worktree", "[core]\n\tfsmonitor = "+program+"\n")
	write(t, w.Admin(), "config", "[core]\n\tfsmonitor = "+program+"\n")
	everything(t, r, w)
	unsprung()
}

// A nested repository, also in the place of a submodule, whose configuration
// names programs: git would run `git status` there.
func TestNestedRepositoriesRunNothing(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	sh(t, dir, `git init -q ../sub; (cd ../sub; git commit -qm s --allow-empty)
git -c protocol.file.allow=always submodule --quiet add ../sub dep; git commit -qm dep`)
	r := open(t, dir)
	w := add(t, r, "T-001")
	program, unsprung := trap(t)
	for _, at := range []string{"dep", "inner", "src/deep"} {
		sh(t, w.Path, "mkdir -p "+at+"; cd "+at+"; git init -q .; echo a >a.txt; git add -A; git commit -qm e; echo b >a.txt")
		poison(t, filepath.Join(w.Path, at, ".git"), program)
	}
	s, err := r.Snapshot(ctx, w, w.Commit, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"dep", "inner", "src/deep"}, s.Nested)
	everything(t, r, w)
	unsprung()
	s, err = r.Snapshot(ctx, w, w.Commit, nil)
	require.NoError(t, err)
	require.Empty(t, s.Nested, "Reset removes them")
	require.Empty(t, s.Dirty)
}

// ISO-02: what the caller's environment says of git is not passed on.
func TestTheEnvironmentIsNotPassedOn(t *testing.T) {
	r, w := tree(t)
	program, unsprung := trap(t)
	evil := repository(t)
	for _, kv := range [][2]string{
		{"GIT_DIR", filepath.Join(evil, ".git")}, {"GIT_WORK_TREE", evil}, {"GIT_INDEX_FILE", filepath.Join(evil, ".git", "index")},
		{"GIT_EXTERNAL_DIFF", program}, {"GIT_SSH_COMMAND", program}, {"GIT_EXEC_PATH", filepath.Dir(program)}, {"GIT_CONFIG_COUNT", "1"},
		{"GIT_CONFIG_KEY_0", "core.fsmonitor"}, {"GIT_CONFIG_VALUE_0", program}, {"GIT_OBJECT_DIRECTORY", filepath.Join(evil, ".git", "objects")}, {"PAGER", program},
	} {
		t.Setenv(kv[0], kv[1])
	}
	again, err := Open(ctx, r.Root(), Options{Path: os.Getenv("PATH")})
	require.NoError(t, err)
	require.Equal(t, r.Root(), again.Root())
	everything(t, again, w)
	unsprung()
}

func TestWfsOwnGitFolderIsCompared(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	config := filepath.Join(r.scratch, "config")
	saved := read(t, config)
	write(t, config, saved+"[core]\n\tfsmonitor = true\n")
	_, err := r.Changes(ctx, w, w.Commit)
	kind(t, Tampering, err)
	write(t, config, saved)
	write(t, r.scratch, "info", "attributes", "* filter=x\n")
	_, err = r.Changes(ctx, w, w.Commit)
	kind(t, Tampering, err)
}

// One worktree takes all cases in turn, so that what Reset leaves behind of one
// shows in the next.
func TestTamperedTellsEachFact(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	sh(t, r.Root(), "cp -a .git/info/exclude ..; cp -a .git/config ..")
	protected := []string{"run.sh", "a.txt", "none"}
	before, err := r.Snapshot(ctx, w, w.Commit, protected)
	require.NoError(t, err)
	vars := "ADMIN='" + w.Admin() + "' COMMON='" + r.CommonDir() + "' MAIN='" + r.Root() + "'\n"
	for _, c := range []struct {
		name, script string   // script is run in the worktree
		want         []string // kind and path
		undo         string   // of what is not the worktree's, run in the main checkout
	}{
		{"nothing", `echo x >new; echo y >>src/b.go; mkdir -p build; ln -s /etc/passwd build/out; ln -s ../a.txt src/in; ln -s nowhere src/dangling`, nil, ""},
		{"commits", `echo x >new; git add -A; git commit -qm own`, []string{"head_moved"}, ""},
		{"another branch and a tag", `git checkout -q -b mine; git tag v1`, []string{"branch_switched", "refs_changed"}, `git branch -q -D mine; git tag -d v1`},
		{"detaches", `git checkout -q --detach`, []string{"branch_switched"}, ""},
		{"configuration", `git config user.name x`, []string{"config_changed"}, `cp ../config .git/config`},
		{"excludes and a hook", `echo x >>$COMMON/info/exclude; mkdir -p $COMMON/hooks; echo x >$COMMON/hooks/pre-push`, []string{"config_changed", "hooks_changed"}, `cp ../exclude .git/info/exclude; rm -r .git/hooks`},
		{"dot git", `echo "gitdir: /elsewhere" >.git`, []string{"dot_git_changed"}, ""},
		{"dot git gone", `rm .git`, []string{"dot_git_changed"}, ""},
		{"dot git a folder", `rm .git; mkdir .git`, []string{"dot_git_changed"}, ""},
		{"dot git a link", `mkdir build; mv .git build; ln -s build/.git .git`, []string{"dot_git_changed"}, ""},
		{"admin", `echo /elsewhere >$ADMIN/commondir`, []string{"worktree_link_changed"}, ""},
		{"owner", `echo '{}' >$ADMIN/wf-owner.json`, []string{"worktree_link_changed"}, ""},
		{"links", `ln -s /etc/passwd abs; ln -s ../../x src/up; ln -s src s2; ln -s s2/../../x by; ln -s .git/x dg; ln -s c2 c1; ln -s c1 c2`, []string{
			"link_leads_out abs", "link_leads_out by", "link_leads_out c1", "link_leads_out c2", "link_leads_out dg", "link_leads_out src/up",
		}, ""},
		{"folder for link, hard link", `rm -r src; ln -s /etc src; ln $MAIN/a.txt hard`, []string{"link_leads_out src", "hard_link hard"}, ""},
		{"nested", `git init -q sub; echo x >sub/f; mkdir s2; echo x >s2/f; echo "gitdir: /elsewhere" >s2/.git`, []string{"nested_git s2", "nested_git sub"}, ""},
		{"protected file", `echo '#!/bin/false' >run.sh; rm a.txt`, []string{"protected_file_changed run.sh", "protected_file_changed a.txt"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sh(t, w.Path, vars+c.script)
			after, err := r.Snapshot(ctx, w, w.Commit, protected)
			require.NoError(t, err)
			var got []string
			for _, f := range Tampered(before, after) {
				got = append(got, strings.TrimSpace(string(f.Kind)+" "+f.Path))
			}
			require.Equal(t, c.want, got)
			require.NoError(t, r.Reset(ctx, w, w.Commit, nil))
			require.Empty(t, sh(t, w.Path, "git status --porcelain --ignored"))
			sh(t, r.Root(), c.undo)
		})
	}
}
