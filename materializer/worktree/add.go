package worktree

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Worktree is a working tree that wf made, as recorded when it was made.
type Worktree struct {
	Path   string // absolute
	Branch string // short name; empty: detached HEAD
	Commit string // the commit it was made at
	Owner  Owner
	admin  string // absolute: <common>/worktrees/<name>
	index  string // wf's own index of this tree, which no unit can write
}

// Admin is the worktree's folder inside the common git folder; a unit's git needs to write it.
func (w Worktree) Admin() string { return w.admin }

// Spec says which worktree is wanted.
type Spec struct {
	Path   string // where; must not exist, or be ours
	Branch string // short name, made at Commit when there is none; empty: detached
	Commit string
	Owner  Owner
}

// Add makes the worktree, or gives back the one that is there when our records
// say that it is this owner's: what a unit wrote in it stays. What an earlier,
// killed Add half made is rolled back first. No branch gets an upstream.
//
// It answers Occupied when path or branch is somebody else's, NoCommits or
// NoObject without a commit, BadName, DiskFull, Permission.
func (r *Repo) Add(ctx context.Context, s Spec) (Worktree, error) {
	path, err := absent(s.Path)
	if err != nil {
		return Worktree{}, err
	}
	s.Path = path
	if s.Branch != "" && !ValidBranch(s.Branch) {
		return Worktree{}, &Error{Kind: BadName, What: "branch " + s.Branch, Why: "git does not accept the name"}
	}
	if s.Commit, err = r.start(ctx, s.Commit); err != nil {
		return Worktree{}, err
	}
	var w Worktree
	err = r.writing(ctx, func() error {
		w, err = r.add(ctx, s)
		return err
	})
	return w, err
}

// start resolves the commit a worktree begins at.
func (r *Repo) start(ctx context.Context, rev string) (string, error) {
	commit, err := r.Commit(ctx, rev)
	if KindOf(err) != NoObject {
		return commit, err
	}
	if _, head, e := r.head(ctx, r.gitDir, "HEAD"); e == nil && head == "" {
		return "", &Error{Kind: NoCommits, What: r.root, Why: "a worktree starts at a commit, and the branch has none yet", Hint: "run: git add -A && git commit -m init", Err: err}
	}
	return "", err
}

func (r *Repo) add(ctx context.Context, s Spec) (Worktree, error) {
	rec, ok, err := r.loadRecord(s.Path)
	if err != nil {
		return Worktree{}, err
	}
	if ok && (rec.Owner != s.Owner || rec.Branch != s.Branch) {
		return Worktree{}, occupied(s.Path, "wf made it for "+rec.Owner.Run+" "+rec.Owner.Ticket)
	}
	if ok && rec.Ready && exists(s.Path) {
		return r.adopt(rec)
	}
	if ok {
		if err := r.rollBack(ctx, rec); err != nil {
			return Worktree{}, err
		}
	}
	return r.make(ctx, s)
}

// adopt gives back a worktree that is there. A missing or changed .git file does
// not stop it: Snapshot reports that, Reset mends it, and the work is not lost.
func (r *Repo) adopt(rec record) (Worktree, error) {
	switch {
	case !exists(r.adminDir(rec.Admin)):
		return Worktree{}, &Error{Kind: Stale, What: rec.Path, Why: "the folder is there and its part of the git folder is gone", Hint: "save what is in it, then remove the folder"}
	case !r.agrees(rec):
		return Worktree{}, &Error{Kind: Stale, What: rec.Path, Why: "its owner record is not the one wf wrote", Hint: "save what is in it, then remove the folder"}
	}
	return r.worktree(rec), nil
}

func (r *Repo) make(ctx context.Context, s Spec) (Worktree, error) {
	if entries, err := os.ReadDir(s.Path); err == nil && len(entries) > 0 || err != nil && !os.IsNotExist(err) {
		return Worktree{}, occupied(s.Path, "something is there that wf did not make")
	}
	rec := record{Version: recordVersion, Owner: s.Owner, Path: s.Path, Branch: s.Branch, Commit: s.Commit}
	if s.Branch != "" {
		fresh, err := r.branchFree(ctx, s)
		if err != nil {
			return Worktree{}, err
		}
		rec.NewBranch = fresh
	}
	if err := r.saveRecord(rec); err != nil {
		return Worktree{}, err
	}
	w, err := r.effects(ctx, &rec)
	if err != nil {
		// The caller's context may be what ended it; what was half made goes all the same.
		if undo := r.rollBack(context.WithoutCancel(ctx), rec); undo != nil {
			return Worktree{}, &Error{Kind: Stale, What: s.Path, Why: "making it failed, and so did taking it back: " + undo.Error(), Err: err}
		}
	}
	return w, err
}

