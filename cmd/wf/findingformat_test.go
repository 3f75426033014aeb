package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/view"
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// everything is what all pages' wrong examples show, and what is hard to write.
func everything(t *testing.T) diag.Findings {
	codes, err := diag.Pages()
	require.NoError(t, err)
	var all diag.Findings
	for _, code := range codes {
		if tree := example(t, code, "Wrong"); tree != nil && (code < "WF5" || code > "WF6") {
			all = append(all, check(t, code, beside(code, tree))...)
		}
	}
	require.Greater(t, len(all), 150)
	r := diag.Range{File: "odd, name:ü%\n.yaml", Start: diag.Pos{Line: 3, Column: 0}, End: diag.Pos{Line: 2}}
	return append(all,
		diag.Finding{Code: "WF999", Severity: diag.Note, Summary: "no place"},
		diag.Finding{Code: "WF999", Severity: diag.Warning, Summary: "a file", Range: diag.Range{File: "wf.yaml"}, Related: []diag.Related{{Range: diag.Range{File: "a b.yaml"}, Message: "x"}}},
		diag.Finding{Code: "WF999", Severity: diag.Error, Summary: "odd", Detail: "a\n::error::b\r%\x1b[1m\u202e", Hint: "do", Range: r, Edit: &diag.Edit{Range: r, NewText: "a\nb"}},
	)
}

func held(t *testing.T, schema string, text []byte) {
	t.Helper()
	file, err := os.ReadFile(schema)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	require.NoError(t, c.AddResource("schema.json", doc))
	compiled, err := c.Compile("schema.json")
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(value))
}

// Every finding of every page is good SARIF 2.1.0 by the standard's own schema,
// and good JSON by ours; so are none at all. (PLAN-13)
func TestFindingFormatsKeepTheirSchemas(t *testing.T) {
	for _, fs := range []diag.Findings{everything(t), nil} {
		var sarif, own bytes.Buffer
		require.NoError(t, view.SARIF(&sarif, fs, "1.2.3"))
		held(t, filepath.Join(root, "testdata", "sarif-2.1.0.schema.json"), sarif.Bytes())
		require.NoError(t, view.FindingsJSON(&own, fs))
		held(t, filepath.Join(root, "schema", "findings.schema.json"), own.Bytes())
		require.Equal(t, len(fs.Sorted()), strings.Count(sarif.String(), `"ruleIndex"`))
	}
}

// One line a finding, in the order of file, line, column and code, each once.
func TestFindingLinesAreOneEach(t *testing.T) {
	all := everything(t)
	all = append(all, all...)
	lineForm := regexp.MustCompile(`^(\S.*:\d+:\d+: |\S+: |)(error|warning|note) WF\d{3}: \S`)
	hubForm := regexp.MustCompile(`^::(error|warning|notice) (file=[^,:\n]+,)?(line=\d+,col=[1-9]\d*,)?(end(Line|Column)=\d+,)?title=WF\d{3} [^,:]+::\S?`)
	var one, hub bytes.Buffer
	view.OneLine(&one, all)
	view.GitHub(&hub, all)
	for form, text := range map[*regexp.Regexp]string{lineForm: one.String(), hubForm: hub.String()} {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		require.Len(t, lines, len(all.Sorted()))
		for _, line := range lines {
			require.Regexp(t, form, line)
			require.NotContains(t, line, "\x1b")
		}
	}
	require.Less(t, len(all.Sorted()), len(all))
}
