package evidence

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

// Ways to count executed tests.
const (
	countNone    = ""
	countGo      = "go"
	countTap     = "tap"
	countPattern = "pattern"
	countJUnit   = "junit"
)

// counter is how a gate's tests are counted: as it says, else inferred for `go test`.
func counter(g planner.Gate) string {
	kind, _, _ := strings.Cut(g.Count, ":")
	if kind == "" && len(g.Argv) > 1 && g.Argv[0] == "go" && g.Argv[1] == "test" {
		return countGo
	}
	return kind
}

// tests counts the tests that ran to an end, passed or failed; skipped ones did
// not run. -1 where they are not counted.
func tests(g planner.Gate, output []byte) int {
	_, arg, _ := strings.Cut(g.Count, ":")
	switch counter(g) {
	case countGo:
		return goTests(output)
	case countTap:
		return len(tapLine.FindAll(output, -1))
	case countPattern:
		return patternTests(arg, output)
	}
	return -1
}

// goEvent is a line of `go test -json` (go doc test2json).
type goEvent struct {
	Action  string
	Package string
	Test    string
	Output  string
}

func goEvents(output []byte, visit func(goEvent)) {
	for line := range bytes.Lines(output) {
		var ev goEvent
		if json.Unmarshal(line, &ev) == nil && ev.Action != "" {
			visit(ev)
		}
	}
}

func goTests(output []byte) int {
	n := 0
	goEvents(output, func(ev goEvent) {
		if ev.Test != "" && (ev.Action == "pass" || ev.Action == "fail") {
			n++
		}
	})
	return n
}

// telling is the part of a failed gate's output that says most.
func telling(g planner.Gate, output []byte) string {
	if counter(g) != countGo {
		return bounded(lastLine(output))
	}
	var failed []string
	words := map[string][]string{}
	build := ""
	goEvents(output, func(ev goEvent) {
		key := ev.Package + "." + ev.Test
		text := strings.TrimSpace(ev.Output)
		switch {
		case ev.Action == "build-output" && text != "" && !strings.HasPrefix(text, "#"):
			build = text
		case ev.Action == "output" && ev.Test != "" && text != "" && !strings.HasPrefix(text, "=== ") && !strings.HasPrefix(text, "--- "):
			words[key] = append(words[key], text)
		case ev.Action == "fail" && ev.Test != "":
			failed = append(failed, ev.Test+": "+strings.Join(words[key], " "))
		}
	})
	switch {
	case len(failed) > 0:
		return bounded(strings.Join(failed, "; "))
	case build != "":
		return bounded(build)
	}
	return bounded(lastLine(output))
}

func bounded(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// tapLine is a test of the Test Anything Protocol that was not skipped.
var tapLine = regexp.MustCompile(`(?m)^(?:not )?ok\b(?:[^#\n]|#[^\n]*[^\n]\b)*$`)

// patternTests reads the number in the first group of the pattern's last match;
// without a group it counts the matches.
func patternTests(pattern string, output []byte) int {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return -1
	}
	all := re.FindAllSubmatch(output, -1)
	if re.NumSubexp() == 0 {
		return len(all)
	}
	if len(all) == 0 {
		return 0
	}
	n, err := strconv.Atoi(string(all[len(all)-1][1]))
	if err != nil {
		return -1
	}
	return n
}
