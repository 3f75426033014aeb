package evidence

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

var testFiles = []string{"**/*_test.go", "**/*_test.py", "**/test_*.py", "**/*.test.*", "**/*.spec.*", "**/*Test.java", "**/*Tests.java", "**/*_test.rs", "**/tests/**", "**/test/**", "**/__tests__/**", "**/spec/**"}

// strength is what a part of a test file does, in numbers. Numbers are compared,
// not meanings: fewer checks or more ways around them is a weakening, whatever
// the reason. An assertion that became always true is not seen here; that is
// what running tests on the start commit is for.
type strength struct {
	tests, assertions, cases int    // fewer is weaker
	skips, exits             int    // more is weaker
	built                    string // of Go: one letter per system, 1 where it is compiled; 1 to 0 is weaker
}

// testsNotWeakened compares what test files of the start commit hold with what
// is left of it. Go is compared function by function, over the files of a
// folder, so that a test may move; other languages file by file.
func testsNotWeakened(ctx context.Context, j Job, rec *Record) error {
	set, err := j.selected(testFiles...)
	if err != nil {
		return unusable{err}
	}
	d, err := newDiff(ctx, j)
	if err != nil {
		return err
	}
	before, after := map[string]strength{}, map[string]strength{}
	moved := map[string]bool{} // contents that stand under a new name
	for _, c := range d.changes {
		if c.Kind == worktree.Added && set.Match(c.Path) {
			moved[c.Hash] = true
		}
	}
	var order []string // parts that were there
	for _, c := range d.changes {
		if !set.Match(c.Path) || c.Hash == c.OldHash || c.Kind == worktree.Deleted && moved[c.OldHash] && !isGo(c.Path) {
			continue
		}
		if c.Kind == worktree.Retyped || c.Old == worktree.Link {
			rec.place(shown(c.Path) + " (" + string(worktree.Retyped) + ")")
			continue
		}
		if isFile(c.Old) {
			data, err := d.before(ctx, c.Path)
			if err != nil {
				return err
			}
			order = append(order, gather(before, c.Path, data)...)
		}
		if isFile(c.Mode) {
			data, err := d.after(ctx, c.Path)
			if err != nil {
				return err
			}
			for _, part := range gather(after, c.Path, data) {
				if after[part].tests == 0 && strings.HasSuffix(part, "\x00TestMain") {
					rec.place(shown(c.Path) + " (TestMain runs no tests)")
				}
			}
		}
	}
	for _, part := range order {
		if why := before[part].weakenedTo(after, part); why != "" {
			where, name, _ := strings.Cut(part, "\x00")
			rec.place(strings.TrimSpace(shown(where)+" "+name) + " (" + why + ")")
		}
	}
	rec.passes("no test that was there before is weaker")
	rec.found("tests were weakened")
	return nil
}

func isGo(name string) bool { return strings.HasSuffix(name, ".go") }

// gather notes the parts of a file, and gives the names that are new.
func gather(into map[string]strength, name string, data []byte) []string {
	parts, ok := []part(nil), false
	if isGo(name) {
		parts, ok = goParts(name, data)
	}
	if !ok {
		into[name] = textStrength(name, data)
		return []string{name}
	}
	var names []string
	for _, p := range parts {
		key := path.Dir(name) + "\x00" + p.name
		if _, there := into[key]; !there {
			names = append(names, key)
		}
		into[key] = into[key].plus(p.strength)
	}
	return names
}

func (s strength) plus(t strength) strength {
	s.tests, s.assertions, s.cases = s.tests+t.tests, s.assertions+t.assertions, s.cases+t.cases
	s.skips, s.exits = s.skips+t.skips, s.exits+t.exits
	if s.built == "" {
		s.built = t.built
	}
	return s
}

// weakenedTo says how a part is weaker than it was; "" when it is not.
func (s strength) weakenedTo(after map[string]strength, part string) string {
	t, there := after[part]
	if !there && s.tests == 0 && s.assertions == 0 && strings.Contains(part, "\x00") {
		return "" // a helper that checked nothing
	}
	if !there {
		return "gone"
	}
	for _, n := range []struct {
		what     string
		had, has int
		more     bool // more of them is the weakening
	}{{"tests", s.tests, t.tests, false}, {"assertions", s.assertions, t.assertions, false}, {"cases", s.cases, t.cases, false}, {"skips", s.skips, t.skips, true}, {"early exits", s.exits, t.exits, true}} {
		if n.more && n.has > n.had || !n.more && n.has < n.had {
			return fmt.Sprintf("%d %s before, %d now", n.had, n.what, n.has)
		}
	}
	for i := range s.built {
		if i < len(t.built) && s.built[i] == '1' && t.built[i] == '0' {
			return "no longer compiled everywhere it was"
		}
	}
	return ""
}

// What a test file is made of, in the languages most repositories have.
var (
	testNames = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\s*(func (Test|Fuzz|Example)\w*\(|(async )?def test_\w+|(it|test|describe)(\.\w+)?\s*\(|@Test\b|#\[(\w+::)?test\]|TEST(_F|_P)?\s*\()`)
	})
	assertions = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(assert\w*\b|require[.!]\w*|expect\w*\s*\(|t\.(Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|EXPECT_\w+|ASSERT_\w+|self\.fail\w*\(|pytest\.raises|should[.( ])`)
	})
	skips = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(\bt\.Skip\w*\(|\.(skip|only|todo)\s*\(|\bx(it|describe|test)\s*\(|\bf(it|describe)\s*\(|@(Disabled|Ignore)\b|@?pytest\.mark\.(skip|xfail)|pytest\.skip\s*\(|@unittest\.(skip|expectedFailure)|\bself\.skipTest\(|#\[ignore|\bskip\s*\()`)
	})
	exits = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(os\._exit|sys\.exit|process\.exit|os\.Exit|pytest\.exit)\s*\(`)
	})
)

func textStrength(name string, data []byte) strength {
	data = withoutComments(name, data)
	count := func(re *regexp.Regexp) int { return len(re.FindAllIndex(data, -1)) }
	return strength{tests: count(testNames()), assertions: count(assertions()), skips: count(skips()), exits: count(exits())}
}

var (
	hashComment  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*#.*$|[ \t]#[^\n'"]*$`) })
	slashComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)/\*.*?\*/|(?m:^[ \t]*//.*$|[ \t]//[^\n'"]*$)`) })
	pythonText   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)""".*?"""|'''.*?'''`) })
)

// withoutComments takes out what only looks like a test. It knows no strings: a
// comment sign after a quote in the same line stays.
func withoutComments(name string, data []byte) []byte {
	switch path.Ext(name) {
	case ".py":
		return hashComment().ReplaceAll(pythonText().ReplaceAll(data, nil), nil)
	case ".rb", ".sh", ".bash", ".pl", ".t", ".ex", ".exs":
		return hashComment().ReplaceAll(data, nil)
	}
	return slashComment().ReplaceAll(data, nil)
}
