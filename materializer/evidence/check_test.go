package evidence

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesExist(t *testing.T) {
	h := newHouse(t, map[string]string{"docs/a.md": "1", "link.md": "->docs/a.md", "odd [x]?.txt": "1"})
	for _, c := range []struct {
		paths []string
		want  Outcome
	}{
		{[]string{"docs/a.md"}, Pass}, {[]string{"docs/*.md"}, Pass}, {[]string{"docs"}, Pass}, {[]string{"docs/"}, Broken},
		{[]string{"doc"}, Fail}, {[]string{"docs/b.md"}, Fail}, {[]string{"docs/*.md", "**/*.txt", "nope/**"}, Fail},
		{[]string{"link.md"}, Fail}, {[]string{`odd \[x\]\?.txt`}, Pass}, {nil, Broken}, {[]string{"[z"}, Broken},
	} {
		rec := h.check(h.start, "files_exist", arg("paths", c.paths...))
		require.Equal(t, c.want, rec.Outcome, "%v: %s", c.paths, rec.Reason)
	}
	rec := h.check(h.start, "files_exist", arg("paths", "nope/**"))
	require.Equal(t, []string{"nope/**"}, rec.Places)
}

// EVID-03
func TestAddedLinesMustNotMatch(t *testing.T) {
	old := "package a\n// TODO old\nvar x int\n"
	h := newHouse(t, map[string]string{"a.go": old, "run.sh": "# TODO old\n", "link": "->a.go"})
	for name, c := range map[string]struct {
		files  map[string]string
		want   Outcome
		places []string
	}{
		"nothing new":           {map[string]string{"a.go": old + "var y int\n"}, Pass, nil},
		"added":                 {map[string]string{"a.go": old + "// TODO new\n"}, Fail, []string{"a.go:4"}},
		"added a second time":   {map[string]string{"a.go": old + "// TODO old\n"}, Fail, []string{"a.go:4"}},
		"moved in the file":     {map[string]string{"a.go": "package a\nvar x int\n// TODO old\n"}, Pass, nil},
		"line ends alone":       {map[string]string{"a.go": strings.ReplaceAll(old, "\n", "\r\n")}, Pass, nil},
		"crlf, added":           {map[string]string{"a.go": strings.ReplaceAll(old+"// TODO new\n", "\n", "\r\n")}, Fail, []string{"a.go:4"}},
		"renamed":               {map[string]string{"a.go": "-", "b.go": old}, Pass, nil},
		"renamed and added":     {map[string]string{"a.go": "-", "b.go": old + "// TODO new"}, Fail, []string{"b.go:4"}},
		"executable bit":        {map[string]string{"run.sh": "#!/bin/sh\n# TODO old\n"}, Pass, nil},
		"binary":                {map[string]string{"blob": "\x00 TODO\n"}, Pass, nil},
		"hidden by attributes":  {map[string]string{".gitattributes": "*.go binary -diff\n", "a.go": old + "// TODO new\n"}, Fail, []string{"a.go:4"}},
		"a link's target":       {map[string]string{"l": "->TODO"}, Pass, nil},
		"a link becomes a file": {map[string]string{"link": "TODO\n"}, Fail, []string{"link:1"}},
		"an odd name":           {map[string]string{"x@{1}:y\n\x1b[31m.go": "TODO\n"}, Fail, []string{`"x@{1}:y\n\x1b[31m.go":1`}},
		"not UTF-8":             {map[string]string{"a.go": old + "\xff TODO \xff\n"}, Fail, []string{"a.go:4"}},
		"deleted":               {map[string]string{"a.go": "-"}, Pass, nil},
		"many":                  {map[string]string{"m": strings.Repeat("TODO\n", 30)}, Fail, nil},
		"too large":             {map[string]string{"huge": strings.Repeat("a line of text\n", 1<<20)}, Broken, nil},
		"too large, binary":     {map[string]string{"huge": "\x00" + strings.Repeat("TODO of text\n", 1<<20)}, Pass, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rec := h.check(h.candidate(c.files), "added_lines_must_not_match", arg("pattern", "TODO|FIXME$"))
			require.Equal(t, c.want, rec.Outcome, rec.Reason)
			if name == "many" {
				require.Len(t, rec.Places, maxPlaces+1)
				return
			}
			require.Equal(t, c.places, rec.Places)
		})
	}
}

