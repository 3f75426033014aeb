package evidence

import (
	"context"
	"fmt"
	"regexp"

	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

// What a test file is made of, in the languages most repositories have. Counts
// are compared, not meanings: fewer tests, fewer assertions or more skips in a
// file that was there before is a weakening, whatever the reason.
var (
	testNames  = regexp.MustCompile(`(?m)^\s*(func (Test|Fuzz|Example)\w*\(|def test_\w+|(it|test|describe)(\.\w+)?\s*\(|@Test\b|#\[(tokio::)?test\]|TEST(_F|_P)?\s*\()`)
	assertions = regexp.MustCompile(`\b(assert\w*[.!(]|require\.\w+|expect\w*\s*\(|t\.(Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|EXPECT_\w+|ASSERT_\w+|should[.( ])`)
	skips      = regexp.MustCompile(`(\bt\.Skip\w*\(|\.(skip|only|todo)\s*\(|\bx(it|describe|test)\s*\(|@(Disabled|Ignore)\b|@pytest\.mark\.(skip|xfail)|@unittest\.skip|#\[ignore\]|\bskip\s*\()`)
)

var testFiles = []string{"**/*_test.go", "**/*_test.py", "**/test_*.py", "**/*.test.*", "**/*.spec.*", "**/*Test.java", "**/*Tests.java", "**/*_test.rs", "**/tests/**", "**/test/**", "**/__tests__/**", "**/spec/**"}

func testsNotWeakened(ctx context.Context, j Job, rec *Record) error {
	set, err := j.selected(testFiles...)
	if err != nil {
		return err
	}
	changes, err := j.Repo.CompareTrees(ctx, j.Start, j.Commit)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if !set.Match(c.Path) || c.Kind == worktree.Added {
			continue
		}
		if c.Kind != worktree.Modified {
			rec.Places = append(rec.Places, c.Path+" ("+string(c.Kind)+")")
			continue
		}
		why, err := weaker(ctx, j, c.Path)
		if err != nil {
			return err
		}
		if why != "" {
			rec.Places = append(rec.Places, c.Path+" ("+why+")")
		}
	}
	rec.Outcome, rec.Reason = Pass, "no test that was there before is weaker"
	rec.found("tests were weakened")
	return nil
}

func weaker(ctx context.Context, j Job, path string) (string, error) {
	before, err := j.Repo.ReadFile(ctx, j.Start, path)
	if err != nil {
		return "", err
	}
	after, err := j.Repo.ReadFile(ctx, j.Commit, path)
	if err != nil {
		return "", err
	}
	count := func(re *regexp.Regexp, data []byte) int { return len(re.FindAllIndex(data, -1)) }
	for _, part := range []struct {
		what string
		re   *regexp.Regexp
		more bool // more of them is the weakening
	}{{"tests", testNames, false}, {"assertions", assertions, false}, {"skips", skips, true}} {
		had, has := count(part.re, before), count(part.re, after)
		if part.more && has > had || !part.more && has < had {
			return fmt.Sprintf("%d %s before, %d now", had, part.what, has), nil
		}
	}
	return "", nil
}
