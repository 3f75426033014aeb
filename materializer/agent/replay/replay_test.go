package replay

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/materializer/agent"
	"github.com/seed9cc7a46e/wf/planner"
)

const script = `agents:
  survey: {outputs: {areas: [{name: api, n: 2, ok: true, v: "1"}]}, cost: 0.05 USD}
  change["a.b"].implement: {says: keyed}
  change[*].implement: {says: any}
  change[*].implement#2: {says: any second}
  change["a.b"].implement#2: {says: keyed second}
  change[*].doctor: {reason: because}
  change["x\"]y"].implement: {says: quoted}
`

func parsed(t *testing.T, text string) Script {
	t.Helper()
	s, findings := ParseScript("x.replay.yaml", []byte(text))
	require.Empty(t, findings)
	return s
}

// The most exact selector wins, whatever the order in the file.
func TestSelectors(t *testing.T) {
	s := parsed(t, script)
	for _, c := range []struct {
		address, stage, role string
		first                bool
		round                int
		want                 string
	}{
		{`change["a.b"]`, "implement", "builder", false, 1, "keyed"},
		{`change["a.b"]`, "implement", "builder", false, 2, "keyed second"},
		{`change["z"]`, "implement", "builder", false, 1, "any"},
		{`change["z"]`, "implement", "builder", false, 2, "any second"},
		{`change["x\"]y"]`, "implement", "builder", false, 1, "quoted"},
	} {
		steps, ok := s.For(c.address, c.stage, c.role, c.first, c.round, 1)
		require.True(t, ok, c)
		require.Equal(t, c.want, steps[0].Says, c)
	}
	steps, ok := s.For(`change["z"]`, "implement", "doctor", true, 2, 1)
	require.True(t, ok)
	require.Equal(t, "because", steps[0].Submit.Reason)
	_, ok = s.For("report", "work", "clerk", false, 1, 1)
	require.False(t, ok, "a unit without an entry has no steps: an agent that does nothing by default would look like one that works")
}

// Bare numbers and booleans keep their kind; quoted text stays text.
func TestOutputsKeepTheirKind(t *testing.T) {
	steps, ok := parsed(t, script).For("survey", "work", "architect", false, 1, 1)
	require.True(t, ok)
	require.JSONEq(t, `{"areas":[{"name":"api","n":2,"ok":true,"v":"1"}]}`, string(steps[0].Submit.Outputs))
	require.Equal(t, planner.Money(50_000), steps[0].Cost)
}

// What a script says wrongly is a finding with its place.
func TestBrokenScripts(t *testing.T) {
	for text, want := range map[string]string{
		"agents: [a]\n":                          "WF180",
		"agent: {}\n":                            "WF180",
		"agents:\n  a: {edits: {}}\n":            "WF180",
		"agents:\n  a: {delay: soon}\n":          "WF180",
		"agents:\n  a: {cost: much}\n":           "WF180",
		"agents:\n  a: {exit: bad}\n":            "WF180",
		"agents:\n  a[api].x: {says: hi}\n":      "WF181",
		"agents:\n  a[\"b\".x: {says: hi}\n":     "WF181",
		"agents:\n  \"a#0\": {says: hi}\n":       "WF181",
		"agents:\n  \".implement\": {says: h}\n": "WF181",
	} {
		_, findings := ParseScript("x.replay.yaml", []byte(text))
		require.NotEmpty(t, findings, text)
		require.Equal(t, want, findings[0].Code, text)
		require.NotZero(t, findings[0].Range.Start.Line, text)
	}
}

// A selector that fits no unit is a finding at its place, before a run.
func TestSelectorsThatFitNothing(t *testing.T) {
	s := parsed(t, "agents:\n  change.implement: {says: a}\n  change[*].doctor: {says: b}\n  change: {says: c}\n  chang.qa: {says: d}\n  change.implemet: {says: e}\n")
	found := s.Unknown(Tickets{"change": {"implement", "doctor"}}, func(_ string, all []string) string { return all[0] })
	require.Len(t, found, 2)
	require.Equal(t, []string{"WF182", "WF182"}, []string{found[0].Code, found[1].Code})
	require.Equal(t, []int{5, 6}, []int{found[0].Range.Start.Line, found[1].Range.Start.Line})
	require.Contains(t, found[0].Hint, "`change`")
	require.Contains(t, found[1].Hint, "`implement`")
}

