package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestAddGivesACleanTreeForTheUnitsGit(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	require.Equal(t, "wf/demo/0a1b2c3d-1/T-001", w.Branch)
	require.Equal(t, "## "+w.Branch, sh(t, w.Path, "git status --porcelain --branch"), "clean, and no upstream")
	require.Equal(t, "a\n", read(t, w.Path, "a.txt"))
	target, err := os.Readlink(filepath.Join(w.Path, "link"))
	require.NoError(t, err)
	require.Equal(t, "a.txt", target)
	info, err := os.Stat(filepath.Join(w.Path, "run.sh"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o100)
	list, err := r.List()
	require.NoError(t, err)
	require.Equal(t, []Worktree{w}, list)
	found, ok, err := r.Find(w.Path)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, w, found)
}

// Law 8, ISO-04: a second Add changes nothing and keeps the work; another owner's
// tree, path or branch is never adopted.
func TestAddIsIdempotentAndAdoptsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	write(t, w.Path, "work", "in progress")
	again := add(t, r, "T-001")
	require.Equal(t, w, again)
	require.Equal(t, "in progress", read(t, w.Path, "work"))
	require.NoError(t, os.Remove(filepath.Join(w.Path, ".git")))
	require.Equal(t, w, add(t, r, "T-001"), "a tampered tree is given back with its work")

	spec := Spec{Path: w.Path, Branch: w.Branch, Commit: w.Commit, Owner: Owner{Run: "ffffffff-1", Ticket: "T-001"}}
	_, err := r.Add(ctx, spec)
	kind(t, Occupied, err)
	spec.Path, spec.Owner = w.Path+"-2", owner
	_, err = r.Add(ctx, spec)
	kind(t, Occupied, err)
	require.ErrorContains(t, err, w.Path)
	write(t, w.Path+"-3", "mine", "x")
	spec.Path, spec.Branch = w.Path+"-3", "wf/x"
	_, err = r.Add(ctx, spec)
	kind(t, Occupied, err)
	require.Equal(t, "x", read(t, w.Path+"-3", "mine"))
	sh(t, r.Root(), "git branch feat; git commit -qm next --allow-empty; git branch elsewhere; git reset -q --hard HEAD~1")
	spec.Path, spec.Branch = w.Path+"-4", "feat/x"
	_, err = r.Add(ctx, spec)
	kind(t, Occupied, err)
	require.ErrorContains(t, err, "refs/heads/feat")
	spec.Branch = "elsewhere"
	_, err = r.Add(ctx, spec)
	kind(t, Occupied, err)
	spec.Branch = "-bad"
	_, err = r.Add(ctx, spec)
	kind(t, BadName, err)
	spec.Branch, spec.Commit = "good", strings.Repeat("0123456789", 4)
	_, err = r.Add(ctx, spec)
	kind(t, NoObject, err)
	require.NoDirExists(t, w.Path+"-4")
	require.NoError(t, os.WriteFile(filepath.Join(w.Admin(), ownerFile), []byte("{}"), 0o600))
	_, err = r.Add(ctx, Spec{Path: w.Path, Branch: w.Branch, Commit: w.Commit, Owner: owner})
	kind(t, Stale, err)
	require.Equal(t, "in progress", read(t, w.Path, "work"))
}

func TestRemoveTakesTheTreeAndKeepsTheBranch(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	sh(t, w.Path, "mkdir closed; echo x >closed/f; chmod 000 closed; echo 'gitdir: /x' >.git")
	require.NoError(t, r.Remove(ctx, w))
	require.NoDirExists(t, w.Path)
	require.NoDirExists(t, w.Admin())
	require.NoError(t, r.Remove(ctx, w), "what is gone is gone")
	at, err := r.ReadRef(ctx, "refs/heads/"+w.Branch)
	require.NoError(t, err)
	require.Equal(t, w.Commit, at)
	require.Equal(t, w, add(t, r, "T-001"), "made again at its branch")
	w.Owner.Run = "other"
	kind(t, Occupied, r.Remove(ctx, w))
	write(t, r.Root()+".wf", "foreign", "f", "x")
	kind(t, Occupied, r.Remove(ctx, Worktree{Path: filepath.Join(r.Root()+".wf", "foreign"), Owner: owner}))
}

