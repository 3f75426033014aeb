package diag_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// declared lists the codes that the module declares with diag.Define, with
// their summaries and the file each stands in.
func declared(t *testing.T) map[string][2]string {
	out := map[string][2]string{}
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if code, summary, ok := define(n); ok {
				require.Empty(t, out[code][1], "%s is declared in %s and in %s", code, out[code][1], path)
				out[code] = [2]string{summary, path}
			}
			return true
		})
		return nil
	}))
	return out
}

func define(n ast.Node) (code, summary string, ok bool) {
	call, is := n.(*ast.CallExpr)
	if !is || len(call.Args) != 3 {
		return "", "", false
	}
	name, is := call.Fun.(*ast.SelectorExpr)
	if !is || name.Sel.Name != "Define" {
		return "", "", false
	}
	first, a := call.Args[0].(*ast.BasicLit)
	last, b := call.Args[2].(*ast.BasicLit)
	if !a || !b {
		return "", "", false
	}
	code, errCode := strconv.Unquote(first.Value)
	summary, errSummary := strconv.Unquote(last.Value)
	return code, summary, errCode == nil && errSummary == nil && strings.HasPrefix(code, "WF")
}

// Each code has a page under its summary, and each page a code. (PLAN-13)
func TestEveryCodeHasItsPage(t *testing.T) {
	codes := declared(t)
	require.Greater(t, len(codes), 200)
	pages, err := diag.Pages()
	require.NoError(t, err)
	for _, code := range pages {
		require.Contains(t, codes, code, "the page %s.md explains a code that nothing declares", code)
	}
	for code, at := range codes {
		page, err := diag.Page(code)
		require.NoError(t, err, "%s of %s has no page", code, at[1])
		require.True(t, strings.HasPrefix(page, "# "+code+": "+at[0]+"\n\n"), "%s.md begins otherwise than %s says", code, at[1])
		for _, part := range []string{"\n\nWhy: ", "\n## Wrong\n\n```", "\n## Right\n\n```"} {
			require.Equal(t, 1, strings.Count(page, part), "%s.md: %q", code, part)
		}
		require.Zero(t, strings.Count(page, "\n```")%2, "%s.md: a fence stays open", code)
	}
}

// A code is written in the block of its package, so that two packages cannot take one.
func TestCodesStandInTheirBlocks(t *testing.T) {
	blocks := map[string][]string{
		"WF0": {"dsl/syntax"}, "WF1": {"dsl", "materializer/agent/replay"}, "WF2": {"dsl/expr"}, "WF3": {"dsl"},
		"WF4": {"planner", "planner/planfile"}, "WF5": {"policies", "planner/approval"}, "WF6": {"cmd/wf/internal/verb"}, "WF7": {"dsl"},
	}
	for code, at := range declared(t) {
		folder, err := filepath.Rel(filepath.Join("..", ".."), filepath.Dir(at[1]))
		require.NoError(t, err)
		require.Contains(t, blocks[code[:3]], filepath.ToSlash(folder), code)
	}
}
