package statedir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Run is one run's folder.
type Run struct {
	ID      string // digest, 8, then the attempt: 0a1b2c3d-1
	Digest8 string
	Attempt int
	dir     *Dir
}

// RunID names the run of a plan's n-th attempt.
func RunID(digest string, attempt int) string { return digest[:8] + "-" + strconv.Itoa(attempt) }

func parseRun(id string) (digest8 string, attempt int, ok bool) {
	digest8, tail, found := strings.Cut(id, "-")
	attempt, err := strconv.Atoi(tail)
	ok = found && err == nil && attempt > 0 && len(digest8) == 8 && strings.Trim(digest8, "0123456789abcdef") == "" && tail == strconv.Itoa(attempt)
	return digest8, attempt, ok
}

// NewRun makes the folder of a plan's next attempt, with the plan in it. Two
// processes at once get two attempts.
func (d *Dir) NewRun(digest string, plan []byte) (*Run, error) {
	if _, err := planName(digest); err != nil {
		return nil, err
	}
	for {
		attempt, err := d.NextAttempt(digest)
		if err != nil {
			return nil, err
		}
		r, err := d.makeRun(digest, attempt, plan)
		if !errors.Is(err, fs.ErrExist) {
			return r, err
		}
	}
}

func (d *Dir) makeRun(digest string, attempt int, plan []byte) (*Run, error) {
	id := RunID(digest, attempt)
	rel := "runs/" + id
	if err := d.root.Mkdir(rel, dirMode); err != nil {
		return nil, fmt.Errorf("make run %s: %w", id, err)
	}
	for _, sub := range []string{rel, rel + "/units", rel + "/evidence"} {
		if err := d.mkdir(sub); err != nil {
			return nil, err
		}
	}
	if err := d.write(rel+"/plan.wfplan", plan); err != nil {
		return nil, err
	}
	return &Run{ID: id, Digest8: digest[:8], Attempt: attempt, dir: d}, d.sync("runs")
}

// NextAttempt is one more than the highest attempt of a plan that has a folder.
func (d *Dir) NextAttempt(digest string) (int, error) {
	if _, err := planName(digest); err != nil {
		return 0, err
	}
	runs, err := d.Runs()
	next := 1
	for _, r := range runs {
		if r.Digest8 == digest[:8] {
			next = max(next, r.Attempt+1)
		}
	}
	return next, err
}

// Runs lists the runs, by digest and attempt.
func (d *Dir) Runs() ([]*Run, error) {
	names, err := d.list("runs")
	var runs []*Run
	for _, n := range names {
		if digest8, attempt, ok := parseRun(n); ok {
			runs = append(runs, &Run{ID: n, Digest8: digest8, Attempt: attempt, dir: d})
		}
	}
	slices.SortFunc(runs, func(a, b *Run) int {
		return cmp.Or(cmp.Compare(a.Digest8, b.Digest8), cmp.Compare(a.Attempt, b.Attempt))
	})
	return runs, err
}

// Run gives the run of an ID; the error wraps fs.ErrNotExist when there is none.
func (d *Dir) Run(id string) (*Run, error) {
	digest8, attempt, ok := parseRun(id)
	if !ok {
		return nil, fmt.Errorf("%q is not a run ID, such as 0a1b2c3d-1", id)
	}
	rel := "runs/" + id
	info, err := d.root.Lstat(rel)
	if err != nil {
		return nil, fmt.Errorf("find run %s: %w", id, err)
	}
	if !info.IsDir() {
		return nil, &LinkError{Path: d.abs(rel)}
	}
	return &Run{ID: id, Digest8: digest8, Attempt: attempt, dir: d}, nil
}

// Open lists the runs for which ended says no. What has ended is for the
// journal to say, which this package does not read.
func (d *Dir) Open(ended func(*Run) (bool, error)) ([]*Run, error) {
	runs, err := d.Runs()
	if err != nil {
		return nil, err
	}
	var open []*Run
	for _, r := range runs {
		over, err := ended(r)
		if err != nil {
			return nil, fmt.Errorf("look at run %s: %w", r.ID, err)
		}
		if !over {
			open = append(open, r)
		}
	}
	return open, nil
}

func (r *Run) rel(name string) string { return "runs/" + r.ID + "/" + name }

// Path is the run's folder.
func (r *Run) Path() string { return r.dir.abs("runs/" + r.ID) }

// JournalPath is where the run's journal lies; the file may not exist yet.
func (r *Run) JournalPath() string { return r.dir.abs(r.rel("journal.jsonl")) }

// Plan gives the bytes of the plan being carried out.
func (r *Run) Plan() ([]byte, error) { return r.dir.read(r.rel("plan.wfplan")) }

// UnitDir makes and gives the folder of a unit, such as T-003/implement/1: its
// prompt, transcript and launch file.
func (r *Run) UnitDir(unit string) (string, error) { return r.makeDir("units", unit) }

// EvidenceDir makes and gives the folder of an evidence record.
func (r *Run) EvidenceDir(name string) (string, error) { return r.makeDir("evidence", name) }

func (r *Run) makeDir(kind, name string) (string, error) {
	if !fs.ValidPath(name) || name == "." {
		return "", fmt.Errorf("%q is not a name below %s", name, kind)
	}
	at := r.rel(kind)
	for p := range strings.SplitSeq(name, "/") {
		at += "/" + p
		if err := r.dir.mkdir(at); err != nil {
			return "", err
		}
	}
	return r.dir.abs(at), nil
}

// ReadFile gives the bytes of a file of the run; name is slash-separated, below
// its folder. No link is followed.
func (r *Run) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%q is not a name in run %s", name, r.ID)
	}
	return r.dir.read(r.rel(name))
}

// WriteFile replaces a file of the run in one step, and makes its folders.
func (r *Run) WriteFile(name string, data []byte) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%q is not a name in run %s", name, r.ID)
	}
	if dir := path.Dir(name); dir != "." {
		at := "runs/" + r.ID
		for p := range strings.SplitSeq(dir, "/") {
			at += "/" + p
			if err := r.dir.mkdir(at); err != nil {
				return err
			}
		}
	}
	return r.dir.write(r.rel(name), data)
}

// Remove takes the run's folder away, with journal and evidence. It refuses
// while another process holds the run, verifies afterwards, and begins by
// renaming, so that a kill half-way leaves no run that looks whole.
func (r *Run) Remove() error {
	lock, err := r.Lock()
	if err != nil {
		return err
	}
	defer lock.Release()
	gone := "runs/.removed-" + r.ID
	if err := r.dir.root.RemoveAll(gone); err != nil {
		return fmt.Errorf("remove run %s: %w", r.ID, err)
	}
	if err := r.dir.root.Rename("runs/"+r.ID, gone); err != nil {
		return fmt.Errorf("remove run %s: %w", r.ID, err)
	}
	if err := r.dir.root.RemoveAll(gone); err != nil {
		return fmt.Errorf("remove run %s: %w", r.ID, err)
	}
	if _, err := os.Lstat(r.Path()); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove run %s: it is still there", r.ID)
	}
	return r.dir.sync("runs")
}