// Field notes 1: parallel `git worktree add` fails on git's own locks.
func TestParallelAdds(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			// Each with a Repo of its own, as two processes would.
			r, err := Open(ctx, dir, Options{Path: os.Getenv("PATH")})
			if err == nil {
				ticket := fmt.Sprintf("T-%03d", i)
				_, err = r.Add(ctx, Spec{Path: filepath.Join(dir+".wf", ticket), Branch: "wf/p/" + ticket, Commit: "HEAD", Owner: Owner{Ticket: ticket}})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r := open(t, dir)
	trees, err := r.Registered(ctx)
	require.NoError(t, err)
	require.Len(t, trees, 9)
	list, err := r.List()
	require.NoError(t, err)
	require.Len(t, list, 8)
	for _, w := range list {
		require.Empty(t, sh(t, w.Path, "git status --porcelain"))
	}
}

// Law 8: whatever a killed Add left, the next one ends as if it had not been.
func TestAddAfterAKill(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		left func(t *testing.T, r *Repo, w Worktree, rec record)
	}{
		{"after the intent", func(t *testing.T, r *Repo, w Worktree, rec record) {
			sh(t, r.Root(), "git worktree remove --force "+quoteArg(w.Path)+"; git branch -D "+w.Branch)
			rec.Admin = ""
			require.NoError(t, r.saveRecord(rec))
		}},
		{"inside git worktree add", func(t *testing.T, r *Repo, w Worktree, rec record) {
			require.NoError(t, os.RemoveAll(w.Path))
			rec.Admin = ""
			require.NoError(t, r.saveRecord(rec))
			require.NoError(t, os.Remove(filepath.Join(w.Admin(), ownerFile)))
		}},
		{"before the owner record", func(t *testing.T, r *Repo, w Worktree, rec record) {
			rec.Admin = ""
			require.NoError(t, r.saveRecord(rec))
			require.NoError(t, os.Remove(filepath.Join(w.Admin(), ownerFile)))
		}},
		{"after the branch, before the files", func(t *testing.T, r *Repo, w Worktree, rec record) {
			sh(t, w.Path, "rm -r src a.txt")
			require.NoError(t, r.saveRecord(rec))
		}},
		{"the folder is gone since", func(t *testing.T, r *Repo, w Worktree, rec record) {
			require.NoError(t, os.RemoveAll(w.Path))
		}},
		{"pruned since", func(t *testing.T, r *Repo, w Worktree, rec record) {
			sh(t, r.Root(), "rm -r "+quoteArg(w.Path)+"; git worktree prune --expire now")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, w := tree(t)
			rec, ok, err := r.loadRecord(w.Path)
			require.NoError(t, err)
			require.True(t, ok)
			rec.Ready = false
			c.left(t, r, w, rec)
			require.Equal(t, w.Path, add(t, r, "T-001").Path)
			require.Equal(t, "## "+w.Branch, sh(t, w.Path, "git status --porcelain --branch"))
			trees, err := r.Registered(ctx)
			require.NoError(t, err)
			require.Len(t, trees, 2)
		})
	}
}

func TestAFailedAddLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	r := open(t, dir)
	write(t, dir+".wf", "x")
	_, err := r.Add(ctx, Spec{Path: filepath.Join(dir+".wf", "T-1"), Branch: "wf/a", Commit: "HEAD", Owner: owner})
	require.Error(t, err, "the parent is a file")
	refs, err := r.Refs(ctx, BranchSpace)
	require.NoError(t, err)
	require.Empty(t, refs)
	require.NoDirExists(t, filepath.Join(r.CommonDir(), "worktrees"))
	require.Empty(t, must(r.List()))
}

