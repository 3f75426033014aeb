package evidence

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/planner"
)

// counter counts the tests that ran to an end, passed or failed, while the
// output goes by. A skipped test did not run.
type counter interface {
	line(line []byte)
	// result gives the numbers of tests that ran and were skipped; why says
	// what keeps them from being known.
	result() (ran, skipped int, why string)
	// telling is the part of a failed gate's output that says most, or "".
	telling() string
}

// countsBy is how a gate's tests are counted: as it says, else inferred for `go test`.
func countsBy(g planner.Gate) (kind, arg string) {
	kind, arg, _ = strings.Cut(g.Count, ":")
	if kind == "" && isGoTest(g) {
		return "go", ""
	}
	return kind, arg
}

func isGoTest(g planner.Gate) bool {
	return g.Shell == "" && len(g.Argv) > 1 && g.Argv[0] == "go" && g.Argv[1] == "test"
}

// counterFor gives nil where tests are not counted while the output goes by.
// redact is applied to the lines that a counter keeps.
func counterFor(g planner.Gate, redact func([]byte) []byte) counter {
	switch kind, arg := countsBy(g); kind {
	case "go":
		return newGoCounter(redact)
	case "tap":
		return &tapCounter{}
	case "pattern":
		re, err := regexp.Compile(arg)
		if err != nil {
			return &patternCounter{why: "its pattern cannot be read: " + err.Error()}
		}
		return &patternCounter{re: re}
	}
	return nil
}

// tapCounter reads the Test Anything Protocol. Subtests are indented by four
// and stand before the line of the test they belong to, which is not counted.
type tapCounter struct {
	ran, skipped int
	seen         [33]bool // by depth: a test stood here since the last shallower one
}

var (
	tapTest      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^( *)(?:not )?ok\b`) })
	tapDirective = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(?:^|[^\\])#\s*(?:skip|todo)`) })
)

func (c *tapCounter) line(line []byte) {
	m := tapTest().FindSubmatch(line)
	if m == nil {
		return
	}
	depth := min(len(m[1])/4, len(c.seen)-2)
	parent := c.seen[depth+1]
	for i := depth + 1; i < len(c.seen); i++ {
		c.seen[i] = false
	}
	c.seen[depth] = true
	switch {
	case tapDirective().Match(line):
		c.skipped++
	case !parent:
		c.ran++
	}
}

func (c *tapCounter) result() (int, int, string) { return c.ran, c.skipped, "" }
func (c *tapCounter) telling() string            { return "" }

// patternCounter adds up the numbers in the first group of all matches, line by
// line; without a group it counts the matches.
type patternCounter struct {
	re  *regexp.Regexp
	ran int
	why string
}

func (c *patternCounter) line(line []byte) {
	if c.re == nil {
		return
	}
	for _, m := range c.re.FindAllSubmatch(terminalCodes().ReplaceAll(line, nil), -1) {
		if len(m) == 1 {
			c.ran++
			continue
		}
		n, err := strconv.Atoi(string(bytes.TrimSpace(m[1])))
		if err != nil || n < 0 || n > 1<<30 {
			c.why = "what its pattern found is no number: " + string(m[1])
			continue
		}
		c.ran = min(c.ran+n, 1<<30)
	}
}

func (c *patternCounter) result() (int, int, string) { return c.ran, 0, c.why }
func (c *patternCounter) telling() string            { return "" }
