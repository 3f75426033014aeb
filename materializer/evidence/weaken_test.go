package evidence

import (
	"strings"
	"testing"

	"github.com/seed9cc7a46e/wf/planner"
	"github.com/stretchr/testify/require"
)

func gateOf(check string) planner.Gate { return planner.Gate{Check: check} }

const goTests = `package a

import "testing"

func TestAdd(t *testing.T) {
	for _, c := range []struct{ a, b int }{{1, 2}, {3, 4}} {
		if c.a+1 != c.b {
			t.Errorf("%d", c.a)
		}
	}
	check(t, 1)
}

func check(t *testing.T, n int) {
	t.Helper()
	if n != 1 {
		t.Fatal("not one")
	}
}

func TestMain(m *testing.M) { m.Run() }
`

const pyTests = "def test_a():\n    assert f() == 1\n    assert g() == 2\n\ndef test_b():\n    assert True\n"

// EVID-06
func TestTestsNotWeakened(t *testing.T) {
	replace := func(old, with string) map[string]string {
		require.Contains(t, goTests, old)
		return map[string]string{"a_test.go": strings.Replace(goTests, old, with, 1)}
	}
	h := newHouse(t, map[string]string{"a_test.go": goTests, "test_x.py": pyTests, "a.test.js": "it('x', () => { expect(1).toBe(1) })\n"})
	for name, c := range map[string]struct {
		files map[string]string
		why   string // "" passes
	}{
		"same":               {map[string]string{"b.go": "package a\n"}, ""},
		"a test more":        {replace("func check", "func TestMore(t *testing.T) { check(t, 1) }\n\nfunc check"), ""},
		"a case more":        {replace("{3, 4}", "{3, 4}, {5, 6}"), ""},
		"deleted":            {map[string]string{"a_test.go": "-"}, "gone"},
		"renamed, no test":   {map[string]string{"a_test.go": "-", "a_tests.go": goTests}, "gone"},
		"renamed, a test":    {map[string]string{"a_test.go": "-", "b_test.go": goTests}, ""},
		"moved elsewhere":    {map[string]string{"a_test.go": "-", "x/a_test.go": goTests}, "gone"},
		"ignored by name":    {map[string]string{"a_test.go": "-", "_a_test.go": goTests}, "no longer compiled"},
		"another system":     {map[string]string{"a_test.go": "-", "a_windows_test.go": goTests}, "no longer compiled"},
		"never built":        {map[string]string{"a_test.go": "//go:build never\n\n" + goTests}, "no longer compiled"},
		"ignored":            {map[string]string{"a_test.go": "// +build ignore\n\n" + goTests}, "no longer compiled"},
		"built everywhere":   {map[string]string{"a_test.go": "//go:build linux || !linux\n\n" + goTests}, ""},
		"emptied file":       {map[string]string{"a_test.go": "package a\n"}, "gone"},
		"emptied body":       {replace("check(t, 1)\n", "\n"), "assertions before"},
		"renamed function":   {replace("TestAdd", "Testadd"), "gone"},
		"skip":               {replace("	check(t, 1)", "	t.Skip()\n	check(t, 1)"), "skips"},
		"skip if short":      {replace("	check(t, 1)", "	if testing.Short() { t.SkipNow() }\n	check(t, 1)"), "skips"},
		"assertion removed":  {replace(`t.Errorf("%d", c.a)`, "_ = c"), "assertions"},
		"commented out":      {replace(`t.Errorf("%d", c.a)`, `// t.Errorf("%d", c.a)`), "assertions"},
		"moved to another":   {replace("	check(t, 1)\n}\n", "}\n\nfunc TestPad(t *testing.T) { check(t, 1); check(t, 1) }\n"), "assertions"},
		"a helper's":         {replace(`t.Fatal("not one")`, "return"), "assertions"},
		"a case fewer":       {replace("{1, 2}, ", ""), "cases"},
		"early return":       {replace("	check(t, 1)", "	return\n	check(t, 1)"), "early exits"},
		"early exit":         {replace("	check(t, 1)", "	os.Exit(0)\n	check(t, 1)"), "early exits"},
		"main runs nothing":  {replace("m.Run()", ""), "TestMain runs no tests"},
		"a main of its own":  {map[string]string{"x/main_test.go": "package x\nimport \"testing\"\nfunc TestMain(m *testing.M) {}\n"}, "TestMain runs no tests"},
		"a link":             {map[string]string{"a_test.go": "->b"}, "type changed"},
		"binary":             {map[string]string{"a_test.go": "\x00" + goTests}, "gone"},
		"python fewer":       {map[string]string{"test_x.py": "def test_a():\n    assert f() == 1\n    assert g() == 2\n"}, "tests"},
		"python commented":   {map[string]string{"test_x.py": strings.Replace(pyTests, "    assert g()", "    # assert g()", 1)}, "assertions"},
		"python in a text":   {map[string]string{"test_x.py": strings.Replace(pyTests, "    assert g() == 2", "    \"\"\"assert g() == 2\"\"\"", 1)}, "assertions"},
		"python skipped":     {map[string]string{"test_x.py": "@pytest.mark.skip\n" + pyTests}, "skips"},
		"python moved":       {map[string]string{"test_x.py": "-", "y/test_y.py": pyTests}, ""},
		"python, no test":    {map[string]string{"test_x.py": "-", "x.py": pyTests}, "gone"},
		"javascript only":    {map[string]string{"a.test.js": "it.only('x', () => { expect(1).toBe(1) })\n"}, "skips"},
		"javascript comment": {map[string]string{"a.test.js": "it('x', () => { /* expect(1).toBe(1) */ })\n"}, "assertions"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := h.check(h.candidate(c.files), "tests_not_weakened")
			if c.why == "" {
				require.Equal(t, Pass, rec.Outcome, rec.Reason)
				return
			}
			require.Equal(t, Fail, rec.Outcome, rec.Reason)
			require.Contains(t, strings.Join(rec.Places, "\n"), c.why)
		})
	}
}

// What numbers cannot tell is said here, so that nobody takes it for told.
func TestWhatWeakeningIsNotSeen(t *testing.T) {
	h := newHouse(t, map[string]string{"a_test.go": goTests})
	for name, body := range map[string]string{
		"an assertion that is always true": strings.Replace(goTests, "n != 1", "n != n", 1),
		"a condition that never holds":     strings.Replace(goTests, "	check(t, 1)", "	if false {\n		check(t, 1)\n	}", 1),
		"a return under a condition":       strings.Replace(goTests, "	check(t, 1)", "	if true {\n		return\n	}\n	check(t, 1)", 1),
	} {
		rec := h.check(h.candidate(map[string]string{"a_test.go": body}), "tests_not_weakened")
		require.Equal(t, Pass, rec.Outcome, name)
	}
}