// An intent that never came to an effect gives no right over what came to lie there since.
func TestRollBackLeavesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	r := open(t, repository(t))
	path := filepath.Join(r.Root()+".wf", "T-001")
	head, err := r.Commit(ctx, "HEAD")
	require.NoError(t, err)
	require.NoError(t, r.private())
	require.NoError(t, r.saveRecord(record{Version: 1, Owner: owner, Path: path, Branch: "wf/x", Commit: head, NewBranch: true}))
	write(t, path, "notes", "mine")
	_, err = r.Add(ctx, Spec{Path: path, Branch: "wf/x", Commit: head, Owner: owner})
	kind(t, Occupied, err)
	require.Equal(t, "mine", read(t, path, "notes"))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Odd names: spaces, Unicode, a leading dash, a newline, quotes; and what git
// takes for magic.
func TestOddNames(t *testing.T) {
	t.Parallel()
	base := filepath.Join(tempDir(t), "-odd dir\nwith ünï ' \" $x")
	require.NoError(t, os.Mkdir(base, 0o755))
	names := []string{"-n", "--help", "a b", "new\nline", "tab\t", "ünï", ":(glob)x", "q\"uote'", "*", "back\\slash", "-dir/.hidden", "日本/語", "end "}
	for _, n := range names {
		write(t, base, n, "1\n")
	}
	sh(t, base, `git init -q .; git add -A; git commit -qm odd`)
	r := open(t, base)
	require.Equal(t, base, r.Root())
	w := add(t, r, "T-001")
	head := w.Commit
	entries, err := r.ListTree(ctx, head)
	require.NoError(t, err)
	require.Len(t, entries, len(names))
	for _, n := range names {
		text, err := r.ReadFile(ctx, head, n)
		require.NoError(t, err, n)
		require.Equal(t, "1\n", string(text))
		require.Equal(t, "1\n", read(t, w.Path, n))
		write(t, w.Path, n, "2\n")
		write(t, w.Path, n+"2", "2\n")
		write(t, base, n, "dirty\n")
	}
	before, err := r.Fingerprint(ctx)
	require.NoError(t, err)
	changes, err := r.Changes(ctx, w, head)
	require.NoError(t, err)
	got := kinds(changes)
	for _, n := range names {
		require.Equal(t, Modified, got[n], n)
		require.Equal(t, Added, got[n+"2"], n)
	}
	require.Len(t, got, 2*len(names))
	f, err := r.Inspect(ctx)
	require.NoError(t, err)
	require.Len(t, f.Dirty, len(names))
	require.NoError(t, r.Checkout(ctx, head, filepath.Join(base+"-gate")))
	require.Equal(t, "1\n", read(t, base+"-gate", "new\nline"))
	require.NoError(t, r.Reset(ctx, w, head, nil))
	require.Equal(t, "1\n", read(t, w.Path, "-n"))
	require.NoFileExists(t, filepath.Join(w.Path, "-n2"))
	after, err := r.Fingerprint(ctx)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// ISO-01: everything wf does leaves the main checkout bit for bit as it is, and
// Fingerprint sees each thing that changes there.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	sh(t, dir, `echo x >>a.txt; echo y >new; echo z >staged; git add staged; git branch old`)
	r := open(t, dir)
	first, err := r.Fingerprint(ctx)
	require.NoError(t, err)
	index := read(t, dir, ".git", "index")
	w := add(t, r, "T-001")
	write(t, w.Path, "a.txt", "unit\n")
	everything(t, r, w)
	same, err := r.Fingerprint(ctx)
	require.NoError(t, err)
	require.Equal(t, first, same)
	require.Equal(t, index, read(t, dir, ".git", "index"))
	last := same
	for _, script := range []string{
		`echo more >>a.txt`, `chmod +x new`, `echo q >new`, `echo q >new2`, `git add new2`, `git tag v1`, `git branch b2`, `git branch -f b2 v1`, `git branch -D old`,
		`git checkout -q -b other`, `git commit -qm c`, `git config user.name n`, `ln -sf src link`, `rm run.sh`, `git stash -q`,
	} {
		sh(t, dir, script)
		now, err := r.Fingerprint(ctx)
		require.NoError(t, err)
		if script != `git branch -f b2 v1` { // it is there already
			require.NotEqual(t, last, now, script)
		}
		last = now
	}
}