// acted runs a session in folders of its own and gives its exit status and stream.
func acted(t *testing.T, steps []Step, guard func(id, tool string, input json.RawMessage) (bool, string)) (code int, events []agent.Event, tree, exchange string) {
	t.Helper()
	tree, exchange = t.TempDir(), t.TempDir()
	data, err := json.Marshal(steps)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(exchange, stepsFile), data, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(exchange, agent.TicketFile), []byte("---\nid: T-001\n---\n\n## Brief\n\nb\n\n## Log\n\n## Verdicts\n"), 0o600))
	var out bytes.Buffer
	s := Session{UnitID: "T-001/work/1", Exchange: exchange, Worktree: tree, Stdin: strings.NewReader("prompt"), Stdout: &out}
	if guard != nil {
		s.Guard = guard
	}
	code = Main(s, []string{stepsFile})
	reader := Adapter{}.Open()
	for line := range bytes.Lines(out.Bytes()) {
		events = append(events, reader.Line(bytes.TrimSuffix(line, []byte("\n")))...)
	}
	return code, events, tree, exchange
}

func kinds(events []agent.Event) []agent.Kind {
	var out []agent.Kind
	for _, e := range events {
		out = append(out, e.Kind)
	}
	return out
}

func TestASessionDoesWhatItsStepsSay(t *testing.T) {
	code, events, tree, exchange := acted(t, []Step{
		{Says: "hello", Edit: []Edit{{"a/b.txt", "text\n"}}, Section: []Edit{{"Log", "wrote b"}}, Cost: 70_000},
		{Cost: 30_000, Submit: &Submit{Reason: "done", Outputs: json.RawMessage(`{"x":1}`)}},
	}, func(string, string, json.RawMessage) (bool, string) { return true, "" })
	require.Zero(t, code)
	require.Equal(t, []agent.Kind{agent.Began, agent.Says, agent.Use, agent.Spent, agent.Spent, agent.Ended}, kinds(events))
	require.Equal(t, planner.Money(100_000), events[len(events)-1].Cost, "costs add up")
	got, err := os.ReadFile(filepath.Join(tree, "a", "b.txt"))
	require.NoError(t, err)
	require.Equal(t, "text\n", string(got))
	submitted, err := os.ReadFile(filepath.Join(exchange, agent.OutputsFile))
	require.NoError(t, err)
	require.JSONEq(t, `{"reason":"done","outputs":{"x":1}}`, string(submitted))
	file, err := os.ReadFile(filepath.Join(exchange, agent.TicketFile))
	require.NoError(t, err)
	require.Contains(t, string(file), "## Log\n\nwrote b\n\n## Verdicts")
}

// A refused use is told and not done; an edit nobody was asked for is done and not told.
func TestTheGuardIsAsked(t *testing.T) {
	var asked []string
	_, events, tree, _ := acted(t, []Step{{Edit: []Edit{{"a", "1"}, {"b", "2"}}, Unasked: []Edit{{"c", "3"}}}}, func(id, tool string, input json.RawMessage) (bool, string) {
		var use struct {
			Path string `json:"file_path"`
		}
		require.NoError(t, json.Unmarshal(input, &use))
		asked = append(asked, id+" "+tool+" "+use.Path)
		return use.Path != "b", "not b"
	})
	require.Equal(t, []string{"use-001 Write a", "use-002 Write b"}, asked)
	require.Contains(t, kinds(events), agent.Denied)
	require.FileExists(t, filepath.Join(tree, "a"))
	require.NoFileExists(t, filepath.Join(tree, "b"))
	require.FileExists(t, filepath.Join(tree, "c"))
}

// Without a guard nothing is done: it fails closed. (POL-01)
func TestWithoutAGuardNothingIsDone(t *testing.T) {
	_, events, tree, _ := acted(t, []Step{{Edit: []Edit{{"a", "1"}}}}, nil)
	require.Contains(t, kinds(events), agent.Denied)
	require.NoFileExists(t, filepath.Join(tree, "a"))
}

func TestEndings(t *testing.T) {
	three := 3
	code, events, _, _ := acted(t, []Step{{Exit: &three}, {Says: "never"}}, nil)
	require.Equal(t, 3, code)
	require.True(t, events[len(events)-1].Failed)
	require.NotContains(t, kinds(events), agent.Says)
	code = Main(Session{Exchange: t.TempDir(), Worktree: t.TempDir(), Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}}, []string{stepsFile})
	require.Equal(t, 64, code, "without its steps it does nothing")
}

func TestALineOfAnotherProgramIsUnparsed(t *testing.T) {
	for _, line := range []string{"", "hello", "{", `{"a":1}`, "\x00\xff"} {
		require.Equal(t, []agent.Kind{agent.Unparsed}, kinds(Adapter{}.Open().Line([]byte(line))), line)
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add([]byte(script))
	f.Add([]byte("agents:\n  a: {run: [x], edit: {p: t}, exit: 1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, findings := ParseScript("x.replay.yaml", data)
		if len(findings) == 0 {
			s.For("a", "b", "c", false, 1, 1)
		}
	})
}
