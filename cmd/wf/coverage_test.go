package main_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requirement is one row of testdata/requirements.tsv.
type requirement struct {
	id     string
	kind   string // test, or why none is needed: fact, figure, later, elsewhere
	title  string
	tested []string // files that name it
}

// reasons are the words that may stand where a row needs no test here.
var reasons = map[string]string{
	"fact":   "tells about another product or about people; asks nothing of wf",
	"figure": "a number somebody measured; asks nothing of wf",
	"later":  "belongs to a part that is planned and refused until it is built",
}

// TestRequirementCoverage lists every requirement with the tests that name it,
// and fails when fewer are named than the list's head says.
func TestRequirementCoverage(t *testing.T) {
	least, rows := requirements(t)
	naming := testsByRequirement(t)
	covered, open := 0, 0
	for _, r := range rows {
		r.tested = naming[r.id]
		delete(naming, r.id)
		switch {
		case len(r.tested) > 0:
			covered++
			t.Logf("%-9s tested   %s: %s", r.id, r.title, strings.Join(r.tested, ", "))
		case r.kind == "test":
			open++
			t.Logf("%-9s OPEN     %s", r.id, r.title)
		default:
			t.Logf("%-9s %-8s %s (%s)", r.id, r.kind, r.title, reasons[r.kind])
		}
	}
	for id, files := range naming {
		t.Errorf("%s is named in %s and is no requirement", id, strings.Join(files, ", "))
	}
	t.Logf("%d requirements: %d named by tests, %d open, %d need none", len(rows), covered, open, len(rows)-covered-open)
	require.GreaterOrEqual(t, covered, least, "fewer requirements are named by tests than before")
	if *update && covered > least {
		raiseLeast(t, covered)
	}
}

var requirementsFile = filepath.Join(root, "testdata", "requirements.tsv")

var leastForm = regexp.MustCompile(`(?m)^# covered: (\d+)$`)

func requirements(t *testing.T) (least int, rows []requirement) {
	t.Helper()
	data, err := os.ReadFile(requirementsFile)
	require.NoError(t, err)
	m := leastForm.FindSubmatch(data)
	require.NotNil(t, m, "the head says `# covered: N`")
	least, err = strconv.Atoi(string(m[1]))
	require.NoError(t, err)
	seen := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		require.Len(t, parts, 3, "line %d: ID, kind and title, with tabs between", i+1)
		r := requirement{id: parts[0], kind: parts[1], title: parts[2]}
		require.Regexp(t, `^[A-Z]+-\d\d$`, r.id)
		require.False(t, seen[r.id], "%s stands twice", r.id)
		seen[r.id] = true
		if r.kind != "test" {
			require.NotEmpty(t, reasons[r.kind], "%s: %q is neither test nor a reason", r.id, r.kind)
		}
		rows = append(rows, r)
	}
	return least, rows
}

func raiseLeast(t *testing.T, covered int) {
	t.Helper()
	data, err := os.ReadFile(requirementsFile)
	require.NoError(t, err)
	data = leastForm.ReplaceAll(data, fmt.Appendf(nil, "# covered: %d", covered))
	require.NoError(t, os.WriteFile(requirementsFile, data, 0o644))
}

// testsByRequirement finds the IDs that test files, scripts and policy tests name.
func testsByRequirement(t *testing.T) map[string][]string {
	t.Helper()
	form := regexp.MustCompile(`\b(?:MODE|PLAN|REV|UNIT|STAGE|RPT|BUD|POL|EVID|DELIB|ISO|CLI|HUM|COST|FILE|NAME)-\d\d\b`)
	out := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" {
				return fs.SkipDir
			}
			return nil
		}
		isTest := strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_test.rego") || strings.HasSuffix(path, ".txtar")
		if !isTest || d.Name() == "coverage_test.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, id := range form.FindAll(bytes.TrimSpace(text), -1) {
			if files := out[string(id)]; !slices.Contains(files, filepath.ToSlash(rel)) {
				out[string(id)] = append(files, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	require.NoError(t, err)
	return out
}
