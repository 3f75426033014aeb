package evidence

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/glob"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

// maxPlaces bounds how many places of one check are kept.
const maxPlaces = 20

// checks are the built-in ones, by the word in check:. Each looks at git's
// objects alone: nothing of the candidate is executed.
var checks = map[string]func(context.Context, Job, *Record) error{
	"files_exist":                filesExist,
	"added_lines_must_not_match": addedLinesMustNotMatch,
	"tests_not_weakened":         testsNotWeakened,
	"max_diff_lines":             maxDiffLines,
	"clean_tree":                 cleanTree,
	"no_hedging":                 noHedging,
}

func check(ctx context.Context, j Job, rec *Record) ([]byte, error) {
	f, ok := checks[j.Gate.Check]
	if !ok {
		rec.Outcome, rec.Reason = Broken, "this wf has no check "+j.Gate.Check
		return nil, nil
	}
	if err := f(ctx, j, rec); err != nil {
		return nil, err
	}
	if len(rec.Places) > maxPlaces {
		rec.Places = append(rec.Places[:maxPlaces:maxPlaces], fmt.Sprintf("and %d more", len(rec.Places)-maxPlaces))
	}
	return []byte(rec.Reason + "\n" + strings.Join(rec.Places, "\n") + "\n"), nil
}

// arg gives the values of a check's argument.
func (j Job) arg(name string) []string {
	for _, a := range j.Gate.Args {
		if a.Name == name {
			return a.Values
		}
	}
	return nil
}

// selected is the set of paths a check is about; all where paths: is not given.
func (j Job) selected(otherwise ...string) (glob.Set, error) {
	patterns := j.arg("paths")
	if len(patterns) == 0 {
		patterns = otherwise
	}
	if len(patterns) == 0 {
		patterns = []string{"**"}
	}
	return glob.CompileSet(patterns)
}

func (rec *Record) found(reason string) {
	if len(rec.Places) > 0 {
		rec.Outcome, rec.Reason = Fail, fmt.Sprintf("%s: %s", reason, strings.Join(rec.Places[:min(3, len(rec.Places))], ", "))
	}
}

func filesExist(ctx context.Context, j Job, rec *Record) error {
	entries, err := j.Repo.ListTree(ctx, j.Commit)
	if err != nil {
		return err
	}
	for _, want := range j.arg("paths") {
		pattern, err := glob.Compile(want)
		if err != nil {
			rec.Outcome, rec.Reason = Broken, err.Error()
			return nil
		}
		if !slices.ContainsFunc(entries, func(e worktree.Entry) bool { return pattern.Match(e.Path) }) {
			rec.Places = append(rec.Places, want)
		}
	}
	rec.Outcome, rec.Reason = Pass, "every file is there"
	rec.found("no such file in the commit")
	return nil
}

func addedLinesMustNotMatch(ctx context.Context, j Job, rec *Record) error {
	set, err := j.selected()
	if err != nil {
		return err
	}
	var patterns []*regexp.Regexp
	for _, text := range j.arg("pattern") {
		re, err := regexp.Compile(text)
		if err != nil {
			rec.Outcome, rec.Reason = Broken, "pattern: "+err.Error()
			return nil
		}
		patterns = append(patterns, re)
	}
	added, err := addedLines(ctx, j, set)
	if err != nil {
		return err
	}
	for _, l := range added {
		if slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(l.text) }) {
			rec.Places = append(rec.Places, l.place())
		}
	}
	rec.Outcome, rec.Reason = Pass, fmt.Sprintf("%d added lines, none matches", len(added))
	rec.found("added lines match")
	return nil
}

// addedLine is one line that the candidate has and the start commit has not.
type addedLine struct {
	path string
	line int
	text string
}

func (l addedLine) place() string { return l.path + ":" + strconv.Itoa(l.line) }

// addedLines compares files line by line, as multisets: a line that only moved was not added.
func addedLines(ctx context.Context, j Job, set glob.Set) ([]addedLine, error) {
	changes, err := j.Repo.CompareTrees(ctx, j.Start, j.Commit)
	if err != nil {
		return nil, err
	}
	var out []addedLine
	for _, c := range changes {
		if c.Kind == worktree.Deleted || !set.Match(c.Path) || c.Mode != worktree.Regular && c.Mode != worktree.Executable {
			continue
		}
		had := map[string]int{}
		if c.Kind == worktree.Modified {
			old, err := j.Repo.ReadFile(ctx, j.Start, c.Path)
			if err != nil {
				return nil, err
			}
			for line := range strings.Lines(string(old)) {
				had[strings.TrimRight(line, "\r\n")]++
			}
		}
		now, err := j.Repo.ReadFile(ctx, j.Commit, c.Path)
		if err != nil {
			return nil, err
		}
		n := 0
		for line := range strings.Lines(string(now)) {
			n++
			text := strings.TrimRight(line, "\r\n")
			if had[text]--; had[text] < 0 {
				out = append(out, addedLine{c.Path, n, text})
			}
		}
	}
	return out, nil
}

func maxDiffLines(ctx context.Context, j Job, rec *Record) error {
	set, err := j.selected()
	if err != nil {
		return err
	}
	most := 0
	if values := j.arg("max"); len(values) == 1 {
		most, err = strconv.Atoi(values[0])
	}
	if err != nil || most < 1 {
		rec.Outcome, rec.Reason = Broken, "max: is not a number of lines"
		return nil
	}
	stat, err := j.Repo.DiffStat(ctx, j.Start, j.Commit)
	if err != nil {
		return err
	}
	total := 0
	for _, f := range stat {
		if set.Match(f.Path) {
			total += f.Added + f.Removed
		}
	}
	rec.Outcome, rec.Reason = Pass, fmt.Sprintf("%d changed lines, at most %d may be", total, most)
	if total > most {
		rec.Outcome = Fail
	}
	return nil
}

// cleanTree refuses what a build or a careless add leaves in a commit.
func cleanTree(ctx context.Context, j Job, rec *Record) error {
	changes, err := j.Repo.CompareTrees(ctx, j.Start, j.Commit)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Kind == worktree.Added && litter.Match(c.Path) {
			rec.Places = append(rec.Places, c.Path)
		}
	}
	rec.Outcome, rec.Reason = Pass, "nothing was left behind"
	rec.found("left behind in the commit")
	return nil
}

var litter = mustSet("**/*.orig", "**/*.rej", "**/*.swp", "**/*~", "**/.DS_Store", "**/Thumbs.db", "**/*.pyc", "**/__pycache__/**", "**/node_modules/**", "**/*.test", "**/*.out", "**/core")

func mustSet(patterns ...string) glob.Set {
	set, err := glob.CompileSet(patterns)
	if err != nil {
		panic("evidence: " + err.Error()) // a constant of this package
	}
	return set
}

// hedges are words that say belief where a record is asked for. (EVID-02, EVID-03)
var hedges = regexp.MustCompile(`(?i)\b(should (now )?(work|pass|be (fine|ok|okay|good|fixed))|probably|presumably|i (think|believe|guess|assume)|hopefully|seems to (work|pass)|most likely|might work)\b`)

func noHedging(_ context.Context, j Job, rec *Record) error {
	for _, text := range j.Texts {
		for _, hit := range hedges.FindAllString(text, -1) {
			rec.Places = append(rec.Places, strconv.Quote(hit))
		}
	}
	rec.Outcome, rec.Reason = Pass, "the report says what was seen"
	rec.found("the report says what is believed")
	return nil
}
