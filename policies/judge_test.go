package policies

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

func testPlan() *planner.Plan {
	return &planner.Plan{
		Format: planner.Format, Workflow: planner.WorkflowRef{Name: "ship", Path: "workflows/ship.wf.yaml"},
		Base:   planner.Base{Commit: strings.Repeat("a", 40), Date: "2027-01-15T10:00:00Z"},
		Limits: planner.Limits{Budget: 10 * planner.USD, Concurrency: 2, Width: "medium", WidthAgents: 15},
		Roles:  []planner.Role{{Name: "builder", Mode: "chat", Adapter: "replay", Allow: []string{"Edit"}}, {Name: "judge", Mode: "review", Adapter: "replay"}},
		Tickets: []planner.Ticket{
			{ID: "T-001", Address: `change["api"]`, Name: "change", Line: 12, Column: 3, Deliver: "branch", Stages: []planner.Stage{{Name: "implement", Role: "builder", Mode: "chat", Writes: "scope"}}},
			{ID: "T-002", Address: "report", Name: "report", Line: 30, Column: 3},
		},
		Agents:  []planner.Agent{{Name: `builder@change["api"]`, Role: "builder", Ticket: "T-001", Mode: "chat", Adapter: "replay", Units: 2, Budget: planner.USD, Effects: []string{"fs.write"}}},
		Effects: []planner.EffectUse{{Effect: "fs.write", Tier: "local", By: []string{`builder@change["api"]`}}},
		Bounds:  planner.Bounds{Agents: planner.Bound{Value: 1}, AtOnce: planner.Bound{Value: 1}, Cost: planner.Bound{Value: int64(2 * planner.USD)}},
	}
}

func unjudged(t testing.TB, p *planner.Plan) []byte {
	t.Helper()
	raw, err := json.Marshal(p)
	require.NoError(t, err)
	var doc map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &doc))
	delete(doc, "policy")
	raw, err = json.Marshal(doc)
	require.NoError(t, err)
	return raw
}

func project(text string, more ...File) LayerSource {
	return LayerSource{Name: LayerProject, Files: append([]File{{Path: "policies/own.rego", Data: []byte(text)}}, more...)}
}

func judge(t testing.TB, p *planner.Plan, opts Options, sources ...LayerSource) (planner.Judgement, diag.Findings, error) {
	t.Helper()
	return Judge(context.Background(), unjudged(t, p), p, sources, opts)
}

func codesOf(fs diag.Findings) []string {
	out := []string{}
	for _, f := range fs {
		out = append(out, f.Code)
	}
	return out
}

func TestBuiltInLetsAnOrdinaryPlanPass(t *testing.T) {
	j, findings, err := judge(t, testPlan(), Options{}, BuiltIn())
	require.NoError(t, err)
	require.Empty(t, findings)
	require.Empty(t, j.Denials)
	require.Empty(t, j.Asks)
	require.Empty(t, j.Warns)
	require.NotEmpty(t, j.Guards)
	require.Len(t, j.Layers, 1)
	require.Positive(t, j.Layers[0].Rules)
	require.Regexp(t, `^sha256:[0-9a-f]{64}$`, j.Layers[0].Digest)
	for _, f := range j.Layers[0].Files {
		require.NotContains(t, f, "_test.rego")
	}
}

const fourKinds = `package wf.own

deny contains {"msg": "no writers here", "code": "OWN-1", "level": "hard", "node": t.address} if {
	some t in input.tickets
	some s in t.stages
	s.writes == "scope"
}

warn contains {"msg": "second"}

warn contains {"msg": "first", "node": "T-002"}

ask contains {"msg": "look at it", "from": "security"}

guard contains {"rule": "Bash(curl *)", "decision": "deny", "reason": "no network"}
`

