package main_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// TestSchemasAreFresh holds schema/ to what the code says.
func TestSchemasAreFresh(t *testing.T) {
	for _, name := range []string{"workflow", "settings", "replay"} {
		want, err := verb.Schema(name)
		require.NoError(t, err)
		path := filepath.Join(root, "schema", name+".schema.json")
		if *update {
			require.NoError(t, os.WriteFile(path, want, 0o644))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "schema/%s.schema.json is not what the code says; run make generate", name)
	}
}

func compiledSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := verb.Schema(name)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	require.NoError(t, c.AddResource(name, doc))
	out, err := c.Compile(name)
	require.NoError(t, err)
	return out
}

// kindOfYAML says which schema a file is held to; "" for other files.
func kindOfYAML(name string) string {
	switch {
	case strings.HasSuffix(name, ".wf.yaml"):
		return "workflow"
	case strings.HasSuffix(name, ".replay.yaml"):
		return "replay"
	case filepath.Base(name) == "wf.yaml":
		return "settings"
	}
	return ""
}

// TestSchemasAcceptExamples: whatever wf accepts, an editor's YAML server accepts.
func TestSchemasAcceptExamples(t *testing.T) {
	seen := map[string]int{}
	schemas := map[string]*jsonschema.Schema{}
	for _, kind := range []string{"workflow", "settings", "replay"} {
		schemas[kind] = compiledSchema(t, kind)
	}
	accept := func(where, name, text string) {
		kind := kindOfYAML(name)
		if kind == "" {
			return
		}
		value, ok := yamlValue(text)
		if !ok {
			return
		}
		seen[kind]++
		require.NoError(t, schemas[kind].Validate(value), "%s, %s:\n%s", where, name, text)
	}
	for _, p := range yamlFiles(t) {
		if s := filepath.ToSlash(p); strings.Contains(s, "testdata/tired/") || strings.Contains(s, "/wrong/") {
			continue // wrong on purpose; TestSchemasRejectWrongExamples has theirs
		}
		data, err := os.ReadFile(p)
		require.NoError(t, err)
		accept(p, p, string(data))
	}
	for _, p := range pages(t) {
		for _, b := range p.blocks(t) {
			_, wrong := b.note("wrong")
			_, fragment := b.note("fragment")
			if file, ok := b.note("file"); ok && !wrong {
				accept(p.name, file, b.text)
			} else if b.lang == "yaml" && isWorkflow(b) && !wrong && !fragment {
				accept(p.name, "a.wf.yaml", b.text)
			}
		}
	}
	eachExample(t, "Right", func(code, name, text string) { accept(code, name, text) })
	require.Greater(t, seen["workflow"], 100)
	require.Positive(t, seen["settings"])
	require.Positive(t, seen["replay"])
}

// structural are the findings that are about shapes alone: their wrong examples
// are wrong for a schema too.
var structural = []string{"WF101", "WF102", "WF103", "WF104", "WF105", "WF333", "WF701", "WF703", "WF704", "WF180", "WF181"}

// TestSchemasRejectWrongExamples: unknown keys, wrong kinds, missing fields.
func TestSchemasRejectWrongExamples(t *testing.T) {
	rejected := map[string]bool{}
	eachExample(t, "Wrong", func(code, name, text string) {
		kind := kindOfYAML(name)
		value, ok := yamlValue(text)
		if kind == "" || !ok {
			return
		}
		rejected[code] = rejected[code] || compiledSchema(t, kind).Validate(value) != nil
	})
	for _, code := range structural {
		if was, there := rejected[code]; there {
			require.True(t, was, "the schema accepts the wrong example of %s", code)
		}
	}
	require.Contains(t, rejected, "WF101")
}

