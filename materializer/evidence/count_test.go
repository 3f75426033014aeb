package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed9cc7a46e/wf/planner"
	"github.com/stretchr/testify/require"
)

func count(t *testing.T, how, output string) (ran, skipped int, why string) {
	c := counterFor(planner.Gate{Shell: "sh", Count: how}, nil)
	require.NotNil(t, c)
	s := stream{each: c.line}
	for _, b := range []byte(output) { // in the smallest pieces
		_, _ = s.Write([]byte{b})
	}
	s.end()
	return c.result()
}

func events(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		w := strings.Fields(l)
		fmt.Fprintf(&b, `{"Action":%q,"Package":%q,"Test":%q}`+"\n", w[0], w[1], w[2])
	}
	return b.String()
}

func TestCounting(t *testing.T) {
	for name, c := range map[string]struct {
		how, output  string
		ran, skipped int
	}{
		"go":                     {"go", events("pass p A", "fail p B", "skip p C", "pass q A"), 3, 1},
		"go, leaf tests":         {"go", events("run p A", "run p A/x", "run p A/y", "pass p A/x", "skip p A/y", "pass p A"), 1, 1},
		"go, group of skipped":   {"go", events("skip p A/x", "pass p A"), 0, 1},
		"go, twice":              {"go", events("pass p A", "pass p A"), 1, 0},
		"go, not ended":          {"go", events("run p A"), 0, 0},
		"go, noise":              {"go", "{}\n{\"Action\":3}\n{{{\nnull\n\n", 0, 0},
		"go, forged in output":   {"go", `{"Action":"output","Package":"p","Test":"A","Output":"--- PASS: X (0.00s)\n"}` + "\n", 0, 0},
		"go -v":                  {"go", "=== RUN   A\n    --- PASS: A/x (0.00s)\n    --- SKIP: A/y (0.00s)\n--- PASS: A (0.00s)\nok  \tp\t0.1s\n--- PASS: A (0.00s)\nok  \tq\t0.1s\n", 2, 1},
		"tap":                    {"tap", "TAP version 14\n1..4\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP later\nnot ok 4 # todo\r\n# ok 5\nokay\n", 2, 2},
		"tap, escaped":           {"tap", "ok 1 - issue \\#skip\nok 2 - a # skipper\n", 1, 1},
		"tap, leaf tests":        {"tap", "    ok 1\n    ok 2\nok 1 - parent\nok 2 - other\n", 3, 0},
		"tap, group of skipped":  {"tap", "    ok 1 # skip\nok 1 - parent\n", 0, 1},
		"tap, deep":              {"tap", strings.Repeat(" ", 4000) + "ok 1\n", 1, 0},
		"pattern, sums":          {`pattern:(\d+) passed`, "test result: ok. 5 passed; 0 failed\n\x1b[32m7 passed\x1b[0m\n", 12, 0},
		"pattern, matches":       {`pattern:^PASS `, "PASS a\nFAIL b\nPASS c\nxPASS d\n", 2, 0},
		"pattern, none":          {`pattern:(\d+) passed`, "collected 0 items\n", 0, 0},
		"a line without its end": {"tap", "ok 1\nok 2", 2, 0},
		"a very long line":       {"tap", "ok 1 " + strings.Repeat("x", 200_000) + "\nok 2\n", 2, 0},
	} {
		ran, skipped, why := count(t, c.how, c.output)
		require.Empty(t, why, name)
		require.Equal(t, [2]int{c.ran, c.skipped}, [2]int{ran, skipped}, name)
	}
	for _, how := range []string{"pattern:(", "pattern:(x)"} {
		_, _, why := count(t, how, "x\n")
		require.NotEmpty(t, why, how)
	}
}