// Rulings carry rule, file and line; findings point at the workflow's line.
func TestRulings(t *testing.T) {
	j, findings, err := judge(t, testPlan(), Options{}, project(fourKinds))
	require.NoError(t, err)
	require.Equal(t, []planner.Ruling{{
		Layer: "project", Rule: "wf.own.deny", Msg: "no writers here", Code: "OWN-1", Level: "hard", Node: `change["api"]`, File: "policies/own.rego", Line: 3,
	}}, j.Denials)
	require.Equal(t, []planner.Ruling{
		{Layer: "project", Rule: "wf.own.warn", Msg: "second", Level: "soft", File: "policies/own.rego", Line: 9},
		{Layer: "project", Rule: "wf.own.warn", Msg: "first", Level: "soft", Node: "report", File: "policies/own.rego", Line: 11},
	}, j.Warns)
	require.Equal(t, []planner.Ruling{{Layer: "project", Rule: "wf.own.ask", Msg: "look at it", Level: "soft", From: "security", File: "policies/own.rego", Line: 13}}, j.Asks)
	require.Equal(t, []planner.Guard{{Layer: "project", Rule: "Bash(curl *)", Decision: "deny", Reason: "no network"}}, j.Guards)
	require.Equal(t, []string{"WF521", "WF522", "WF520", "WF522"}, codesOf(findings))
	require.Equal(t, 12, findings[2].Range.Start.Line)
	require.Equal(t, 3, findings[2].Range.Start.Column)
	require.Equal(t, "workflows/ship.wf.yaml", findings[2].Range.File)
	require.Equal(t, "policies/own.rego", findings[2].Related[0].Range.File)
	require.Equal(t, 3, findings[2].Related[0].Range.Start.Line)
}

