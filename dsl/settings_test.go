package dsl

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

func mapFiles(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestSettingsOnlyTighten(t *testing.T) {
	files := mapFiles(map[string]string{
		"wf.yaml":              "repository: shop\nagent: claude\nlimits: {budget: 10 USD, concurrency: 4, width: medium}\ntools: {deny: [WebFetch], allow: [Edit, Write, Bash]}\nmodels: [sonnet, haiku]\nsandbox: landlock\nprotect: [\"deploy/**\"]\n",
		"services/api/wf.yaml": "agent: codex\nlimits: {budget: 2.5 USD, timeout: 30m, width: small}\ntools: {deny: [Task], allow: [Edit, Read]}\nmodels: [haiku, opus]\nprotect: [\"api/**\"]\n",
	})
	s, found := LoadSettings("services/api/workflows/x.wf.yaml", files)
	require.Empty(t, found)
	require.Equal(t, "shop", s.Repository)
	require.Equal(t, "codex", s.Agent)
	want := map[string]expr.Value{"budget": expr.Of("2.50 USD"), "concurrency": expr.Of(4), "timeout": expr.Of("30m"), "width": expr.Of("small")}
	require.Len(t, s.Limits, len(want))
	for name, value := range want {
		l, ok := s.Limit(name)
		require.True(t, ok)
		require.Equal(t, value, l.Value, name)
	}
	require.Equal(t, []string{"Task", "WebFetch"}, s.Deny)
	require.Equal(t, []string{"Edit"}, s.Allow)
	require.Equal(t, []string{"haiku"}, s.Models)
	require.Equal(t, []string{"api/**", "deploy/**"}, s.Protect)
	require.Equal(t, "landlock", s.Sandbox)
	require.Len(t, s.Sources, 2)

	root, found := LoadSettings("workflows/x.wf.yaml", files)
	require.Empty(t, found)
	require.Equal(t, "claude", root.Agent)
	require.Equal(t, []string{"haiku", "sonnet"}, root.Models)
}

func TestSettingsThatCannotBeRead(t *testing.T) {
	cases := map[string]string{
		"limits: {bugdet: 3 USD}\n":          "WF101",
		"limits: {budget: lots}\n":           "WF129",
		"limits: {budget: '${{ 1 }} USD'}\n": "WF116",
		"limits: 3\n":                        "WF103",
		"agent: cluade\n":                    "WF128",
		"tools: {deny: [Bsh]}\n":             "WF348",
		"sandbox: namespace\n":               "WF703",
		"organisation: {source: x}\n":        "WF102",
		"- a\n":                              "WF103",
	}
	for text, code := range cases {
		_, found := LoadSettings("workflows/x.wf.yaml", mapFiles(map[string]string{"wf.yaml": text}))
		require.Equal(t, []string{code}, codesOf(found, diag.Error), "%s: %v", text, found)
		require.Equal(t, "wf.yaml", found[0].Range.File)
	}
}

func TestAgentComesFromSettings(t *testing.T) {
	w, found := Load("workflows/x.wf.yaml", mapFiles(map[string]string{"workflows/x.wf.yaml": head + report}), Settings{Agent: "claude"})
	require.False(t, found.HasErrors(), "%v", found)
	agent, _ := w.Roles[0].Agent.Value.Str()
	require.Equal(t, "claude", agent)
	w, _ = load(head + report)
	agent, _ = w.Roles[0].Agent.Value.Str()
	require.Equal(t, "replay", agent)
}

// PLAN-14, NAME-02: Claude's own setting is read as width; the tighter one holds.
func TestSizeGuideline(t *testing.T) {
	cases := []struct{ yaml, claude, want, code string }{
		{"", `{"workflowSizeGuideline": "small", "hooks": {}}`, `"small"`, ""},
		{"", `{"workflowSizeGuideline": 7}`, `"7"`, ""},
		{"limits: {width: large}\n", `{"workflowSizeGuideline": "small"}`, `"small"`, ""},
		{"limits: {width: small}\n", `{"workflowSizeGuideline": "unlimited"}`, `"small"`, ""},
		{"", `{"workflowSizeGuideline": "huge"}`, "null", "WF104"},
		{"", `{"workflowSizeGuideline": [1]}`, "null", "WF104"},
		{"", `{"hooks": {}}`, "null", ""},
		{"", `not json`, "null", ""},
	}
	for _, c := range cases {
		files := mapFiles(map[string]string{"wf.yaml": c.yaml, ".claude/settings.json": c.claude})
		s, found := LoadSettings("workflows/x.wf.yaml", files)
		width, _ := s.Limit("width")
		require.Equal(t, c.want, width.Value.String(), c.claude)
		if c.code == "" {
			require.Empty(t, found, c.claude)
		} else {
			require.Equal(t, []string{c.code}, codesOf(found, diag.Error))
		}
	}
}