// effects makes what the record announces, in an order in which every prefix can
// be taken back: folder, owner, branch, HEAD, files.
func (r *Repo) effects(ctx context.Context, rec *record) (Worktree, error) {
	if err := os.MkdirAll(filepath.Dir(rec.Path), 0o755); err != nil {
		return Worktree{}, ioError("make the folder for worktrees", err)
	}
	add := r.real(r.gitDir, "worktree", "add", "--no-checkout", "--detach", "--", rec.Path, rec.Commit)
	if _, err := r.must(ctx, add); err != nil {
		return Worktree{}, err
	}
	admin, err := r.adminOf(rec.Path)
	if err != nil {
		return Worktree{}, err
	}
	rec.Admin = admin
	if err := r.saveRecord(*rec); err != nil {
		return Worktree{}, err
	}
	w := r.worktree(*rec)
	if rec.Branch != "" {
		if err := r.attach(ctx, w, rec.NewBranch); err != nil {
			return Worktree{}, err
		}
	}
	if err := r.fill(ctx, w, rec.Commit); err != nil {
		return Worktree{}, err
	}
	rec.Ready = true
	return w, r.saveRecord(*rec)
}

func (r *Repo) attach(ctx context.Context, w Worktree, create bool) error {
	if create {
		if err := r.updateRef(ctx, "refs/heads/"+w.Branch, "", w.Commit); err != nil {
			return err
		}
	}
	_, err := r.must(ctx, r.real(r.common, "symbolic-ref", w.headRef(), "refs/heads/"+w.Branch))
	return err
}

// fill writes a commit's files into the tree from the object store, with an
// index of wf's own, and gives the unit's git a copy of that index.
func (r *Repo) fill(ctx context.Context, w Worktree, commit string) error {
	if err := os.Remove(w.index); err != nil && !os.IsNotExist(err) {
		return ioError("renew the index of "+w.Path, err)
	}
	if err := r.checkout(ctx, w.Path, w.index, commit); err != nil {
		return err
	}
	return r.lendIndex(w)
}

func (r *Repo) lendIndex(w Worktree) error {
	data, err := os.ReadFile(w.index)
	if err != nil {
		return ioError("read the index of "+w.Path, err)
	}
	if err := os.RemoveAll(filepath.Join(w.admin, "index.lock")); err != nil {
		return ioError("renew the unit's index", err)
	}
	return ioError("renew the unit's index", writeFile(filepath.Join(w.admin, "index"), data))
}

// checkout writes the files of a commit below dir. read-tree asks .gitattributes
// of the commit, not of the folder, and no filter has a program behind it.
func (r *Repo) checkout(ctx context.Context, dir, index, commit string) error {
	_, err := r.must(ctx, call{args: []string{"read-tree", "--reset", "-u", commit}, dir: dir, tree: dir, index: index})
	return err
}

// adminOf reads which admin folder git just made for path. Only ever asked
// before a unit has run there.
func (r *Repo) adminOf(path string) (string, error) {
	data, err := os.ReadFile(filepath.Join(path, ".git"))
	if err != nil {
		return "", ioError("read the new worktree's .git", err)
	}
	dir := strings.TrimPrefix(strings.TrimSuffix(string(data), "\n"), "gitdir: ")
	name := filepath.Base(dir)
	if same, err := resolve(dir); err != nil || same != r.adminDir(name) {
		return "", &Error{Kind: Stale, What: path, Why: "git did not link it to " + r.common}
	}
	return name, nil
}

func (r *Repo) worktree(rec record) Worktree {
	return Worktree{
		Path: rec.Path, Branch: rec.Branch, Commit: rec.Commit, Owner: rec.Owner,
		admin: r.adminDir(rec.Admin), index: filepath.Join(r.scratch, "indexes", rec.Admin),
	}
}

// branchFree refuses a branch that stands elsewhere, is checked out somewhere,
// or cannot be made beside another. fresh says that there is none yet.
func (r *Repo) branchFree(ctx context.Context, s Spec) (fresh bool, err error) {
	name := "refs/heads/" + s.Branch
	refs, err := r.Refs(ctx)
	if err != nil {
		return false, err
	}
	fresh = true
	for _, ref := range refs {
		if ref.Name == name {
			fresh = false
			if ref.Commit != s.Commit {
				return false, occupied("branch "+s.Branch, "it exists at "+short(ref.Commit)+", not at "+short(s.Commit))
			}
		}
	}
	if other := collision(refs, name); other != "" {
		return false, beside(name, other)
	}
	if fresh {
		return true, nil
	}
	trees, err := r.Registered(ctx)
	for _, t := range trees {
		if t.Branch == s.Branch && t.Path != s.Path {
			return false, occupied("branch "+s.Branch, "it is checked out in "+t.Path)
		}
	}
	return false, err
}

func occupied(what, why string) error {
	return &Error{Kind: Occupied, What: what, Why: why, Hint: "move it away, or run with another path or attempt"}
}

// absent makes a path absolute with its parent's links resolved, as git records
// it. The last element is not followed: a link there is not a place for a tree.
func absent(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := []string{filepath.Base(abs)}
	for at := filepath.Dir(abs); ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(append([]string{real}, rest...)...), nil
		}
		if !os.IsNotExist(err) || at == filepath.Dir(at) {
			return "", ioError("find "+path, err)
		}
		rest = append([]string{filepath.Base(at)}, rest...)
	}
}

func (w Worktree) dotGit() []byte { return []byte("gitdir: " + w.admin + "\n") }

func (w Worktree) dotGitIntact() bool {
	got, err := readNoFollow(filepath.Join(w.Path, ".git"))
	return err == nil && bytes.Equal(got, w.dotGit())
}