// What keeps a policy from deciding is exit 7 with a place, never a pass. POL-06
func TestUnevaluated(t *testing.T) {
	ok := "package wf.own\n\nwarn contains {\"msg\": \"x\"}\n\n"
	rows := map[string]struct {
		text string
		code string
		line int
	}{
		"does not parse":         {"package wf.own\n\ndeny contains if if\n", "WF501", 3},
		"old Rego":               {"package wf.own\n\ndeny[msg] { msg := \"x\" }\n", "WF501", 3},
		"wrong namespace":        {"package policies.own\n\ndeny contains {\"msg\": \"x\"}\n", "WF504", 1},
		"nested namespace":       {"package wf.own.deep\n\ndeny contains {\"msg\": \"x\"}\n", "WF504", 1},
		"unsafe variable":        {ok + "deny contains {\"msg\": y}\n", "WF502", 5},
		"unused variable":        {ok + "deny contains {\"msg\": \"x\"} if {\n\tz := input.repository\n}\n", "WF502", 6},
		"network":                {ok + "deny contains {\"msg\": \"x\"} if {\n\thttp.send({\"method\": \"get\", \"url\": \"http://localhost\"})\n}\n", "WF503", 6},
		"clock":                  {ok + "deny contains {\"msg\": \"x\"} if {\n\ttime.now_ns() > 5\n}\n", "WF503", 6},
		"zone of the host":       {ok + "deny contains {\"msg\": \"x\"} if {\n\ttime.weekday([0, \"Local\"]) == \"Monday\"\n}\n", "WF503", 6},
		"chance":                 {ok + "deny contains {\"msg\": \"x\"} if {\n\trand.intn(\"a\", 2) == 1\n}\n", "WF503", 6},
		"process":                {ok + "deny contains {\"msg\": \"x\"} if {\n\topa.runtime().env.HOME\n}\n", "WF503", 6},
		"misspelt entry point":   {ok + "denies contains {\"msg\": \"x\"}\n", "WF505", 5},
		"unread helper":          {ok + "helper if {\n\tinput.repository == \"x\"\n}\n", "WF505", 5},
		"no set":                 {ok + "deny := \"x\"\n", "WF506", 5},
		"default":                {ok + "default deny := false\n", "WF506", 5},
		"function":               {ok + "deny(x) := x\n", "WF506", 5},
		"no rule":                {"package wf.own\n", "WF507", 1},
		"empty file":             {"\n", "WF507", 0},
		"builtin fails":          {ok + "deny contains {\"msg\": \"x\"} if {\n\tto_number(input.repository) > 1\n}\n", "WF509", 6},
		"conflict":               {ok + "deny contains {\"msg\": \"x\"} if {\n\tf(1) == 1\n}\n\nf(_) := 1\n\nf(_) := 2\n", "WF509", 11},
		"decision is a string":   {ok + "deny contains \"x\"\n", "WF510", 5},
		"no message":             {ok + "deny contains {\"code\": \"x\"}\n", "WF510", 5},
		"empty message":          {ok + "deny contains {\"msg\": \"\"}\n", "WF510", 5},
		"unknown key":            {ok + "deny contains {\"msg\": \"x\", \"severity\": \"low\"}\n", "WF510", 5},
		"unknown level":          {ok + "deny contains {\"msg\": \"x\", \"level\": \"medium\"}\n", "WF510", 5},
		"unknown node":           {ok + "deny contains {\"msg\": \"x\", \"node\": \"nowhere\"}\n", "WF510", 5},
		"message is a number":    {ok + "deny contains {\"msg\": 3}\n", "WF510", 5},
		"ask without group":      {ok + "ask contains {\"msg\": \"x\"}\n", "WF510", 5},
		"guard allows":           {ok + "guard contains {\"rule\": \"Bash\", \"decision\": \"allow\", \"reason\": \"x\"}\n", "WF510", 5},
		"guard without reason":   {ok + "guard contains {\"rule\": \"Bash\", \"decision\": \"deny\"}\n", "WF510", 5},
		"except without day":     {ok + "except contains {\"rule\": \"wf.own.warn\", \"reason\": \"x\"}\n", "WF510", 5},
		"except of another":      {ok + "except contains {\"rule\": \"wf.width.warn\", \"reason\": \"x\", \"until\": \"2027-02-01\"}\n", "WF511", 5},
		"guard silences":         {ok + "guard contains {\"rule\": \"mcp__wf__submit_outputs\", \"decision\": \"deny\", \"reason\": \"x\"}\n", "WF512", 5},
		"guard silences a group": {ok + "guard contains {\"rule\": \"mcp__wf__*\", \"decision\": \"ask\", \"reason\": \"x\"}\n", "WF512", 5},
		"guard silences by Bash": {ok + "guard contains {\"rule\": \"Bash(wf *)\", \"decision\": \"deny\", \"reason\": \"x\"}\n", "WF512", 5},
		"guard has no form":      {ok + "guard contains {\"rule\": \"Bash(\", \"decision\": \"deny\", \"reason\": \"x\"}\n", "WF516", 5},
		"outside the enum":       {ok + "deny contains {\"msg\": \"x\"} if {\n\tsome r in input.roles\n\tr.mode == \"write\"\n}\n", "WF513", 7},
		"outside the enum, ref":  {ok + "deny contains {\"msg\": \"x\"} if input.roles[_].mode != \"write\"\n", "WF513", 5},
		"outside the enum, in":   {ok + "deny contains {\"msg\": \"x\"} if {\n\tsome r in input.roles\n\tr.mode in {\"chat\", \"edit\"}\n}\n", "WF513", 7},
		"effect misspelt":        {ok + "deny contains {\"msg\": \"x\"} if {\n\tsome a in input.agents\n\t\"git_push\" in a.effects\n}\n", "WF513", 7},
		"in every":               {ok + "deny contains {\"msg\": \"x\"} if {\n\tevery r in input.roles {\n\t\tr.mode == \"edit\"\n\t}\n}\n", "WF513", 7},
		"string and number":      {ok + "deny contains {\"msg\": \"x\"} if input.limits.budget > \"5\"\n", "WF513", 5},
		"number and string":      {ok + "deny contains {\"msg\": \"x\"} if input.workflow.name == 5\n", "WF502", 5},
		"no such data":           {ok + "deny contains {\"msg\": \"x\"} if not data.allowed.models\n", "WF514", 5},
		"no such rule":           {ok + "deny contains {\"msg\": \"x\"} if not data.wf.other.fine\n", "WF514", 5},
		"misspelt field":         {ok + "deny contains {\"msg\": \"x\"} if input.limits.bugdet > 5\n", "WF515", 5},
		"misspelt nested field":  {ok + "deny contains {\"msg\": \"x\"} if {\n\tsome t in input.tickets\n\tt.scpoe\n}\n", "WF515", 7},
		"reads verdicts":         {ok + "deny contains {\"msg\": \"x\"} if input.policy.denials\n", "WF515", 5},
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			j, findings, err := judge(t, testPlan(), Options{}, project(r.text))
			require.ErrorIs(t, err, ErrUnevaluated)
			require.Zero(t, j)
			require.NotEmpty(t, findings)
			i := indexOf(findings, r.code)
			require.GreaterOrEqual(t, i, 0, "%v", findings)
			require.Equal(t, "policies/own.rego", findings[i].Range.File, findings[i].Detail)
			require.Equal(t, r.line, findings[i].Range.Start.Line, findings[i].Detail)
			require.NotEmpty(t, findings[i].Hint)
			for _, f := range findings {
				require.NotContains(t, f.Detail, "wf_entry_")
				require.Equal(t, r.code, f.Code, f.Detail)
			}
		})
	}
}

func indexOf(fs diag.Findings, code string) int {
	for i, f := range fs {
		if f.Code == code {
			return i
		}
	}
	return -1
}

