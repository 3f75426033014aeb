package planner

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl"
)

var (
	definition = regexp.MustCompile(`Define\("(WF\d+)", diag\.\w+, "([^"]+)"\)`)
	yamlFence  = regexp.MustCompile("(?s)## (Wrong|Right)\n\n```yaml\n(.*?)```")
)

// Every code has a page, its wrong example shows it, and its right one does not.
func TestPages(t *testing.T) {
	for _, file := range []string{"codes.go", "planfile/codes.go"} {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range definition.FindAllStringSubmatch(string(source), -1) {
			t.Run(m[1], func(t *testing.T) {
				page, err := os.ReadFile(filepath.Join("..", "dsl", "diag", "pages", m[1]+".md"))
				require.NoError(t, err)
				require.True(t, strings.HasPrefix(string(page), "# "+m[1]+": "+m[2]+"\n"))
				require.Contains(t, string(page), "\nWhy: ")
				require.Contains(t, string(page), "\n## Wrong\n")
				require.Contains(t, string(page), "\n## Right\n")
				for _, example := range yamlFence.FindAllStringSubmatch(string(page), -1) {
					if strings.HasPrefix(example[2], "# file: ") {
						continue // of several files, which the test of testdata/findings reads
					}
					require.Equal(t, example[1] == "Wrong", shows(t, m[1], example[2]), example[1])
				}
			})
		}
	}
}

func shows(t *testing.T, code, text string) bool {
	t.Helper()
	files := fstest.MapFS{workflowPath: {Data: []byte(text)}}
	for _, part := range strings.Split("\n"+text, "\n# file: ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		files[name] = &fstest.MapFile{Data: []byte(body + "\n")}
	}
	w, found := dsl.Load(workflowPath, files, dsl.Settings{})
	require.Empty(t, texts(errorsOf(found)))
	_, found = Make(Request{Workflow: w})
	for _, f := range found {
		if f.Code == code {
			return true
		}
	}
	return false
}
