package evidence

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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
	err := f(ctx, j, rec)
	var large tooLarge
	var unfit unusable
	switch {
	case errors.As(err, &large):
		rec.Outcome, rec.Reason, rec.Places = Broken, large.Error(), nil
	case errors.As(err, &unfit):
		rec.Outcome, rec.Reason, rec.Places = Broken, unfit.Error(), nil
	case err != nil:
		return nil, err
	}
	if more := len(rec.Places) - maxPlaces; more > 0 {
		rec.Places = append(rec.Places[:maxPlaces:maxPlaces], fmt.Sprintf("and %d more", more))
	}
	return []byte(strings.Join(append([]string{rec.Reason}, rec.Places...), "\n") + "\n"), nil
}

// unusable is a check whose arguments this wf cannot use.
type unusable struct{ error }

// place notes where something was found. No more are kept than could be read.
func (rec *Record) place(text string) {
	if len(rec.Places) < 1000 {
		rec.Places = append(rec.Places, text)
	}
}

func (rec *Record) passes(reason string) { rec.Outcome, rec.Reason = Pass, reason }

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

// filesExist wants a file for each path or pattern; a folder's path stands for
// what is in it. A link is no file: nobody knows where it leads.
func filesExist(ctx context.Context, j Job, rec *Record) error {
	entries, err := j.Repo.ListTree(ctx, j.Commit)
	if err != nil {
		return err
	}
	wanted := j.arg("paths")
	if len(wanted) == 0 {
		return unusable{errors.New("it has no paths")}
	}
	for _, want := range wanted {
		pattern, err := glob.Compile(want)
		if err != nil {
			return unusable{err}
		}
		folder := strings.TrimSuffix(want, "/") + "/"
		if !slices.ContainsFunc(entries, func(e worktree.Entry) bool {
			return isFile(e.Mode) && (pattern.Match(e.Path) || strings.HasPrefix(e.Path, folder))
		}) {
			rec.place(shown(want))
		}
	}
	rec.passes("every file is there")
	rec.found("no such file in the commit")
	return nil
}

func addedLinesMustNotMatch(ctx context.Context, j Job, rec *Record) error {
	set, err := j.selected()
	if err != nil {
		return unusable{err}
	}
	var patterns []*regexp.Regexp
	for _, text := range j.arg("pattern") {
		re, err := regexp.Compile(text)
		if err != nil {
			return unusable{fmt.Errorf("pattern: %w", err)}
		}
		patterns = append(patterns, re)
	}
	if len(patterns) == 0 {
		return unusable{errors.New("it has no pattern")}
	}
	d, err := newDiff(ctx, j)
	if err != nil {
		return err
	}
	lines := 0
	err = d.added(ctx, set, func(l addedLine) {
		lines++
		if slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.Match(l.text) }) {
			rec.place(l.place())
		}
	})
	if err != nil {
		return err
	}
	rec.passes(fmt.Sprintf("%d added lines, none matches", lines))
	rec.found("added lines match")
	return nil
}

// maxDiffLines adds up added and removed lines. A binary file counts as one
// line, so that a change of it is not free.
func maxDiffLines(ctx context.Context, j Job, rec *Record) error {
	set, err := j.selected()
	if err != nil {
		return unusable{err}
	}
	values := j.arg("max")
	if len(values) != 1 {
		return unusable{errors.New("max: is not a number of lines")}
	}
	most, err := strconv.Atoi(values[0])
	if err != nil || most < 1 {
		return unusable{errors.New("max: is not a number of lines")}
	}
	stat, err := j.Repo.DiffStat(ctx, j.Start, j.Commit)
	if err != nil {
		return err
	}
	total, binary := 0, 0
	for _, f := range stat {
		switch {
		case !set.Match(f.Path):
		case f.Binary:
			binary++
		default:
			total += f.Added + f.Removed
		}
	}
	total += binary
	rec.passes(fmt.Sprintf("%d changed lines, at most %d may be", total, most))
	if binary > 0 {
		rec.Reason += fmt.Sprintf(" (%d binary files count one each)", binary)
	}
	if total > most {
		rec.Outcome = Fail
	}
	return nil
}

// cleanTree refuses what a build, an editor or an unfinished merge leaves in a commit.
func cleanTree(ctx context.Context, j Job, rec *Record) error {
	d, err := newDiff(ctx, j)
	if err != nil {
		return err
	}
	for _, c := range d.changes {
		if c.Kind == worktree.Added && litter.Match(c.Path) {
			rec.place(shown(c.Path))
		}
	}
	err = d.added(ctx, everywhere, func(l addedLine) {
		if mergeMark().Match(l.text) {
			rec.place(l.place())
		}
	})
	var large tooLarge
	if err != nil && !errors.As(err, &large) { // a conflict in so large a file would not build
		return err
	}
	rec.passes("nothing was left behind")
	rec.found("left behind in the commit")
	return nil
}

var (
	everywhere = mustSet("**")
	litter     = mustSet("**/*.orig", "**/*.rej", "**/*.swp", "**/*~", "**/.DS_Store", "**/Thumbs.db", "**/*.pyc", "**/__pycache__/**", "**/.pytest_cache/**", "**/node_modules/**", "**/*.test", "**/a.out", "**/cover.out", "**/coverage.out", "**/core")
	mergeMark  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(<{7} |>{7} )`) })
)

func mustSet(patterns ...string) glob.Set {
	set, err := glob.CompileSet(patterns)
	if err != nil {
		panic("evidence: " + err.Error()) // a constant of this package
	}
	return set
}

// hedges are words that say belief where a record is asked for. (EVID-02, EVID-03)
var hedges = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(should (now )?(work|pass|be (fine|ok|okay|good|fixed))|probably|presumably|i (think|believe|guess|assume)|hopefully|seems to (work|pass)|most likely|might work)\b`)
})

func noHedging(_ context.Context, j Job, rec *Record) error {
	if len(strings.TrimSpace(strings.Join(j.Texts, ""))) == 0 {
		rec.Outcome, rec.Reason = Fail, "the unit reported nothing"
		return nil
	}
	for _, text := range j.Texts {
		for _, hit := range hedges().FindAllString(text, -1) {
			rec.place(strconv.Quote(hit))
		}
	}
	rec.passes("the report says what was seen")
	rec.found("the report says what is believed")
	return nil
}
