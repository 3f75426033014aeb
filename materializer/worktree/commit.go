package worktree

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Draft is a commit to be made. The same draft gives the same hash, so that a
// replay of a recorded intent makes the same commit.
type Draft struct {
	Tree    string
	Parents []string
	Author  string    // name; empty: wf
	Email   string    // empty: wf@localhost
	Date    time.Time // of author and committer; kept to the second, written in UTC
	Message string
}

// CommitObject writes a commit and gives its hash. It moves no ref.
func (r *Repo) CommitObject(ctx context.Context, d Draft) (string, error) {
	out, err := r.must(ctx, call{
		args:  []string{"hash-object", "-t", "commit", "-w", "--stdin"},
		stdin: []byte(d.bytes()),
	})
	return line(out), err
}

// bytes writes the commit itself rather than asking commit-tree, which reads
// identity, encoding and date from more places than one.
func (d Draft) bytes() string {
	who := person(d.Author, "wf") + " <" + person(d.Email, "wf@localhost") + "> " + strconv.FormatInt(d.Date.Unix(), 10) + " +0000\n"
	var b strings.Builder
	b.WriteString("tree " + d.Tree + "\n")
	for _, p := range d.Parents {
		b.WriteString("parent " + p + "\n")
	}
	b.WriteString("author " + who + "committer " + who + "\n")
	b.WriteString("\n" + strings.TrimRight(strings.ReplaceAll(d.Message, "\x00", ""), "\n") + "\n")
	return b.String()
}

// person keeps what would break a commit's header out of a name.
func person(s, otherwise string) string {
	s = strings.TrimSpace(strings.Map(func(c rune) rune {
		if c < ' ' || c == '<' || c == '>' {
			return -1
		}
		return c
	}, s))
	if s == "" {
		return otherwise
	}
	return s
}

// Merge is what a merge of several commits came to.
type Merge struct {
	Tree      string   // the merged tree; empty on a conflict
	Conflicts []string // files, in git's order; empty when clean
	With      string   // the commit that did not merge
}

// MergeTree merges theirs into ours, one after the other in the given order,
// without a working tree and without the repository's merge drivers. A
// conflict is a fact, not an error. Between two merges it makes a commit object
// that no ref holds, dated by date, so that the next one finds its base.
func (r *Repo) MergeTree(ctx context.Context, date time.Time, ours string, theirs ...string) (Merge, error) {
	tree, err := r.Tree(ctx, ours)
	if err != nil {
		return Merge{}, err
	}
	for i, their := range theirs {
		m, err := r.mergeOne(ctx, ours, their)
		if err != nil || len(m.Conflicts) > 0 {
			return m, err
		}
		tree = m.Tree
		if i == len(theirs)-1 {
			break
		}
		ours, err = r.CommitObject(ctx, Draft{Tree: tree, Parents: []string{ours, their}, Date: date, Message: "merge"})
		if err != nil {
			return Merge{}, err
		}
	}
	return Merge{Tree: tree}, nil
}

func (r *Repo) mergeOne(ctx context.Context, ours, their string) (Merge, error) {
	c := call{args: []string{"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", "--allow-unrelated-histories", ours, their}}
	got, err := r.git(ctx, c)
	if err != nil {
		return Merge{}, err
	}
	names := fields(got.out)
	if got.exit > 1 || len(names) == 0 {
		return Merge{}, r.failed(c, got)
	}
	if got.exit == 1 {
		return Merge{Conflicts: names[1:], With: their}, nil
	}
	return Merge{Tree: names[0]}, nil
}
