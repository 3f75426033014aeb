package dsl

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// pageCodes are this package's codes, read from the source that defines them.
func pageCodes(t *testing.T) map[string]diag.Severity {
	source, err := os.ReadFile("codes.go")
	require.NoError(t, err)
	severities := map[string]diag.Severity{"Error": diag.Error, "Warning": diag.Warning, "Note": diag.Note}
	codes := map[string]diag.Severity{}
	for _, m := range regexp.MustCompile(`Define\("(WF\d+)", diag\.(\w+), "([^"]+)"\)`).FindAllStringSubmatch(string(source), -1) {
		require.NotContains(t, codes, m[1], "defined twice")
		codes[m[1]] = severities[m[2]]
		page := page(t, m[1])
		require.True(t, strings.HasPrefix(page, "# "+m[1]+": "+m[3]+"\n"), "%s: the title is not the code's summary %q", m[1], m[3])
	}
	require.NotEmpty(t, codes)
	return codes
}

func page(t *testing.T, code string) string {
	data, err := os.ReadFile(filepath.Join("diag", "pages", code+".md"))
	require.NoError(t, err)
	return string(data)
}

var fence = regexp.MustCompile("(?s)```(yaml|text)\n(.*?)```")

// example returns the fence under a heading, and whether it is YAML.
func example(t *testing.T, page, heading string) (string, bool) {
	_, after, ok := strings.Cut(page, "\n## "+heading+"\n")
	require.True(t, ok, "no section %s", heading)
	m := fence.FindStringSubmatch(after)
	require.NotNil(t, m, "no fence under %s", heading)
	return m[2], m[1] == "yaml"
}

// pageFiles are the files that examples may name.
func pageFiles() fstest.MapFS {
	return fstest.MapFS{
		"roles/judge.md":        {Data: []byte("Judge the work.\n")},
		".claude/agents/qa.md":  {Data: []byte("---\nname: qa\ndescription: Tests things\ntools: Read, Grep\nmodel: sonnet\n---\nYou test.\n")},
		".claude/agents/odd.md": {Data: []byte("---\nname: odd\ndescription: Odd\nmood: sunny\n---\nYou are odd.\n")},
		"docs/plain.md":         {Data: []byte("No front matter.\n")},
		"roles/huge.md":         {Data: []byte(strings.Repeat("x", maxInstructions+1))},
	}
}

// loadExample loads an example: one workflow, or several files each under a
// line `# file: PATH`.
func loadExample(text string) diag.Findings {
	files := pageFiles()
	workflow := "workflows/example.wf.yaml"
	if !strings.HasPrefix(text, "# file: ") {
		files[workflow] = &fstest.MapFile{Data: []byte(text)}
	}
	for _, part := range strings.Split("\n"+text, "\n# file: ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		files[name] = &fstest.MapFile{Data: []byte(body + "\n")}
		if strings.HasSuffix(name, Suffix) {
			workflow = name
		}
	}
	settings, found := LoadSettings(workflow, files)
	_, more := Load(workflow, files, settings)
	return slices.Concat(found, more)
}

func codesOf(found diag.Findings, severity diag.Severity) []string {
	var out []string
	for _, f := range found {
		if f.Severity <= severity {
			out = append(out, f.Code)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestEveryCodeHasAPageWhoseExamplesAreTrue(t *testing.T) {
	for code, severity := range pageCodes(t) {
		t.Run(code, func(t *testing.T) {
			text := page(t, code)
			require.Contains(t, text, "\nWhy: ")
			wrong, yaml := example(t, text, "Wrong")
			right, _ := example(t, text, "Right")
			if !yaml {
				return
			}
			bad, good := loadExample(wrong), loadExample(right)
			if severity == diag.Error {
				require.Equal(t, []string{code}, codesOf(bad, diag.Error), "wrong example: %v", bad)
			} else {
				require.Empty(t, codesOf(bad, diag.Error), "wrong example: %v", bad)
				require.Contains(t, codesOf(bad, diag.Note), code, "wrong example: %v", bad)
			}
			require.Empty(t, codesOf(good, diag.Error), "right example: %v", good)
			require.NotContains(t, codesOf(good, diag.Note), code, "right example: %v", good)
			for _, f := range bad {
				if f.Code == code {
					require.NotZero(t, f.Range.Start.Line, "a finding in a file has a place")
					require.NotEmpty(t, f.Detail)
				}
			}
		})
	}
}

func TestEveryPageIsOfACode(t *testing.T) {
	codes := pageCodes(t)
	pages, err := filepath.Glob("diag/pages/WF[137]*.md")
	require.NoError(t, err)
	for _, p := range pages {
		code := strings.TrimSuffix(filepath.Base(p), ".md")
		if code >= "WF180" && code < "WF200" {
			continue // replay scripts, which materializer/agent/replay reads
		}
		require.Contains(t, codes, code)
	}
}