// The compiler's limit of ten errors would end a list with one that has no place.
func TestAllErrorsAreTold(t *testing.T) {
	text := "package wf.own\n"
	for i := range 15 {
		text += fmt.Sprintf("\ndeny contains {\"msg\": \"x\"} if input.wrong%d\n", i)
	}
	_, findings, err := judge(t, testPlan(), Options{}, project(text))
	require.ErrorIs(t, err, ErrUnevaluated)
	require.Len(t, findings, 15)
}

func TestLayerWithoutRules(t *testing.T) {
	for name, src := range map[string]LayerSource{
		"no files":   {Name: LayerOrganisation},
		"only data":  {Name: LayerOrganisation, Files: []File{{Path: "policies/x.json", Data: []byte("{}")}}},
		"only tests": {Name: LayerOrganisation, Files: []File{{Path: "policies/x_test.rego", Data: []byte("package wf.x_test\n\ntest_x if true\n")}}},
		"helpers":    project("package wf.own\n\na if b\n\nb if true\n"),
	} {
		_, findings, err := judge(t, testPlan(), Options{}, src)
		require.ErrorIs(t, err, ErrUnevaluated, name)
		require.NotEmpty(t, findings, name)
	}
	_, _, err := judge(t, testPlan(), Options{}, LayerSource{Name: "team"})
	require.ErrorContains(t, err, "no layer")
}

func TestData(t *testing.T) {
	reads := "package wf.own\n\ndeny contains {\"msg\": m} if some m in data.names\n\nwarn contains {\"msg\": \"chat\"} if data.modes.chat\n"
	j, _, err := judge(t, testPlan(), Options{}, BuiltIn(), project(reads, File{Path: "policies/names.json", Data: []byte(`["b", "a"]`)}))
	require.NoError(t, err)
	require.Len(t, j.Denials, 2)
	require.Equal(t, "a", j.Denials[0].Msg)
	require.Len(t, j.Warns, 1)
	for name, f := range map[string]File{
		"broken":          {Path: "policies/names.json", Data: []byte(`{`)},
		"bad name":        {Path: "policies/My-Names.json", Data: []byte(`[]`)},
		"of the built-in": {Path: "policies/modes.json", Data: []byte(`{}`)},
	} {
		_, findings, err := judge(t, testPlan(), Options{}, BuiltIn(), project(reads, f, File{Path: "policies/b/names.json", Data: []byte(`[]`)}))
		require.ErrorIs(t, err, ErrUnevaluated, name)
		require.Contains(t, codesOf(findings), "WF508", name)
	}
}

// An inner layer adds and never lifts, whatever names it takes. POL-20
func TestLayersOnlyTighten(t *testing.T) {
	plan := testPlan()
	plan.Effects = append(plan.Effects, planner.EffectUse{Effect: "audit.writable", Tier: "shared", By: []string{"builder"}})
	own := `package wf.audit

ask contains {"msg": "mine", "from": "release"}

except contains {"rule": "wf.audit.ask", "reason": "mine alone", "until": "2030-01-01"}
`
	j, findings, err := judge(t, plan, Options{}, project(own), BuiltIn())
	require.NoError(t, err)
	require.Len(t, j.Asks, 1)
	require.Equal(t, "built-in", j.Asks[0].Layer)
	require.Equal(t, "security", j.Asks[0].From)
	require.Equal(t, []string{"built-in", "project"}, []string{j.Layers[0].Name, j.Layers[1].Name})
	require.Contains(t, codesOf(findings), "WF523")
}

func TestExceptions(t *testing.T) {
	text := func(level, until, rule string) string {
		return fmt.Sprintf("package wf.own\n\ndeny contains {\"msg\": \"no\", \"code\": \"OWN-1\", \"level\": %q, \"node\": \"T-001\"}\n\nexcept contains {\"rule\": %q, \"reason\": \"agreed\", \"until\": %q}\n", level, rule, until)
	}
	rows := map[string]struct {
		text   string
		date   string
		denied bool
		code   string
	}{
		"in force":         {text("soft", "2027-01-15", "wf.own.deny"), "", false, "WF523"},
		"by code":          {text("soft", "2027-01-15", "OWN-1"), "", false, "WF523"},
		"over at plan":     {text("soft", "2027-01-14", "wf.own.deny"), "", true, "WF524"},
		"over at apply":    {text("soft", "2027-01-15", "wf.own.deny"), "2027-01-16T00:00:00Z", true, "WF524"},
		"never for hard":   {text("hard", "2030-01-01", "wf.own.deny"), "", true, "WF525"},
		"of nothing":       {text("soft", "2030-01-01", "OWN-2"), "", true, "WF526"},
		"of another node":  {strings.Replace(text("soft", "2030-01-01", "OWN-1"), `"reason"`, `"node": "report", "reason"`, 1), "", true, "WF526"},
		"of the same node": {strings.Replace(text("soft", "2030-01-01", "OWN-1"), `"reason"`, `"node": "T-001", "reason"`, 1), "", false, "WF523"},
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			j, findings, err := judge(t, testPlan(), Options{Date: r.date}, project(r.text))
			require.NoError(t, err)
			require.Equal(t, r.denied, len(j.Denials) == 1)
			require.Equal(t, !r.denied, len(j.Warns) == 1, "whoever approves sees that a rule was lifted")
			require.Contains(t, codesOf(findings), r.code)
		})
	}
}