func TestLineEndsAreComparedAsTheRepositoryStoresThem(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	sh(t, dir, `git config core.autocrlf true; printf 'a\r\n' >a.txt; git add a.txt; printf 'b\r\nmore\r\n' >src/b.go`)
	r := open(t, dir)
	head, err := r.Commit(ctx, "HEAD")
	require.NoError(t, err)
	files, err := r.Working(ctx, head, []string{"a.txt", "src/b.go", "link", "none", "run.sh"})
	require.NoError(t, err)
	var differ []bool
	for _, f := range files {
		differ = append(differ, f.Differs)
	}
	require.Equal(t, []bool{false, true, false, false, false}, differ)
	require.Equal(t, files[0].InHead, files[0].Hash)
	require.Equal(t, NoFile, files[3].Mode)
	f, err := r.Inspect(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"src/b.go"}, f.Dirty)

	w := add(t, r, "T-001")
	require.Equal(t, "a\n", read(t, w.Path, "a.txt"), "a worktree holds what the commit holds, whatever the host's settings")
	write(t, w.Path, ".gitattributes", "*.txt text\n")
	write(t, w.Path, "a.txt", "a\r\n")
	changes, err := r.Changes(ctx, w, head)
	require.NoError(t, err)
	require.Equal(t, map[string]ChangeKind{".gitattributes": Added}, kinds(changes))
}

func TestChangesTellEveryKind(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	sh(t, w.Path, `echo x >>a.txt; chmod -x run.sh; rm src/b.go; mkdir src/b.go; echo c >src/b.go/c; rm link; echo l >link; ln -s a.txt l2
echo i >x.log; mkdir build; echo o >build/o; git mv .gitignore ignored 2>/dev/null; cp ignored .gitignore; git rm -q --cached a.txt; git update-index --assume-unchanged run.sh`)
	changes, err := r.Changes(ctx, w, w.Commit)
	require.NoError(t, err)
	require.Equal(t, map[string]ChangeKind{
		"a.txt": Modified, "run.sh": Modified, "src/b.go": Deleted, "src/b.go/c": Added, "link": Retyped, "l2": Added, "ignored": Added,
	}, kinds(changes), "the unit's index has no say")
	for _, c := range changes {
		switch c.Path {
		case "run.sh":
			require.Equal(t, []Mode{Executable, Regular}, []Mode{c.Old, c.Mode})
		case "l2":
			require.Equal(t, "a.txt", c.Target)
			require.Equal(t, Link, c.Mode)
		case "link":
			require.Equal(t, []Mode{Link, Regular}, []Mode{c.Old, c.Mode})
		}
	}
	sh(t, w.Path, "git checkout -q -f "+w.Commit+"; git clean -qfdx; touch -d @1 a.txt; echo n >new")
	changes, err = r.Changes(ctx, w, w.Commit)
	require.NoError(t, err)
	require.Equal(t, map[string]ChangeKind{"new": Added}, kinds(changes))
	sh(t, w.Path, `printf 'b\n' >a.txt; touch -d @1 a.txt`)
	changes, err = r.Changes(ctx, w, w.Commit)
	require.NoError(t, err)
	require.Equal(t, Modified, kinds(changes)["a.txt"], "same size, same time, other content")
}

func TestResetKeepsWhatIsAskedForAndOnlyIgnoredFiles(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	sh(t, w.Path, `mkdir -p build/cache deep/er; echo o >build/o; echo c >build/cache/c; echo w >work; echo x >a.txt; rm -r src; echo f >src; echo q >x.log; mkdir ro; echo r >ro/r; chmod 500 ro
git add -A; git commit -qm own; touch .git/x 2>/dev/null || true`)
	keep := func(p string) bool { return strings.HasPrefix(p, "build/cache/") || p == "work" }
	require.NoError(t, r.Reset(ctx, w, w.Commit, keep))
	require.Equal(t, "!! build/", sh(t, w.Path, "git status --porcelain --ignored"))
	require.Equal(t, "c\n", read(t, w.Path, "build", "cache", "c"))
	for _, gone := range []string{"build/o", "work", "x.log", "ro", "deep"} {
		require.False(t, exists(filepath.Join(w.Path, gone)), gone)
	}
	require.Equal(t, "package b\n", read(t, w.Path, "src", "b.go"))
	at, err := r.ReadRef(ctx, "refs/heads/"+w.Branch)
	require.NoError(t, err)
	require.Equal(t, w.Commit, at)
}

