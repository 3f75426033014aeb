package ticket

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func sample() File {
	return File{
		ID: "T-003", Address: `change["api"]`, Title: "Build: the \"api\"", Status: "running", Stage: "implement", Bounces: 1,
		Branch: "wf/ship/1a2b3c4d-1/T-003", Base: "9fceb02", Scope: []string{"src/**", "a: b"}, Needs: []string{"T-001"},
		Brief: "Do it.\n## Log\nnot a section\n", Acceptance: []Row{{What: "All tests pass", By: "tests", Record: "T-003/implement/1/tests"}, {What: "It works", By: "judge"}},
		Plan: "### Steps\n1. one", Log: "# tried\nit", Verdicts: []Verdict{{Unit: "T-003/qa/1", Verdict: "FAIL", Commit: "abc", Reason: "no\n## Brief\nx"}},
	}
}

func TestRender(t *testing.T) {
	want := `---
id: "T-003"
address: "change[\"api\"]"
title: "Build: the \"api\""
status: "running"
stage: "implement"
bounces: 1
branch: "wf/ship/1a2b3c4d-1/T-003"
base: "9fceb02"
scope: ["src/**", "a: b"]
needs: ["T-001"]
---

## Brief

Do it.
    ## Log
not a section

## Acceptance

- [x] All tests pass (tests: T-003/implement/1/tests)
- [ ] It works (judge)

## Plan

### Steps
1. one

## Log

# tried
it

## Verdicts

- T-003/qa/1: FAIL on abc
  > no
  > ## Brief
  > x
`
	require.Equal(t, want, string(Render(sample())))
	require.Equal(t, want, string(For(sample(), false)))
}

// Law 9: a verdict unit's copy has no section of the writers.
func TestVerdictCopy(t *testing.T) {
	text := string(For(sample(), true))
	require.Contains(t, text, "## Brief")
	require.Contains(t, text, "## Acceptance")
	for _, hidden := range []string{"## Plan", "Steps", "tried", "## Verdicts", "FAIL"} {
		require.NotContains(t, text, "\n"+hidden)
	}
}

// UNIT-15 FILE-08: own sections are free, everything else must come back as it was.
func TestCheck(t *testing.T) {
	original := Render(sample())
	edit := func(old, now string) string {
		require.Contains(t, string(original), old)
		return strings.Replace(string(original), old, now, 1)
	}
	for name, c := range map[string]struct {
		returned string
		changed  []Section
		broken   string
	}{
		"unchanged":                  {string(original), nil, ""},
		"blank lines at the end":     {string(original) + "\n\n", nil, ""},
		"log":                        {edit("# tried\nit", "tried again"), []Section{{"Log", "tried again"}}, ""},
		"plan and log":               {strings.Replace(edit("1. one", "1. two"), "# tried\nit", "x", 1), []Section{{"Plan", "### Steps\n1. two"}, {"Log", "x"}}, ""},
		"### in an own section":      {edit("it\n", "it\n### Finding\nx\n"), []Section{{"Log", "# tried\nit\n### Finding\nx"}}, ""},
		"carriage returns":           {strings.ReplaceAll(edit("# tried\nit", "x"), "\n", "\r\n"), []Section{{"Log", "x"}}, ""},
		"another ##":                 {edit("it\n", "it\n## Notes\nx\n"), nil, `a section "Notes" was added`},
		"a ## with spaces":           {edit("it\n", "it\n  ##  Notes ##\nx\n"), nil, `a section "Notes" was added`},
		"a section twice":            {edit("it\n", "it\n## Log\nx\n"), nil, "twice or in another order"},
		"a section gone":             {edit("\n## Log\n", "\n"), nil, "the section Log is gone"},
		"front matter":               {edit("bounces: 1", "bounces: 0"), nil, "the front matter was changed"},
		"brief":                      {edit("Do it.", "Do nothing."), nil, "the section Brief was changed, which this stage does not own"},
		"an acceptance row":          {edit("- [ ] It works", "- [x] It works"), nil, "the section Acceptance was changed"},
		"verdicts":                   {edit("FAIL on abc", "PASS on abc"), nil, "the section Verdicts was changed"},
		"empty":                      {"", nil, "empty or gone"},
		"no UTF-8":                   {string(original) + "\xff", nil, "not UTF-8"},
		"too large a section":        {edit("it\n", strings.Repeat("x", MaxSection+1)+"\n"), nil, "larger than"},
		"too large":                  {strings.Repeat("x", MaxFile+1), nil, "larger than"},
		"text before the front":      {"x" + string(original), nil, "front matter was changed"},
		"a broken part takes it all": {strings.Replace(edit("Do it.", "x"), "# tried\nit", "y", 1), nil, "Brief"},
	} {
		changed, broken := Check(original, []byte(c.returned), []string{Plan, Log})
		require.Equal(t, c.changed, changed, name)
		if c.broken == "" {
			require.Empty(t, broken, name)
			continue
		}
		require.Contains(t, strings.Join(broken, "\n"), c.broken, name)
	}
}