// Both sides of a change judge it; equal ones do so once.
func TestBaseAndHead(t *testing.T) {
	base := project("package wf.own\n\ndeny contains {\"msg\": \"base says no\"}\n")
	head := project("package wf.own\n\nwarn contains {\"msg\": \"head says maybe\"}\n")
	j, _, err := judge(t, testPlan(), Options{}, base, head, base)
	require.NoError(t, err)
	require.Len(t, j.Layers, 2)
	require.Len(t, j.Denials, 1)
	require.Len(t, j.Warns, 1)
}

const endless = `package wf.own

deny contains {"msg": "x"} if {
	some a in numbers.range(1, 100000)
	some b in numbers.range(1, 100000)
	a * b == -1
}
`

func TestDeadline(t *testing.T) {
	_, findings, err := judge(t, testPlan(), Options{Timeout: 50 * time.Millisecond}, project(endless))
	require.ErrorIs(t, err, ErrUnevaluated)
	require.Equal(t, []string{"WF509"}, codesOf(findings))
	require.Contains(t, findings[0].Detail, "deadline")
}

func TestMemoryBound(t *testing.T) {
	hungry := "package wf.own\n\ndeny contains {\"msg\": \"x\"} if {\n\tl := [s | some i in numbers.range(1, 100000); s := sprintf(\"%010000d\", [i])]\n\tcount(l) == 0\n}\n"
	_, findings, err := judge(t, testPlan(), Options{Memory: 32 << 20, Timeout: time.Minute}, project(hungry))
	require.ErrorIs(t, err, ErrUnevaluated)
	require.Equal(t, []string{"WF509"}, codesOf(findings))
	require.Contains(t, findings[0].Detail, "memory")
}

// Same plan, same policies, same bytes.
func TestDeterministic(t *testing.T) {
	var first string
	for range 12 {
		j, findings, err := judge(t, testPlan(), Options{}, project(fourKinds), BuiltIn())
		require.NoError(t, err)
		raw, err := json.Marshal(j)
		require.NoError(t, err)
		got := string(raw) + fmt.Sprint(findings)
		if first == "" {
			first = got
		}
		require.Equal(t, first, got)
	}
}

func TestJudgeRefusesWhatIsNoPlan(t *testing.T) {
	for _, doc := range []string{"", "[]", `{"policy":{}}`, "{"} {
		_, _, err := Judge(context.Background(), []byte(doc), testPlan(), []LayerSource{BuiltIn()}, Options{})
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrUnevaluated)
	}
	_, _, err := judge(t, testPlan(), Options{Date: "yesterday"}, BuiltIn())
	require.Error(t, err)
	_, _, err = judge(t, testPlan(), Options{Schema: []byte("{")}, BuiltIn())
	require.Error(t, err)
}

func TestPureBuiltins(t *testing.T) {
	for _, b := range pureCapabilities().Builtins {
		require.False(t, b.Nondeterministic, b.Name)
		for _, prefix := range []string{"http.", "net.", "rand.", "uuid.", "opa.", "io.jwt", "providers.", "crypto.x509", "time.now", "time.clock", "time.date", "time.format", "trace", "json.match_schema", "json.verify_schema"} {
			require.False(t, strings.HasPrefix(b.Name, prefix), b.Name)
		}
	}
	require.NotNil(t, pureCapabilities().AllowNet, "nil would let a schema be fetched from anywhere")
}

