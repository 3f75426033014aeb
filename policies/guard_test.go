package policies

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// No policy takes a unit's verbs away, and each may take everything else. MODE-11, MODE-12
func TestSilences(t *testing.T) {
	for _, rule := range []string{
		"submit_outputs", "ask_operator", "mcp__wf__submit_outputs", "mcp__wf__ask_operator(*)", "mcp__wf__*", "mcp__*", "mcp__wf__sub*",
		"mcp__wf__submit_plan", "mcp__wf__propose_orchestration", "mcp__wf__finalize_review",
		"Bash(wf *)", "Bash(wf:*)", "Bash(wf unit *)", "Bash(wf unit submit_outputs*)", "Bash(*unit*)", "Bash(w*)",
	} {
		_, _, ok := guardTool(rule)
		require.True(t, ok, rule)
		require.NotEmpty(t, silences(rule), rule)
	}
	for _, rule := range []string{"Bash", "Bash(*)", "Bash(wf apply*)", "Bash(wf approve *)", "Bash(git push *)", "mcp__github__*", "Edit(src/**)", "WebFetch(domain:example.org)", "Agent(model:opus)"} {
		_, _, ok := guardTool(rule)
		require.True(t, ok, rule)
		require.Empty(t, silences(rule), rule)
	}
	for _, rule := range []string{"", "Bash(", "Bash()", "Ba sh", "*", "Bas*", "(x)"} {
		_, _, ok := guardTool(rule)
		require.False(t, ok, rule)
	}
}
