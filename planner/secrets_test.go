package planner

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// Spelled in two parts, so that no scanner of repositories finds one here.
var leaks = map[string]string{
	"an AWS access key": "AK" + "IAQ3EGZ7AAAABBBBCC", "a GitHub token": "gh" + "p_" + strings.Repeat("a1B2", 9), "a Slack token": "xox" + "b-" + strings.Repeat("12-ab", 6),
	"an Anthropic key": "sk-" + "ant-" + strings.Repeat("x_9-", 10), "a private key": "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + strings.Repeat("QUJD", 16),
}

func TestAPlanHoldsNoSecret(t *testing.T) { // POL-24
	const text = `wf: 1
name: try
limits: {budget: 1 USD}
inputs: {goal: {type: string, default: ""}}
roles: {a: {mode: review, agent: replay, budget: 0.1 USD, instructions: roles/a.md}}
tickets: {one: {role: a, brief: "${{ inputs.goal }}"}}
`
	for kind, leak := range leaks {
		files := fstest.MapFS{workflowPath: {Data: []byte(text)}, "roles/a.md": {Data: []byte("Look.\n  with " + leak + "\n")}}
		p, found := Make(requestAt(t, workflowPath, files))
		require.Nil(t, p)
		require.Equal(t, []string{"WF453"}, codes(found))
		require.Equal(t, "roles/a.md", found[0].Range.File)
		require.Equal(t, 2, found[0].Range.Start.Line)
		require.Contains(t, found[0].Detail, kind)
		require.NotContains(t, texts(found)[0], leak, "the finding does not repeat it")

		files["roles/a.md"] = &fstest.MapFile{Data: []byte("Look.")}
		req := requestAt(t, workflowPath, files, "goal=see "+leak)
		p, found = Make(req)
		require.Nil(t, p)
		require.Equal(t, []string{"WF453"}, codes(found))
		require.Len(t, SecretsIn([]byte(`{"a":"`+strings.ReplaceAll(leak, "\n", `\n`)+`"}`)), 1, "as JSON writes it: %s", kind)
	}
	for _, fine := range []string{"AK" + "IAIOSFODNN7EXAMPLE", "ghp_ is how tokens begin", "xAK" + "IAQ3EGZ7AAAABBBBCC", "-----BEGIN " + "PRIVATE KEY----- alone", "", "sk-ant-", "task-ant-colony"} {
		_, _, ok := FindSecret([]byte(fine))
		require.False(t, ok, fine)
	}
}

func TestABranchInTheWayIsAnError(t *testing.T) {
	req := request(t, changeable)
	req.Facts.InTheWay = []string{"wf/try"}
	_, found := Make(req)
	require.Contains(t, codes(found), "WF452")
	require.Contains(t, strings.Join(texts(found), " "), "git branch -m wf/try wf-try-old")
}

func TestDiskIsOneTreeForEachTicketThatWrites(t *testing.T) {
	req := request(t, changeable)
	req.Bytes = 1000
	p, _ := Make(req)
	require.Equal(t, Bound{5000, declares}, p.Bounds.Disk, "three children and two tickets write")
}