func TestJUnit(t *testing.T) {
	const report = `<?xml version="1.0" encoding="ISO-8859-1"?><testsuites><testsuite tests="99"><testcase name="a"/><testcase name="b` + "\xe9" + `"><failure>no</failure></testcase><testcase name="c"><skipped/></testcase></testsuite></testsuites>`
	h := newHouse(t, map[string]string{"old.xml": "<testsuite><testcase/></testsuite>", "good": report, "sub/keep": "1", "empty": "<testsuite></testsuite>"})
	for name, c := range map[string]struct {
		script, path, workdir string
		want                  Outcome
		reason                string
	}{
		"written":             {"cp good r.xml", "r.xml", "", Pass, "2 tests, 1 more skipped"},
		"in its workdir":      {"cp ../good r.xml", "r.xml", "sub", Pass, "2 tests"},
		"several":             {"mkdir -p out/x; cp good out/x/1.xml; cp good out/x/2.xml", "out/**/*.xml", "", Pass, "4 tests"},
		"of the commit":       {"true", "old.xml", "", Broken, "there is none"},
		"of the commit, *":    {"true", "*.xml", "", Broken, "there is none"},
		"missing":             {"true", "none.xml", "", Broken, "there is none"},
		"no tests":            {"cp empty r.xml", "r.xml", "", Broken, "0 tests ran"},
		"a link":              {"ln -s good r.xml", "r.xml", "", Broken, "no regular file"},
		"a pipe":              {"mkfifo r.xml", "r.xml", "", Broken, "no regular file"},
		"a folder":            {"mkdir r.xml", "r.xml", "", Broken, "no regular file"},
		"through a link":      {"ln -s /etc d", "d/passwd", "", Broken, "cannot be read"},
		"above":               {"true", "../../x.xml", "", Broken, "no path inside the commit"},
		"absolute":            {"true", "/etc/passwd", "", Broken, "no path inside the commit"},
		"no XML":              {"echo '<a><b></a>' >r.xml", "r.xml", "", Broken, "cannot be read"},
		"empty file":          {": >r.xml", "r.xml", "", Broken, "cannot be read"},
		"huge":                {"truncate -s 100M r.xml", "r.xml", "", Broken, "at most"},
		"failed all the same": {"cp good r.xml; exit 1", "r.xml", "", Fail, "exit 1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := sh(c.script)
			g.Count, g.Workdir, g.MinTests = "junit:"+c.path, c.workdir, 1
			rec, _ := h.run(h.job(h.start, g))
			require.Equal(t, c.want, rec.Outcome, rec.Reason)
			require.Contains(t, rec.Reason, c.reason)
		})
	}
}

func TestEncodeDecode(t *testing.T) {
	r := Record{Format: 1, Name: "T-001/a/1/t", Gate: "t", Argv: []string{"a", "<&>"}, Outcome: Fail, Exit: -1, Signal: "SIGKILL", Tests: -1, Reason: "é", Places: []string{`"x\n":1`}, Baseline: Pass, Key: "sha256:0"}
	data, digest, err := Encode(r)
	require.NoError(t, err)
	require.Equal(t, Digest(data), digest)
	require.Contains(t, string(data), "<&>")
	got, err := Decode(data)
	require.NoError(t, err)
	require.Equal(t, r, got)
	for _, bad := range []string{"", "{}", `{"evidence":2}`, string(data) + "{}", strings.Replace(string(data), `"gate"`, `"gait"`, 1), strings.Replace(string(data), `"fail"`, `"green"`, 1)} {
		_, err := Decode([]byte(bad))
		require.Error(t, err, bad)
	}
}

func FuzzDecode(f *testing.F) {
	data, _, err := Encode(Record{Format: 1, Outcome: Pass})
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(data)
		if err != nil {
			return
		}
		again, _, err := Encode(r)
		require.NoError(t, err)
		back, err := Decode(again)
		require.NoError(t, err)
		require.Equal(t, r, back)
	})
}

// Output and reports are written by what is judged.
func FuzzCounters(f *testing.F) {
	f.Add("go", []byte(events("run p A/b", "fail p A/b")))
	f.Add("tap", []byte("        ok 1\n    ok 2 # skip\n"))
	f.Add("junit", []byte("<a><testcase><skipped/></testcase></a>"))
	f.Fuzz(func(t *testing.T, how string, data []byte) {
		if how == "junit" {
			ran, skipped, err := countCases(strings.NewReader(string(data)))
			require.True(t, err == nil || ran+skipped == 0)
			return
		}
		c := counterFor(planner.Gate{Count: how}, nil)
		if c == nil {
			return
		}
		s := stream{each: c.line}
		_, _ = s.Write(data)
		s.end()
		ran, skipped, _ := c.result()
		require.GreaterOrEqual(t, ran, 0)
		require.GreaterOrEqual(t, skipped, 0)
		require.NotContains(t, sentence(c.telling()), "\n")
	})
}

func TestReportsAreFewAndSmall(t *testing.T) {
	dir := t.TempDir()
	for i := range maxReports + 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.xml", i)), nil, 0o600))
	}
	_, _, why := countReports(dir, "", "*.xml")
	require.Contains(t, why, "too many files")
}
