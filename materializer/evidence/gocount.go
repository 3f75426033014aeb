package evidence

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// Bounds of what is remembered of one run of tests.
const (
	maxNames  = 200_000 // names of tests
	maxFailed = 20      // failed tests that are told of
	maxWords  = 600     // bytes of a test's own output
)

// goCounter reads `go test -json`, or `go test -v` where a script runs that.
// Leaf tests are counted: a test with subtests only groups them, and one whose
// subtests were all skipped would pass without having done anything.
type goCounter struct {
	redact func([]byte) []byte
	tests  map[string]*goTest // by package, NUL, name
	failed []string           // keys, in order
	build  string             // the first line of a build that failed
	part   int                // of -v output: packages so far
}

type goTest struct {
	ended  string // pass, fail, skip
	parent bool
	words  string
}

// goEvent is a line of `go test -json` (go doc test2json).
type goEvent struct {
	Action  string
	Package string
	Test    string
	Output  string
}

func newGoCounter(redact func([]byte) []byte) *goCounter {
	return &goCounter{redact: redact, tests: map[string]*goTest{}}
}

func (c *goCounter) line(line []byte) {
	var ev goEvent
	if len(line) == 0 || line[0] != '{' {
		c.verbose(line)
		return
	}
	if json.Unmarshal(line, &ev) != nil {
		return
	}
	text := strings.TrimSpace(ev.Output)
	switch {
	case ev.Action == "build-output" && c.build == "" && text != "" && !strings.HasPrefix(text, "#"):
		c.build = c.clean(text)
	case ev.Test == "":
	case ev.Action == "run":
		c.test(ev.Package, ev.Test)
	case ev.Action == "output":
		c.heard(c.test(ev.Package, ev.Test), text)
	case ev.Action == "pass", ev.Action == "fail", ev.Action == "skip":
		c.ended(ev.Package, ev.Test, ev.Action)
	}
}

var (
	verboseEnd  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (\S+) \(`) })
	verbosePart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(ok|FAIL|\?)\s*\t`) })
)

func (c *goCounter) verbose(line []byte) {
	if verbosePart().Match(line) {
		c.part++
		return
	}
	if m := verboseEnd().FindSubmatch(line); m != nil {
		c.ended(strings.Repeat("/", min(c.part, 1<<16)), string(m[2]), strings.ToLower(string(m[1])))
	}
}

// test finds or notes a test, and that those above it have subtests. It gives
// nil when there are too many to remember.
func (c *goCounter) test(pkg, name string) *goTest {
	key := pkg + "\x00" + name
	if t := c.tests[key]; t != nil {
		return t
	}
	if len(c.tests) >= maxNames {
		return nil
	}
	t := &goTest{}
	c.tests[key] = t
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		if above := c.test(pkg, name[:i]); above != nil {
			above.parent = true
		}
	}
	return t
}

func (c *goCounter) ended(pkg, name, how string) {
	t := c.test(pkg, name)
	if t == nil {
		return
	}
	t.ended = how
	if how != "fail" {
		t.words = ""
	} else if len(c.failed) < maxFailed {
		c.failed = append(c.failed, pkg+"\x00"+name)
	}
}

func (c *goCounter) heard(t *goTest, text string) {
	if t == nil || text == "" || strings.HasPrefix(text, "=== ") || strings.HasPrefix(text, "--- ") || len(t.words) >= maxWords {
		return
	}
	text = c.clean(text)
	t.words = strings.TrimSpace(t.words + " " + text[:min(len(text), maxWords)])
}

func (c *goCounter) clean(text string) string {
	if c.redact == nil {
		return text
	}
	return string(c.redact([]byte(text)))
}

func (c *goCounter) result() (ran, skipped int, why string) {
	for _, t := range c.tests { // counting: order is of no account
		switch {
		case t.parent:
		case t.ended == "skip":
			skipped++
		case t.ended != "":
			ran++
		}
	}
	return ran, skipped, ""
}

func (c *goCounter) telling() string {
	var parts []string
	for i, key := range c.failed {
		if c.tests[key].parent && c.tests[key].words == "" && i > 0 {
			continue // told by its subtests, which end before it
		}
		_, name, _ := strings.Cut(key, "\x00")
		parts = append(parts, strings.TrimSuffix(name+": "+c.tests[key].words, ": "))
	}
	if len(parts) == 0 {
		return c.build
	}
	return strings.Join(parts, "; ")
}

// withJSON asks `go test` for events. The word goes into the command and not
// into GOFLAGS, which every go command below would obey too: with -json,
// `go vet` ends with 0 whatever it found, and `go env` prints something else.
func withJSON(argv []string) []string {
	for _, word := range argv {
		if word == "-args" || word == "--args" {
			break
		}
		if name := bytes.TrimLeft([]byte(word), "-"); string(name) == "json" {
			return argv
		}
	}
	return append([]string{argv[0], argv[1], "-json"}, argv[2:]...)
}