// A stage without sections of its own may write none.
func TestCheckOwnsNothing(t *testing.T) {
	original := For(sample(), true)
	_, broken := Check(original, append(original, "\nmore\n"...), nil)
	require.NotEmpty(t, broken)
}

// No text, wherever it comes from, makes a section or ends the front matter.
func FuzzRenderHolds(f *testing.F) {
	f.Add("a\n## Log\n", "---\n", "x\n\n##\tBrief")
	f.Add("```\n## x", "\u2028## y", "\r## z")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		file := File{ID: a, Title: b, Branch: c, Scope: []string{a, b}, Brief: a, Plan: b, Log: c,
			Acceptance: []Row{{What: a, By: b, Record: c}}, Verdicts: []Verdict{{Unit: a, Verdict: b, Commit: c, Reason: a + b}}}
		raw := Render(file)
		var names []string
		for _, p := range split(string(raw))[1:] {
			names = append(names, p.name)
		}
		require.Equal(t, sections, names)
		require.Equal(t, 2, strings.Count("\n"+string(raw), "\n---\n"))
		changed, broken := Check(raw, raw, nil)
		require.Empty(t, changed)
		require.Empty(t, broken)
	})
}

// What Check takes is what a unit wrote, and writing it into the file again changes nothing else.
func FuzzCheck(f *testing.F) {
	original := Render(sample())
	f.Add(string(original))
	f.Add(strings.Replace(string(original), "# tried\nit", "## x", 1))
	f.Fuzz(func(t *testing.T, returned string) {
		changed, broken := Check(original, []byte(returned), []string{Plan, Log})
		if len(broken) > 0 {
			require.Empty(t, changed)
			return
		}
		for _, s := range changed {
			require.Contains(t, []string{Plan, Log}, s.Name)
			require.LessOrEqual(t, len(s.Text), MaxSection)
			for l := range strings.SplitSeq(s.Text, "\n") {
				_, heads := heading(l)
				require.False(t, heads, l)
			}
		}
	})
}

func TestBoundsAreMarked(t *testing.T) {
	long := strings.Repeat("é", MaxSection)
	for _, tail := range []bool{true, false} {
		cut := bound(long, tail)
		require.LessOrEqual(t, len(cut), MaxSection)
		require.Contains(t, cut, cutMark)
		require.NotContains(t, cut, "\ufffd")
	}
}

// FILE-08 RPT-06: one line an entry, whatever an agent said.
func TestJournal(t *testing.T) {
	text := string(Journal("1a2b3c4d-1", []Entry{
		{Unit: "T-001/implement/1", Status: "refused", Reason: "gate \"tests\"\n## x\u202e " + strings.Repeat("é", 500)},
		{Unit: "T-001/qa/2", Status: "accepted", Verdict: "PASS", Commit: "abc"},
	}))
	lines := strings.Split(text, "\n")
	require.Len(t, lines, 5)
	require.True(t, strings.HasPrefix(lines[2], `- T-001/implement/1: refused — "gate 'tests' ## x é`), lines[2])
	require.Equal(t, "- T-001/qa/2: accepted, PASS, commit abc", lines[3])
	require.NotContains(t, text, "\ufffd")
}