// A unit may put a link in the place of a folder: neither Reset nor Changes
// touches what it points at.
func TestResetFollowsNoLink(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	outside := tempDir(t)
	write(t, outside, "b.go", "outside\n")
	write(t, outside, "keep", "outside\n")
	sh(t, w.Path, "rm -r src; ln -s '"+outside+"' src; ln -s '"+outside+"' build")
	changes, err := r.Changes(ctx, w, w.Commit)
	require.NoError(t, err)
	require.Equal(t, map[string]ChangeKind{"src": Added, "src/b.go": Deleted, "build": Added}, kinds(changes))
	require.NoError(t, r.Reset(ctx, w, w.Commit, nil))
	require.Equal(t, "outside\n", read(t, outside, "b.go"))
	require.Equal(t, "outside\n", read(t, outside, "keep"))
	info, err := os.Lstat(filepath.Join(w.Path, "src"))
	require.NoError(t, err)
	require.True(t, info.IsDir())
}

func TestCheckoutIsWithoutAnyGit(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	dir := filepath.Join(tempDir(t), "gate")
	require.NoError(t, r.Checkout(ctx, w.Commit, dir))
	require.False(t, exists(filepath.Join(dir, ".git")))
	require.Equal(t, "package b\n", read(t, dir, "src", "b.go"))
	kind(t, Occupied, r.Checkout(ctx, w.Commit, dir))
	left, err := os.ReadDir(filepath.Join(r.scratch, "indexes"))
	require.NoError(t, err)
	require.Len(t, left, 1, "only the worktree's own index")
}

// Law 8: a replay of an intent gives the same hash, in any worktree and zone.
func TestTheSameDraftGivesTheSameCommit(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	write(t, w.Path, "new", "x\n")
	tree, err := r.WriteTree(ctx, w, w.Commit)
	require.NoError(t, err)
	d := Draft{Tree: tree, Parents: []string{w.Commit}, Date: time.Unix(1700000001, 999), Message: "T-001: tïtle (round 1)\n\nWf-Run: x\n"}
	a, err := r.CommitObject(ctx, d)
	require.NoError(t, err)
	d.Date = d.Date.In(time.FixedZone("X", 3600))
	b, err := r.CommitObject(ctx, d)
	require.NoError(t, err)
	require.Equal(t, a, b)
	require.Equal(t, "wf <wf@localhost> 1700000001 +0000|T-001: tïtle (round 1)", sh(t, r.Root(), "git log -1 --format='%an <%ae> %ad|%s' --date=raw "+a))
	require.Equal(t, "x", sh(t, r.Root(), "git log -1 --format='%(trailers:key=Wf-Run,valueonly)' "+a))
	sh(t, r.Root(), "git fsck --strict --no-dangling "+a)
	d.Author, d.Email = "evil>\ntree x", "<>\n"
	c, err := r.CommitObject(ctx, d)
	require.NoError(t, err)
	require.Equal(t, "eviltree x <wf@localhost>", sh(t, r.Root(), "git log -1 --format='%an <%ae>' "+c))
}