func TestAutoApprove(t *testing.T) {
	amount := func(layer, text string) LayerSource {
		return LayerSource{Name: layer, Files: []File{{Path: "policies/auto_approve.json", Data: []byte(text)}}}
	}
	rows := []struct {
		name    string
		sources []LayerSource
		want    planner.Money
	}{
		{"built-in", nil, 0},
		{"organisation sets", []LayerSource{amount(LayerOrganisation, `{"model_call": 5}`)}, 5},
		{"project lowers", []LayerSource{amount(LayerProject, `{"model_call": 2}`), amount(LayerOrganisation, `{"model_call": 5}`)}, 2},
		{"project cannot raise", []LayerSource{amount(LayerProject, `{"model_call": 9}`), amount(LayerOrganisation, `{"model_call": 5}`)}, 5},
	}
	for _, r := range rows {
		got, err := AutoApprove(r.sources)
		require.NoError(t, err)
		require.Equal(t, r.want, got.ModelCall, r.name)
	}
	_, err := AutoApprove([]LayerSource{amount(LayerProject, `{"model_call": "all"}`)})
	require.ErrorIs(t, err, ErrUnevaluated)
	_, err = AutoApprove([]LayerSource{amount(LayerProject, `{"model_call": -1}`)})
	require.ErrorIs(t, err, ErrUnevaluated)
	_, findings, err := judge(t, testPlan(), Options{}, BuiltIn(), project("package wf.own\n\nwarn contains {\"msg\": \"x\"} if data.auto_approve.model_call > 1\n", amount(LayerProject, `{"model_call": 2}`).Files...))
	require.NoError(t, err)
	require.Equal(t, []string{"WF522"}, codesOf(findings))
}

func TestRunnerReports(t *testing.T) {
	rule := File{Path: "p/own.rego", Data: []byte("package wf.own\n\ndeny contains {\"msg\": \"x\"} if {\n\tinput.limits.budget > 5\n}\n\nwarn contains {\"msg\": \"y\"} if {\n\tinput.limits.budget > 9\n\tinput.limits.units > 9\n}\n")}
	good := File{Path: "p/own_test.rego", Data: []byte("package wf.own_test\n\nimport data.wf.own\n\ntest_deny if count(own.deny) == 1 with input as {\"limits\": {\"budget\": 6}}\n\ntest_fails if count(own.deny) == 1 with input as {\"limits\": {\"budget\": 5}}\n")}
	report, err := Test(context.Background(), []File{rule, good}, "")
	require.NoError(t, err)
	require.Empty(t, report.Findings)
	require.Len(t, report.Cases, 2)
	require.True(t, report.Cases[0].Passed)
	require.False(t, report.Cases[1].Passed)
	require.False(t, report.Passed())
	require.False(t, report.Covered())
	require.Equal(t, "p/own.rego", report.Files[0].File)
	require.NotEmpty(t, report.Files[0].Missed)

	report, err = Test(context.Background(), []File{rule}, "")
	require.NoError(t, err)
	require.False(t, report.Passed(), "no test is no success")

	report, err = Test(context.Background(), []File{{Path: "p/x.rego", Data: []byte("package wf.x\n\ndeny contains {\"msg\": \"x\"} if input.nowhere\n")}}, "")
	require.NoError(t, err)
	require.Equal(t, []string{"WF515"}, codesOf(report.Findings))
	require.False(t, report.Passed())
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(fourKinds), []byte(`{"a": 1}`))
	f.Add([]byte("package wf.own\n\ndeny contains {\"msg\": \"x\"} if every r in input.roles { r.mode == data.x[r.name] }\n"), []byte("[]"))
	f.Fuzz(func(t *testing.T, rego, data []byte) {
		findings, err := Check([]LayerSource{project(string(rego), File{Path: "policies/x.json", Data: data})}, nil)
		require.NoError(t, err)
		for _, f := range findings {
			require.NotEmpty(t, f.Range.File)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{1, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			plan := testPlan()
			for i := range n {
				id := fmt.Sprintf("T-%06d", i+10)
				plan.Tickets = append(plan.Tickets, planner.Ticket{ID: id, Address: id, Stages: []planner.Stage{{Mode: "chat", Writes: "scope"}, {Mode: "review", Writes: "none"}}})
				plan.Agents = append(plan.Agents, planner.Agent{Name: "b@" + id, Ticket: id, Mode: "chat", Effects: []string{"fs.write"}})
				plan.Edges = append(plan.Edges, planner.Edge{From: "T-001", To: id, Why: "reference"})
			}
			doc := unjudged(b, plan)
			for b.Loop() {
				_, _, err := Judge(context.Background(), doc, plan, []LayerSource{BuiltIn()}, Options{Timeout: time.Minute})
				require.NoError(b, err)
			}
		})
	}
}
