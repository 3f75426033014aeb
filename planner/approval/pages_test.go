package approval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Every code has its page; the wrong example shows the finding and the right one does not.
func TestPages(t *testing.T) {
	for _, code := range []diag.Code{
		codeOperatorLine, codeOperatorOption, codeOperatorName, codeOperatorKey, codeOperatorTwice, codeOperatorGroups, codeOperatorsNone,
	} {
		t.Run(code.ID, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("../../dsl/diag/pages", code.ID+".md"))
			require.NoError(t, err)
			page := string(raw)
			require.True(t, strings.HasPrefix(page, "# "+code.ID+": "+code.Summary+"\n\n"), page)
			require.Contains(t, page, "\n\nWhy: ")
			_, findings := ParseOperators("policies/operators", []byte(fence(t, page, "Wrong")))
			require.NotEmpty(t, findings)
			require.Equal(t, code.ID, findings[0].Code)
			ops, findings := ParseOperators("policies/operators", []byte(fence(t, page, "Right")))
			require.Empty(t, findings)
			require.False(t, ops.Empty())
		})
	}
}

func fence(t *testing.T, page, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n## "+heading+"\n\n```text\n")
	require.True(t, ok, heading)
	text, _, ok := strings.Cut(rest, "\n```\n")
	require.True(t, ok, heading)
	return text + "\n"
}
