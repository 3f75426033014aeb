package view

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/seed9cc7a46e/wf/policies"
)

// PolicyTests are the tests of one folder.
type PolicyTests struct {
	Folder string
	Report policies.TestReport
}

// PolicyTested writes what tests of policies say. Threshold is the coverage that
// was asked for; below 0 there was none.
func (s Style) PolicyTested(w io.Writer, list []PolicyTests, threshold float64) {
	for _, t := range list {
		passed, failed, skipped := 0, 0, 0
		for _, c := range t.Report.Cases {
			switch {
			case c.Skipped:
				skipped++
			case c.Passed:
				passed++
			default:
				failed++
				s.failedTest(w, c)
			}
		}
		for _, f := range t.Report.Files {
			s.reached(w, f)
		}
		sign, word := green, "ok"
		switch {
		case !t.Report.Passed():
			sign, word = red, "failed"
		case t.Report.Percent() < threshold:
			sign, word = red, "short"
		}
		line := fmt.Sprintf("%d passed, %d failed", passed, failed)
		if skipped > 0 {
			line += fmt.Sprintf(", %d skipped", skipped)
		}
		if len(t.Report.Cases) == 0 {
			line = "no test ran, and none is no success; tests are test_… rules in *_test.rego"
		}
		fmt.Fprintf(w, "%s %s: %s; %s of the lines reached", s.paint(sign, word), Text(t.Folder), line, share(t.Report.Percent()))
		if threshold >= 0 {
			fmt.Fprintf(w, ", %s asked for", share(threshold))
		}
		fmt.Fprintln(w)
	}
}

func (s Style) failedTest(w io.Writer, c policies.TestCase) {
	fmt.Fprintf(w, "%s %s %s\n", s.paint(red, "FAIL"), Text(c.Package+"."+c.Name), s.paint(dim, fmt.Sprintf("%s:%d", Text(c.File), c.Line)))
	for _, line := range Lines(strings.TrimSpace(c.Error + "\n" + c.Output)) {
		if line != "" {
			fmt.Fprintf(w, "     %s\n", line)
		}
	}
}

// reached writes what tests left out of a file, rule by rule.
func (s Style) reached(w io.Writer, f policies.FileCoverage) {
	for _, r := range f.Rules {
		if len(r.Missed) == 0 && len(r.OneSided) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s %s %s\n", s.paint(yellow, pad(share(r.Percent), 4)), Text(r.Name), s.paint(dim, fmt.Sprintf("%s:%d", Text(f.File), r.Line)))
		for _, side := range r.OneSided {
			fmt.Fprintf(w, "     line %d: %s %s\n", side.Line, Text(side.Text), s.paint(yellow, inTests(side.Seen)))
		}
	}
}

func inTests(seen string) string {
	if seen == "never" {
		return "is never reached by a test"
	}
	return "is " + seen + " in the tests"
}

func share(percent float64) string { return fmt.Sprintf("%.0f%%", percent) }

// PolicyTestsJSON writes the reports of all folders.
func PolicyTestsJSON(w io.Writer, list []PolicyTests) error {
	type folder struct {
		Folder   string                  `json:"folder"`
		Passed   bool                    `json:"passed"`
		Percent  float64                 `json:"percent"`
		BothWays bool                    `json:"bothWays"`
		Cases    []policies.TestCase     `json:"cases"`
		Files    []policies.FileCoverage `json:"files"`
		Findings []jsonFinding           `json:"findings"`
	}
	out := []folder{}
	for _, t := range list {
		out = append(out, folder{t.Folder, t.Report.Passed(), t.Report.Percent(), t.Report.BothWays(), t.Report.Cases, t.Report.Files, jsonFindings(t.Report.Findings)})
	}
	return JSON(w, struct {
		Folders []folder `json:"folders"`
	}{out})
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
	Skipped *struct{}     `xml:"skipped,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

// PolicyTestsJUnit writes them as JUnit does, a suite a folder. What kept tests
// from running is an error of a case of its own.
func PolicyTestsJUnit(w io.Writer, list []PolicyTests) error {
	root := struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []junitSuite
	}{}
	for _, t := range list {
		root.Suites = append(root.Suites, suite(t))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(root); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func suite(t PolicyTests) junitSuite {
	out := junitSuite{Name: t.Folder}
	for _, f := range t.Report.Findings {
		out.Errors++
		out.Cases = append(out.Cases, junitCase{Name: f.Code, Class: t.Folder, File: f.Range.File, Line: f.Range.Start.Line, Error: &junitFailure{Message: f.Summary, Text: f.Detail}})
	}
	if len(t.Report.Cases) == 0 && out.Errors == 0 {
		out.Errors++
		out.Cases = append(out.Cases, junitCase{Name: "no test ran", Class: t.Folder, File: t.Folder, Error: &junitFailure{Message: "no test is no success"}})
	}
	for _, c := range t.Report.Cases {
		j := junitCase{Name: c.Name, Class: c.Package, File: c.File, Line: c.Line, Out: c.Output}
		switch {
		case c.Skipped:
			out.Skipped++
			j.Skipped = &struct{}{}
		case !c.Passed:
			out.Failures++
			j.Failure = &junitFailure{Message: "the test does not hold", Text: c.Error}
		}
		out.Cases = append(out.Cases, j)
	}
	out.Tests = len(out.Cases)
	return out
}