// TestSchemaRejects holds one wrong shape after the other against a workflow that is right.
func TestSchemaRejects(t *testing.T) {
	const right = `wf: 1
name: a
limits: {budget: 5 USD, units: 3, timeout: 1h30m}
inputs:
  goal: {type: string, min_length: 1}
  short: string
roles:
  dev: {mode: chat, network: none, tools: {allow: [Edit]}}
pipelines:
  build:
    - {stage: work, role: dev, writes: scope, gates: tests}
tickets:
  t:
    pipeline: build
    needs: u
    scope: ["src/**"]
    when: ${{ inputs.goal != "" }}
    max: ${{ 3 }}
    budget: $2
    brief: |
      Do ${{ inputs.goal }}.
    gates:
      - {name: tests, run: go test ./..., min_tests: 1}
    acceptance: [It works and all that.]
    outputs: {n: int}
  u: {role: dev, brief: 1.10}
`
	schema := compiledSchema(t, "workflow")
	check := func(text string) error {
		value, ok := yamlValue(text)
		require.True(t, ok, "%s", text)
		return schema.Validate(value)
	}
	require.NoError(t, check(right))
	for was, is := range map[string]string{
		"wf: 1":                                  "wf: 2",
		"name: a\n":                              "",
		"budget: 5 USD":                          "budget: 5",
		"units: 3":                               "units: three",
		"timeout: 1h30m":                         "timeout: 90",
		"min_length: 1":                          "min_lenght: 1",
		"{type: string, min_length: 1}":          "{min_length: 1}",
		"short: string":                          "short: [string]",
		"mode: chat":                             "mode: chatty",
		"tools: {allow: [Edit]}":                 "tools: [Edit]",
		"allow: [Edit]":                          "allow: Edit",
		"stage: work, ":                          "",
		"writes: scope":                          "writes: {a: b}",
		"    pipeline: build":                    "    pipline: build",
		"scope: [\"src/**\"]":                    "scope: src/**",
		"when: ${{ inputs.goal != \"\" }}":       "when: sometimes",
		"max: ${{ 3 }}":                          "max: 3${{ 3 }}",
		"budget: $2":                             "budget: two",
		"brief: |\n      Do ${{ inputs.goal }}.": "needs_review: true",
		"min_tests: 1":                           "min_tests: \"1\"",
		"acceptance: [It works and all that.]":   "acceptance: It works.",
		"outputs: {n: int}":                      "outputs: [n]",
		"role: dev, brief":                       "role: \"${{ inputs.goal }}\", brief",
		"  t:\n":                                 "  my-ticket:\n",
		"tickets:\n":                             "tickets_:\n",
	} {
		require.Contains(t, right, was)
		require.Error(t, check(strings.Replace(right, was, is, 1)), "%q instead of %q", is, was)
	}
}

// eachExample gives the files of every example of the pages of findings.
func eachExample(t *testing.T, heading string, visit func(code, name, text string)) {
	t.Helper()
	fence := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	codes, err := diag.Pages()
	require.NoError(t, err)
	for _, code := range codes {
		page, err := diag.Page(code)
		require.NoError(t, err)
		_, after, _ := strings.Cut(page, "\n## "+heading+"\n")
		after, _, _ = strings.Cut(after, "\n## ")
		m := fence.FindStringSubmatch(after)
		if m == nil {
			continue
		}
		if !strings.HasPrefix(m[1], "# file: ") {
			name := "a.wf.yaml"
			if !strings.Contains(m[1], "wf: ") && strings.Contains(m[1], "agents:") {
				name = "a.replay.yaml"
			}
			visit(code, name, m[1])
			continue
		}
		for _, part := range strings.Split("\n"+m[1], "\n# file: ")[1:] {
			name, body, _ := strings.Cut(part, "\n")
			visit(code, strings.TrimSpace(name), body+"\n")
		}
	}
}

// yamlFiles are the files of the repository that a schema exists for.
func yamlFiles(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, p := range []string{"workflows", "testdata"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, p), func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && kindOfYAML(path) != "" && !strings.Contains(path, string(filepath.Separator)+"wrong") {
				out = append(out, path)
			}
			return err
		}))
	}
	require.NotEmpty(t, out)
	return out
}

// yamlValue reads YAML as editors do, by the core schema of YAML 1.2; false for
// what has errors.
func yamlValue(text string) (any, bool) {
	node, found := syntax.Parse("a.yaml", []byte(text))
	if found.HasErrors() || node == nil {
		return nil, false
	}
	return coreValue(node), true
}

func coreValue(n *syntax.Node) any {
	switch n.Kind {
	case syntax.Mapping:
		out := map[string]any{}
		for _, e := range n.Entries {
			out[e.Key.Value] = coreValue(e.Value)
		}
		return out
	case syntax.Sequence:
		out := []any{}
		for _, item := range n.Items {
			out = append(out, coreValue(item))
		}
		return out
	case syntax.Null:
		return nil
	}
	if n.Style == syntax.Plain {
		switch n.Value {
		case "true", "false":
			return n.Value == "true"
		}
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f
		}
	}
	return n.Value
}