func TestAddedLinesLooksAtPaths(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1\n"})
	cand := h.candidate(map[string]string{"doc/x.md": "TODO\n"})
	require.Equal(t, Pass, h.check(cand, "added_lines_must_not_match", arg("pattern", "TODO"), arg("paths", "src/**")).Outcome)
	require.Equal(t, Fail, h.check(cand, "added_lines_must_not_match", arg("pattern", "TODO"), arg("paths", "doc/**")).Outcome)
	require.Equal(t, Broken, h.check(cand, "added_lines_must_not_match", arg("pattern", "(")).Outcome)
	require.Equal(t, Broken, h.check(cand, "added_lines_must_not_match").Outcome)
	require.Equal(t, Broken, h.check(cand, "added_lines_must_not_match", arg("pattern", "x"), arg("paths", "[z")).Outcome)
}

func TestMaxDiffLines(t *testing.T) {
	h := newHouse(t, map[string]string{"a": "1\n2\n3\n", "blob": "\x00a"})
	for name, c := range map[string]struct {
		files map[string]string
		max   string
		want  Outcome
	}{
		"as many":    {map[string]string{"a": "1\n2\nx\n"}, "2", Pass},
		"one more":   {map[string]string{"a": "1\ny\nx\n"}, "3", Fail},
		"deleted":    {map[string]string{"a": "-"}, "2", Fail},
		"binary":     {map[string]string{"blob": "\x00b"}, "1", Pass},
		"two binary": {map[string]string{"blob": "\x00b", "other": "\x00"}, "1", Fail},
		"attributes": {map[string]string{".gitattributes": "* -diff\n", "b": "1\n2\n3\n4\n"}, "3", Fail},
		"renamed":    {map[string]string{"a": "-", "b": "1\n2\n3\n"}, "5", Fail},
		"mode alone": {map[string]string{"a": "1\n2\n3\n"}, "1", Pass},
		"no number":  {nil, "many", Broken},
		"zero":       {nil, "0", Broken},
	} {
		rec := h.check(h.candidate(c.files), "max_diff_lines", arg("max", c.max))
		require.Equal(t, c.want, rec.Outcome, "%s: %s", name, rec.Reason)
	}
	require.Equal(t, Broken, h.check(h.start, "max_diff_lines").Outcome)
}

func TestCleanTree(t *testing.T) {
	h := newHouse(t, map[string]string{"old.orig": "1", "doc.md": "<<<<<<< kept\n"})
	for name, c := range map[string]struct {
		files map[string]string
		want  Outcome
	}{
		"clean":             {map[string]string{"a.go": "x", "core.go": "x", "a.test.js": "x", "golden.out": "x"}, Pass},
		"a reject":          {map[string]string{"src/a.go.rej": "x"}, Fail},
		"a test binary":     {map[string]string{"pkg.test": "x"}, Fail},
		"packages":          {map[string]string{"web/node_modules/x/y.js": "x"}, Fail},
		"was there":         {map[string]string{"old.orig": "2"}, Pass},
		"a conflict":        {map[string]string{"a.go": "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"}, Fail},
		"a heading's line":  {map[string]string{"a.md": "Title\n=======\n"}, Pass},
		"a conflict before": {map[string]string{"doc.md": "<<<<<<< kept\nmore\n"}, Pass},
	} {
		rec := h.check(h.candidate(c.files), "clean_tree")
		require.Equal(t, c.want, rec.Outcome, "%s: %s", name, rec.Reason)
	}
}

// EVID-02, EVID-03
func TestNoHedging(t *testing.T) {
	for text, want := range map[string]Outcome{
		"All 14 tests pass; see a.go:3.": Pass, "It should work now.": Fail, "This PROBABLY passes": Fail, "I think it is done": Fail,
		"the retry should be bounded": Pass, "": Fail, " \n": Fail,
	} {
		rec := Record{}
		_, err := check(t.Context(), Job{Texts: []string{text}, Gate: gateOf("no_hedging")}, &rec)
		require.NoError(t, err)
		require.Equal(t, want, rec.Outcome, text)
	}
}
