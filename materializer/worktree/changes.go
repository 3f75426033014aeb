package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ChangeKind says what became of a path. A rename is two changes.
type ChangeKind string

// The kinds of change.
const (
	Added    ChangeKind = "added"
	Modified ChangeKind = "modified" // content or executable bit
	Deleted  ChangeKind = "deleted"
	Retyped  ChangeKind = "type changed" // file, link or submodule became another of these
)

// Change is one path that differs from a commit.
type Change struct {
	Path    string // slash-separated, from the root; any bytes but NUL
	Kind    ChangeKind
	Old     Mode   // NoFile when added
	Mode    Mode   // NoFile when deleted
	OldHash string // empty when added
	Hash    string // of the content as git would store it; empty when deleted
	Target  string // where a link points, as written
}

// Changes tells how the files of a worktree differ from a commit: tracked and
// untracked, without what .gitignore files of the tree exclude. It reads the
// files themselves, by an index of wf's own; the unit's index, HEAD and
// configuration have no say.
func (r *Repo) Changes(ctx context.Context, w Worktree, since string) ([]Change, error) {
	files, err := r.survey(ctx, w, since)
	if err != nil {
		return nil, err
	}
	return r.changesTo(ctx, since, files.tree)
}

func (r *Repo) changesTo(ctx context.Context, since, tree string) ([]Change, error) {
	changes, err := r.CompareTrees(ctx, since, tree)
	if err != nil {
		return nil, err
	}
	return changes, r.readTargets(ctx, changes)
}

// CompareTrees tells how the files of one commit or tree differ from another's.
// Target is left empty.
func (r *Repo) CompareTrees(ctx context.Context, from, to string) ([]Change, error) {
	out, err := r.must(ctx, call{args: diffArgs("--raw", "--no-abbrev", "-z", from, to)})
	if err != nil {
		return nil, err
	}
	parts := fields(out)
	if len(parts)%2 != 0 {
		return nil, fmt.Errorf("compare %s with %s: %d fields, expected pairs", from, to, len(parts))
	}
	var changes []Change
	for i := 0; i < len(parts); i += 2 {
		c, err := parseRaw(parts[i])
		if err != nil {
			return nil, err
		}
		c.Path = parts[i+1]
		changes = append(changes, c)
	}
	return changes, nil
}

// parseRaw reads ":100644 100755 <hash> <hash> M".
func parseRaw(s string) (Change, error) {
	w := strings.Fields(strings.TrimPrefix(s, ":"))
	if len(w) != 5 {
		return Change{}, fmt.Errorf("read a raw diff: unexpected field %q", s)
	}
	c := Change{Old: Mode(w[0]), Mode: Mode(w[1]), OldHash: w[2], Hash: w[3]}
	switch w[4] {
	case "A":
		c.Kind, c.OldHash = Added, ""
	case "D":
		c.Kind, c.Hash = Deleted, ""
	case "T":
		c.Kind = Retyped
	default:
		c.Kind = Modified
	}
	return c, nil
}

func (r *Repo) readTargets(ctx context.Context, changes []Change) error {
	for i, c := range changes {
		if c.Mode != Link {
			continue
		}
		out, err := r.must(ctx, call{args: []string{"cat-file", "blob", c.Hash}})
		if err != nil {
			return err
		}
		changes[i].Target = string(out)
	}
	return nil
}

// leadsOut reports whether a link at path (from root) ends outside root, or
// inside its .git, following further links on the way. What does not exist is
// judged by its name.
func leadsOut(root, path, target string) bool {
	at := filepath.Dir(path)
	for hops := 0; hops < 40; hops++ {
		if filepath.IsAbs(target) {
			return true
		}
		next, rest, out := walkLink(root, at, target)
		if out {
			return true
		}
		if next == "" {
			return false
		}
		// next is a link itself: its target, then what was left to walk.
		text, err := os.Readlink(filepath.Join(root, next))
		if err != nil {
			return true
		}
		at, target = filepath.Dir(next), text
		if rest != "" {
			target += "/" + rest
		}
	}
	return true // a circle leads nowhere good
}

// walkLink walks target from folder at, both below root, up to the first link.
func walkLink(root, at, target string) (link, rest string, out bool) {
	parts := strings.Split(target, "/")
	for i, p := range parts {
		switch p {
		case "", ".":
			continue
		case "..":
			if at == "." {
				return "", "", true
			}
			at = filepath.Dir(at)
			continue
		}
		at = filepath.Join(at, p)
		if strings.EqualFold(at, ".git") {
			return "", "", true
		}
		if info, err := os.Lstat(filepath.Join(root, at)); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return at, strings.Join(parts[i+1:], "/"), false
		}
	}
	return "", "", false
}
