package planner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl"
)

// The language knows every tool that has a tier.
func TestToolsAreKnown(t *testing.T) {
	for _, tool := range tools {
		require.Contains(t, dsl.ToolNames, tool.name)
	}
	require.Empty(t, dsl.MisspeltTool(tools[0].name))
}
