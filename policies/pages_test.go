package policies

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const pages = "../dsl/diag/pages"

// fence gives the text block under a heading of a findings page.
func fence(t *testing.T, page, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n## "+heading+"\n\n```text\n")
	require.True(t, ok, heading)
	text, _, ok := strings.Cut(rest, "\n```\n")
	require.True(t, ok, heading)
	return text + "\n"
}

// policyFiles reads a fence: one rule file, or several behind `-- path --` lines.
func policyFiles(text string) []File {
	if !strings.HasPrefix(text, "-- ") {
		return []File{{Path: "policies/own.rego", Data: []byte(text)}}
	}
	var out []File
	for _, part := range strings.Split("\n"+text, "\n-- ")[1:] {
		name, body, _ := strings.Cut(part, " --\n")
		out = append(out, File{Path: name, Data: []byte(body + "\n")})
	}
	return out
}

// declared lists the codes of this package with their summaries, from codes.go.
func declared(t *testing.T) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	require.NoError(t, err)
	out := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 3 {
			out[unquote(call.Args[0])] = unquote(call.Args[2])
		}
		return true
	})
	require.NotEmpty(t, out)
	return out
}

func unquote(e ast.Expr) string {
	return strings.Trim(e.(*ast.BasicLit).Value, `"`)
}

// Every code has its page; the wrong example shows the finding and the right one does not.
func TestPages(t *testing.T) {
	for code, summary := range declared(t) {
		t.Run(code, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(pages, code+".md"))
			require.NoError(t, err)
			page := string(raw)
			require.True(t, strings.HasPrefix(page, "# "+code+": "+summary+"\n\n"), page)
			require.Contains(t, page, "\n\nWhy: ")
			require.Contains(t, judgedCodes(t, fence(t, page, "Wrong")), code)
			right := judgedCodes(t, fence(t, page, "Right"))
			require.NotContains(t, right, code)
			for _, c := range right {
				require.GreaterOrEqual(t, c, "WF520", "the right example is evaluated")
			}
		})
	}
}

func judgedCodes(t *testing.T, text string) []string {
	t.Helper()
	plan := testPlan()
	_, findings, err := Judge(context.Background(), unjudged(t, plan), plan, []LayerSource{{Name: LayerProject, Files: policyFiles(text)}}, Options{})
	if err != nil {
		require.ErrorIs(t, err, ErrUnevaluated)
	}
	return codesOf(findings)
}
