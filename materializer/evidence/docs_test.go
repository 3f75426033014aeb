package evidence

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/stretchr/testify/require"
)

// Every example of the page on gates is a valid part of a ticket.
func TestGatesPageIsValid(t *testing.T) {
	page, err := os.ReadFile("../../docs/gates.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 3)
	for _, b := range blocks {
		text := `wf: 1
name: x
limits: {budget: 1 USD}
roles:
  builder: {mode: chat, agent: replay}
tickets:
  work:
    role: builder
    brief: Build it.
    scope: ["src/**"]
    ` + strings.ReplaceAll(strings.TrimSpace(b[1]), "\n", "\n    ") + "\n"
		w, found := dsl.Load("workflows/x.wf.yaml", fstest.MapFS{"workflows/x.wf.yaml": {Data: []byte(text)}}, dsl.Settings{})
		require.False(t, found.HasErrors(), "%v\n%s", found, text)
		require.NotEmpty(t, w.Tickets[0].Gates)
	}
	for name := range checks {
		require.Contains(t, string(page), "`"+name+"`")
	}
}