func TestUpdateRefComparesAndSwaps(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	one := w.Commit
	two, err := r.CommitObject(ctx, Draft{Tree: must(r.Tree(ctx, one)), Parents: []string{one}, Date: time.Unix(1, 0), Message: "2"})
	require.NoError(t, err)
	ref := Candidate("run", "T-001/implement/1")
	require.NoError(t, r.UpdateRef(ctx, ref, "", one))
	require.NoError(t, r.UpdateRef(ctx, ref, "", one), "a replay repeats nothing")
	kind(t, Moved, r.UpdateRef(ctx, ref, "", two))
	require.NoError(t, r.UpdateRef(ctx, ref, one, two))
	kind(t, Moved, r.UpdateRef(ctx, ref, one, ""))
	require.NoError(t, r.UpdateRef(ctx, ref, two, ""))
	require.NoError(t, r.UpdateRef(ctx, ref, two, ""))
	at, err := r.ReadRef(ctx, ref)
	require.NoError(t, err)
	require.Empty(t, at)
	kind(t, Moved, r.UpdateRef(ctx, ref, one, two))
	kind(t, Occupied, r.UpdateRef(ctx, "refs/heads/main/x", "", one))
	write(t, r.CommonDir(), "refs", "heads", "held.lock", "")
	kind(t, Locked, r.UpdateRef(ctx, "refs/heads/held", "", one))
}

func TestMergeTree(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	sh(t, dir, `seq 20 >n; git add n; git commit -qm n
git checkout -qb a; sed -i s/^1$/one/ n; git commit -qam a; git checkout -qb b main; sed -i s/^20$/twenty/ n; git commit -qam b
git checkout -qb c main; sed -i s/^1$/eins/ n; echo c >'odd ü'; git add -A; git commit -qm c; git checkout -q main`)
	r := open(t, dir)
	rev := func(s string) string { return must(r.Commit(ctx, s)) }
	m, err := r.MergeTree(ctx, time.Unix(1, 0), rev("main"), rev("a"), rev("b"))
	require.NoError(t, err)
	require.Empty(t, m.Conflicts)
	text, err := r.ReadFile(ctx, m.Tree, "n")
	require.NoError(t, err)
	require.Regexp(t, `(?s)^one\n2\n.*\n19\ntwenty\n$`, string(text))
	again, err := r.MergeTree(ctx, time.Unix(1, 0), rev("main"), rev("a"), rev("b"))
	require.NoError(t, err)
	require.Equal(t, m, again)
	m, err = r.MergeTree(ctx, time.Unix(1, 0), rev("main"), rev("a"), rev("b"), rev("c"))
	require.NoError(t, err)
	require.Equal(t, Merge{Conflicts: []string{"n"}, With: rev("c")}, m)
	m, err = r.MergeTree(ctx, time.Unix(1, 0), rev("main"))
	require.NoError(t, err)
	require.Equal(t, must(r.Tree(ctx, rev("main"))), m.Tree)
	_, err = r.MergeTree(ctx, time.Unix(1, 0), rev("main"), strings.Repeat("1", 40))
	require.Error(t, err)
}

func TestACancelledContextStopsWaitingForTheLock(t *testing.T) {
	t.Parallel()
	r, w := tree(t)
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	require.NoError(t, r.writing(ctx, func() error {
		other := open(t, r.Root())
		kind(t, Locked, other.UpdateRef(short, "refs/heads/x", "", w.Commit))
		return nil
	}))
}

func TestPermissionDenied(t *testing.T) {
	t.Parallel()
	require.Equal(t, Permission, KindOf(ioError("x", &os.PathError{Op: "open", Path: "p", Err: unix.EACCES})))
	require.Equal(t, Permission, KindOf(ioError("x", &os.PathError{Op: "open", Path: "p", Err: unix.EROFS})))
	require.Equal(t, DiskFull, KindOf(ioError("x", &os.PathError{Op: "write", Path: "p", Err: unix.ENOSPC})))
	if os.Geteuid() == 0 {
		return // root may write anywhere
	}
	dir := repository(t)
	require.NoError(t, os.Chmod(filepath.Join(dir, ".git"), 0o500))
	defer os.Chmod(filepath.Join(dir, ".git"), 0o700)
	r := open(t, dir)
	_, err := r.Add(ctx, Spec{Path: dir + ".wf/T", Commit: "HEAD"})
	kind(t, Permission, err)
}
