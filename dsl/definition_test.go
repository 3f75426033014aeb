package dsl

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

func TestAgentDefinitionsInTheWild(t *testing.T) {
	cases := map[string]struct {
		front string
		allow []string
		model string
		notes []string
	}{
		"text of tools":     {"name: a\ndescription: d\ntools: Read, Edit, Bash(git log:*, git diff)\nmodel: opus\n", []string{"Read", "Edit", "Bash(git log:*, git diff)"}, "opus", nil},
		"list of tools":     {"name: a\ntools:\n  - Read\n  - Edit\n", []string{"Read", "Edit"}, "", nil},
		"inherit":           {"name: a\nmodel: inherit\ncolor: \"#12\"\n", nil, "", nil},
		"no yaml at all":    {"name: a\ndescription: Use this: always. <example>\\n\"hi: there\n  more: text\ntools: Read, Grep\nmodel: haiku\n", []string{"Read", "Grep"}, "haiku", nil},
		"unknown keys":      {"name: a\npermissionMode: plan\nmood: sunny\n", nil, "", []string{"WF120"}},
		"expression is not": {"name: a\nmodel: ${{ inputs.goal }}\n", nil, "$ {{ inputs.goal }}", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(head, "writer: {mode: chat}", "writer: {mode: chat, uses: .claude/agents/a.md}", 1) + report
			w, found := Load("workflows/x.wf.yaml", mapFiles(map[string]string{"workflows/x.wf.yaml": text, ".claude/agents/a.md": "---\r\n" + c.front + "---\nYou are it.\n"}), Settings{})
			require.False(t, found.HasErrors(), "%v", found)
			r := w.Roles[0]
			require.Equal(t, "You are it.\n", r.Text)
			var allow []string
			for _, s := range r.Allow {
				text, _ := s.Value.Str()
				allow = append(allow, text)
			}
			require.Equal(t, c.allow, allow)
			model, _ := r.Model.Value.Str()
			require.Equal(t, c.model, model)
			var notes []string
			for _, f := range found {
				if f.Range.File == ".claude/agents/a.md" {
					notes = append(notes, f.Code)
					line := strings.Split("---\n"+c.front, "\n")[f.Range.Start.Line-1]
					require.Contains(t, line, line[f.Range.Start.Column-1:f.Range.End.Column-1], "the place is in the file")
					require.Contains(t, f.Detail, line[f.Range.Start.Column-1:f.Range.End.Column-1])
				}
			}
			require.Equal(t, c.notes, notes)
		})
	}
}

func TestNearestAgentDefinitionByName(t *testing.T) {
	text := strings.Replace(head, "writer: {mode: chat}", "writer: {mode: chat, uses: qa}", 1) + report
	files := mapFiles(map[string]string{"services/api/workflows/x.wf.yaml": text, ".claude/agents/qa.md": "---\nname: qa\n---\nroot\n"})
	w, _ := Load("services/api/workflows/x.wf.yaml", files, Settings{})
	require.Equal(t, "root\n", w.Roles[0].Text)
	files["services/.claude/agents/qa.md"] = &fstest.MapFile{Data: []byte("---\nname: qa\n---\nnear\n")}
	w, _ = Load("services/api/workflows/x.wf.yaml", files, Settings{})
	require.Equal(t, "near\n", w.Roles[0].Text)
}

// A file without front matter, or with one that does not end, is instructions.
func TestDefinitionWithoutFrontMatter(t *testing.T) {
	for _, data := range []string{"You are it.\n", "---\nname: a\nYou are it.\n", "---", "", "\ufeffYou are it.\n", "--- \n"} {
		w, found := defined(data)
		require.Empty(t, codesOf(found, diag.Error), "%q: %v", data, found)
		require.Contains(t, codesOf(found, diag.Note), "WF119", "%q", data)
		require.Equal(t, strings.TrimPrefix(data, "\ufeff"), w.Roles[0].Text)
	}
}

func defined(data string) (*Workflow, diag.Findings) {
	text := strings.Replace(head, "writer: {mode: chat}", "writer: {mode: chat, uses: .claude/agents/a.md}", 1) + report
	return Load("workflows/x.wf.yaml", mapFiles(map[string]string{"workflows/x.wf.yaml": text, ".claude/agents/a.md": data}), Settings{})
}

// Whatever stands in an agent definition, it is read: it is not wf's file, and
// no oddity of it stops a workflow.
func FuzzDefinition(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ndescription: \"Use this: always. <example>\\n\\nuser: \\\"hi\\\"</example>\"\ntools: Read, Grep, Bash(git log:*)\nmodel: inherit\n---\nText\n",
		"---\r\nname: a\r\ntools:\r\n  - Read\r\n  - \"Bash(go test:*)\"\r\ncolor: #ff0000\r\n---\r\nText\r\n",
		"---\npermissionMode: acceptEdits\nskills: [a, b]\nhooks:\n  PreToolUse:\n    - matcher: Bash\n---\n", "no front matter", "---\n---\n", "---\n: :\n\t- x\n---\nx", "---\nmodel: [a]\ntools: {a: b}\n---\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		w, found := defined(data)
		require.NotNil(t, w)
		for _, e := range found {
			require.NotEqual(t, diag.Error, e.Severity, "%v", e)
		}
	})
}
