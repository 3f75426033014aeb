package worktree

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Mode is a file's mode as a tree records it.
type Mode string

// The modes of a tree.
const (
	NoFile     Mode = "000000"
	Regular    Mode = "100644"
	Executable Mode = "100755"
	Link       Mode = "120000"
	Submodule  Mode = "160000"
	Folder     Mode = "040000"
)

// Entry is one file of a tree.
type Entry struct {
	Path string // slash-separated, from the root
	Mode Mode
	Hash string
	Size int64 // bytes; -1 for a submodule
}

// Commit resolves a revision to a full commit hash; NoObject when there is none.
func (r *Repo) Commit(ctx context.Context, rev string) (string, error) {
	return r.object(ctx, rev, "commit")
}

// Tree gives the tree hash of a commit.
func (r *Repo) Tree(ctx context.Context, commit string) (string, error) {
	return r.object(ctx, commit, "tree")
}

func (r *Repo) object(ctx context.Context, rev, kind string) (string, error) {
	c := r.real(r.gitDir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{"+kind+"}")
	got, err := r.git(ctx, c)
	if err != nil {
		return "", err
	}
	if got.exit != 0 {
		return "", &Error{Kind: NoObject, What: kind + " " + rev, Why: "the repository does not have it", Hint: "fetch the branch that holds it, or plan again from a commit that is here"}
	}
	return line(got.out), nil
}

// CommitDate gives a commit's committer date, in UTC.
func (r *Repo) CommitDate(ctx context.Context, commit string) (time.Time, error) {
	out, err := r.must(ctx, call{args: []string{"show", "--no-patch", "--format=%ct", "--end-of-options", commit}})
	if err != nil {
		return time.Time{}, err
	}
	sec, err := strconv.ParseInt(line(out), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the date of %s: %w", commit, err)
	}
	return time.Unix(sec, 0).UTC(), nil
}

// ReadFile gives the bytes of a file as a commit holds them; a link gives its
// target. NoObject when the commit has no such file.
func (r *Repo) ReadFile(ctx context.Context, commit, path string) ([]byte, error) {
	got, err := r.git(ctx, call{args: []string{"cat-file", "blob", commit + ":" + path}})
	if err != nil {
		return nil, err
	}
	if got.exit != 0 {
		return nil, &Error{Kind: NoObject, What: fmt.Sprintf("%q at commit %s", path, short(commit)), Why: "the commit holds no such file"}
	}
	return got.out, nil
}

// ListTree gives every file of a commit or tree, in git's byte order.
func (r *Repo) ListTree(ctx context.Context, commit string) ([]Entry, error) {
	out, err := r.must(ctx, call{args: []string{"ls-tree", "-r", "-z", "--long", "--full-tree", "--end-of-options", commit}})
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, f := range fields(out) {
		meta, path, ok := strings.Cut(f, "\t")
		words := strings.Fields(meta)
		if !ok || len(words) != 4 {
			return nil, fmt.Errorf("list the tree of %s: unexpected line %q", commit, f)
		}
		size, err := strconv.ParseInt(words[3], 10, 64)
		if err != nil {
			size = -1
		}
		entries = append(entries, Entry{Path: path, Mode: Mode(words[0]), Hash: words[2], Size: size})
	}
	return entries, nil
}

// IsAncestor reports whether old is new or one of its ancestors.
func (r *Repo) IsAncestor(ctx context.Context, old, new string) (bool, error) {
	c := call{args: []string{"merge-base", "--is-ancestor", old, new}}
	got, err := r.git(ctx, c)
	if err != nil {
		return false, err
	}
	if got.exit > 1 {
		return false, r.failed(c, got)
	}
	return got.exit == 0, nil
}

// CountCommits counts the commits that new has and old has not.
func (r *Repo) CountCommits(ctx context.Context, old, new string) (int, error) {
	out, err := r.must(ctx, call{args: []string{"rev-list", "--count", "--end-of-options", new, "^" + old}})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(line(out))
}

// PatchID names the change between two commits by its content, whatever the
// commits are called: the proof that work has arrived. Empty for no change.
func (r *Repo) PatchID(ctx context.Context, from, to string) (string, error) {
	patch, err := r.must(ctx, call{args: diffArgs("--patch", "--full-index", "--binary", from, to)})
	if err != nil || len(patch) == 0 {
		return "", err
	}
	out, err := r.must(ctx, call{args: []string{"patch-id", "--stable"}, stdin: patch})
	if err != nil {
		return "", err
	}
	id, _, _ := bytes.Cut(out, []byte(" "))
	return string(id), nil
}

// Diff gives the change between two commits or trees as a patch of at most limit
// bytes, and whether it was cut.
func (r *Repo) Diff(ctx context.Context, from, to string, limit int) (text string, cut bool, err error) {
	c := call{args: diffArgs("--patch", from, to), limit: limit}
	got, err := r.git(ctx, c)
	if err != nil {
		return "", false, err
	}
	if got.exit != 0 && !got.cut {
		return "", false, r.failed(c, got)
	}
	return string(got.out), got.cut, nil
}

// FileStat counts the lines a change adds to and removes from one file.
type FileStat struct {
	Path           string
	Added, Removed int
	Binary         bool // then the counts are 0
}

// DiffStat gives one FileStat per file that differs between two commits or trees.
func (r *Repo) DiffStat(ctx context.Context, from, to string) ([]FileStat, error) {
	out, err := r.must(ctx, call{args: diffArgs("--numstat", "-z", from, to)})
	if err != nil {
		return nil, err
	}
	var stats []FileStat
	for _, f := range fields(out) {
		parts := strings.SplitN(f, "\t", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("read the diff stat: unexpected field %q", f)
		}
		s := FileStat{Path: parts[2], Binary: parts[0] == "-"}
		if !s.Binary {
			s.Added, _ = strconv.Atoi(parts[0])
			s.Removed, _ = strconv.Atoi(parts[1])
		}
		stats = append(stats, s)
	}
	return stats, nil
}

func diffArgs(args ...string) []string {
	return append([]string{"diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"}, args...)
}

func short(commit string) string { return commit[:min(len(commit), 12)] }
