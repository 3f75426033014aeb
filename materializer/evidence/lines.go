package evidence

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/seed9cc7a46e/wf/dsl/glob"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

// maxLooked is the size of the largest file that a check reads, in bytes. One
// that is larger, and no binary file, makes the check Broken: not looked at is
// not clean.
const maxLooked = 8 << 20

// tooLarge is a file that a check cannot look at.
type tooLarge struct {
	path string
	size int64
}

func (e tooLarge) Error() string {
	return fmt.Sprintf("%s has %d bytes, too many to look at; name others with paths:", shown(e.path), e.size)
}

// diff is what the candidate changed, with the means to read both sides.
type diff struct {
	job        Job
	changes    []worktree.Change
	old, now   map[string]int64 // sizes by path
	binaryStat map[string]bool  // as git sees it; asked for large files only
}

func newDiff(ctx context.Context, j Job) (*diff, error) {
	d := &diff{job: j, old: map[string]int64{}, now: map[string]int64{}, binaryStat: map[string]bool{}}
	var err error
	if d.changes, err = j.Repo.CompareTrees(ctx, j.Start, j.Commit); err != nil {
		return nil, err
	}
	for _, side := range []struct {
		commit string
		sizes  map[string]int64
	}{{j.Start, d.old}, {j.Commit, d.now}} {
		entries, err := j.Repo.ListTree(ctx, side.commit)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			side.sizes[e.Path] = e.Size
		}
	}
	stat, err := j.Repo.DiffStat(ctx, j.Start, j.Commit)
	if err != nil {
		return nil, err
	}
	for _, s := range stat {
		d.binaryStat[s.Path] = s.Binary
	}
	return d, nil
}

// before and after read a file as it was and as it is; binary files give nil.
func (d *diff) before(ctx context.Context, path string) ([]byte, error) {
	return d.read(ctx, d.job.Start, path, d.old[path])
}

func (d *diff) after(ctx context.Context, path string) ([]byte, error) {
	return d.read(ctx, d.job.Commit, path, d.now[path])
}

func (d *diff) read(ctx context.Context, commit, path string, size int64) ([]byte, error) {
	if size > maxLooked && d.binaryStat[path] {
		return nil, nil
	}
	if size > maxLooked {
		return nil, tooLarge{path, size}
	}
	data, err := d.job.Repo.ReadFile(ctx, commit, path)
	if err != nil || bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 { // as git tells binary files
		return nil, err
	}
	return data, nil
}

// isFile tells files from links, submodules and nothing. Links are never followed.
func isFile(m worktree.Mode) bool { return m == worktree.Regular || m == worktree.Executable }

// addedLine is one line that the candidate has and the start commit has not.
type addedLine struct {
	path string
	line int
	text []byte
}

func (l addedLine) place() string { return shown(l.path) + ":" + strconv.Itoa(l.line) }

// added visits the lines that the candidate added to selected files. Files are
// compared as multisets of lines, without their line ends: what only moved, also
// out of a file that is gone, was not added.
func (d *diff) added(ctx context.Context, set glob.Set, visit func(addedLine)) error {
	gone, err := d.goneLines(ctx)
	if err != nil {
		return err
	}
	for _, c := range d.changes {
		if !isFile(c.Mode) || !set.Match(c.Path) || c.OldHash == c.Hash {
			continue
		}
		had := map[string]int{}
		if isFile(c.Old) {
			old, err := d.before(ctx, c.Path)
			if err != nil {
				return err
			}
			countLines(old, had)
		}
		now, err := d.after(ctx, c.Path)
		if err != nil {
			return err
		}
		number := 0
		for line := range bytes.Lines(now) {
			number++
			text := bytes.TrimRight(line, "\r\n")
			switch {
			case had[string(text)] > 0:
				had[string(text)]--
			case gone[string(text)] > 0:
				gone[string(text)]--
			default:
				visit(addedLine{c.Path, number, text})
			}
		}
	}
	return nil
}

// goneLines counts the lines of deleted files; one that cannot be read gives none.
func (d *diff) goneLines(ctx context.Context) (map[string]int, error) {
	lines := map[string]int{}
	total := int64(0)
	for _, c := range d.changes {
		if c.Kind != worktree.Deleted || !isFile(c.Old) {
			continue
		}
		if total += d.old[c.Path]; total > maxLooked {
			break
		}
		data, err := d.before(ctx, c.Path)
		if err != nil {
			return nil, err
		}
		countLines(data, lines)
	}
	return lines, nil
}

func countLines(data []byte, into map[string]int) {
	for line := range bytes.Lines(data) {
		into[string(bytes.TrimRight(line, "\r\n"))]++
	}
}
