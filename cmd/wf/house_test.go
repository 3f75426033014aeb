package main_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/seed9cc7a46e/wf/"

// imports is the house: for each package, the packages of this module that its
// production code may import. A package that is missing here, an import that
// is missing here, and a row that is no longer needed all fail. As in Go's own
// go/build/deps_test.go, the table is the documentation.
var imports = map[string][]string{
	"dsl/diag":   {},
	"dsl/glob":   {},
	"dsl/syntax": {"dsl/diag"},
	"dsl/expr":   {"dsl/diag"},
	"dsl":        {"dsl/diag", "dsl/expr", "dsl/glob", "dsl/syntax"},

	"dsl/format": {"dsl/diag", "dsl/syntax"},
	"dsl/schema": {"dsl"},

	"planner/graph":        {},
	"planner/graph/layout": {},
	"planner":              {"dsl", "dsl/diag", "dsl/expr", "dsl/glob", "planner/graph"},
	"planner/planfile":     {"dsl/diag", "dsl/expr", "planner"},
	"planner/approval":     {"dsl/diag", "planner"},
	"policies":             {"dsl", "dsl/diag", "dsl/expr", "dsl/glob", "planner"},
	"workflows":            {},

	"materializer/process":          {},
	"materializer/sandbox":          {"materializer/process"},
	"materializer/worktree":         {"materializer/process"},
	"materializer/evidence":         {"dsl/glob", "materializer/evidence/gocache", "materializer/process", "materializer/sandbox", "materializer/worktree", "planner"},
	"materializer/evidence/gocache": {},
	"materializer/ticket":           {},
	"materializer/agent":            {"planner"},
	"materializer/agent/replay":     {"dsl/diag", "dsl/syntax", "materializer/agent", "materializer/process", "planner"},
	"materializer/agent/command":    {"materializer/agent"},
	"materializer/guard":            {"dsl/glob", "materializer/guard/hook"},
	"materializer/guard/hook":       {},
	"materializer/run":              {"dsl/expr", "dsl/glob", "materializer/ticket", "planner"},
	"materializer/run/journal":      {},
	"materializer/run/report":       {"materializer/run", "planner"},
	"materializer/run/local": {"materializer/agent", "materializer/evidence", "materializer/guard", "materializer/guard/hook", "materializer/process", "materializer/run", "materializer/run/journal",
		"materializer/sandbox", "materializer/ticket", "materializer/worktree", "planner"},

	"cmd/wf":                   {"cmd/wf/internal/command"},
	"cmd/wf-hook":              {"materializer/guard/hook"},
	"cmd/wf/internal/statedir": {"materializer/process"},
	"cmd/wf/internal/view":     {"dsl/diag", "materializer/evidence", "materializer/run", "materializer/run/report", "planner", "planner/graph/layout", "policies"},
	"cmd/wf/internal/lsp":      {"cmd/wf/internal/verb", "dsl", "dsl/diag", "dsl/expr", "dsl/format", "dsl/syntax", "materializer/agent/replay"},
	"cmd/wf/internal/command": {"cmd/wf/internal/lsp", "cmd/wf/internal/verb", "cmd/wf/internal/view", "dsl/diag", "materializer/agent/replay", "materializer/evidence/gocache", "materializer/guard/hook", "materializer/run/report",
		"materializer/sandbox", "planner"},
	"cmd/wf/internal/verb": {"cmd/wf/internal/statedir", "dsl", "dsl/diag", "dsl/expr", "dsl/format", "dsl/schema", "dsl/syntax", "materializer/agent", "materializer/agent/command",
		"materializer/agent/replay", "materializer/evidence", "materializer/process", "materializer/run", "materializer/run/journal",
		"materializer/run/local", "materializer/run/report", "materializer/sandbox", "materializer/worktree", "planner", "planner/approval",
		"planner/planfile", "policies", "workflows"},
}

// TestHouseImports holds the direction of dependencies (design: the house).
func TestHouseImports(t *testing.T) {
	for pkg, got := range packages(t) {
		want, known := imports[pkg]
		require.True(t, known, "package %s has no row in the table: decide what it may import", pkg)
		for _, imp := range got.imports {
			if rest, ours := strings.CutPrefix(imp, module); ours {
				require.Contains(t, want, rest, "%s imports %s, which its row does not allow", pkg, rest)
			}
		}
		for _, w := range want {
			require.Contains(t, got.imports, module+w, "%s is allowed to import %s and does not: take the row out", pkg, w)
		}
	}
}

// TestHouseEffects holds what only some rooms may do.
func TestHouseEffects(t *testing.T) {
	only := map[string]func(pkg string) bool{
		"os/exec":                          func(pkg string) bool { return pkg == "materializer/process" },
		"github.com/open-policy-agent/opa": func(pkg string) bool { return pkg == "policies" },
		"github.com/spf13/cobra":           func(pkg string) bool { return pkg == "cmd/wf/internal/command" },
		"math/rand":                        func(string) bool { return false },
		"math/rand/v2":                     func(string) bool { return false },
	}
	for pkg, got := range packages(t) {
		for _, imp := range got.imports {
			for what, allowed := range only {
				if imp == what || strings.HasPrefix(imp, what+"/") {
					require.True(t, allowed(pkg), "%s imports %s, which is not its to import", pkg, imp)
				}
			}
		}
	}
}

// TestHouseWords holds that nothing below cmd prints, exits, or reads globals,
// and that the pure rooms have no clock.
func TestHouseWords(t *testing.T) {
	never := []string{"os.Exit(", "fmt.Print", "os.Getenv(", "os.LookupEnv(", "os.Environ(", "os.Stdout", "os.Stderr", "log.Print", "log.Fatal"}
	pure := []string{"dsl", "dsl/diag", "dsl/expr", "dsl/format", "dsl/glob", "dsl/schema", "dsl/syntax", "planner", "planner/graph", "planner/graph/layout", "planner/planfile", "materializer/run", "materializer/run/report", "materializer/ticket"}
	for pkg, got := range packages(t) {
		if strings.HasPrefix(pkg, "cmd/") {
			continue
		}
		for _, file := range got.files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, word := range never {
				require.NotContains(t, code(string(text)), word, "%s: only cmd prints, exits and reads the environment", file)
			}
			if slices.Contains(pure, pkg) {
				require.NotContains(t, code(string(text)), "time.Now(", "%s is pure: it has no clock", file)
			}
		}
	}
}

// TestHouseStart holds that no room compiles an expression as the program begins:
// each hook, each sandbox and each scripted agent is a start of wf.
func TestHouseStart(t *testing.T) {
	early := regexp.MustCompile(`(?m)^(?:var |\t)\w+\s*= regexp\.MustCompile.*|^\t\{.*regexp\.MustCompile.*`)
	for _, got := range packages(t) {
		for _, file := range got.files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Empty(t, early.FindString(string(text)), "%s: compile it when it is first asked, by sync.OnceValue", file)
		}
	}
}

// TestHouseNames holds that no room is called by what it lacks: a subject.
func TestHouseNames(t *testing.T) {
	for pkg := range packages(t) {
		for _, part := range strings.Split(pkg, "/") {
			require.NotContains(t, []string{"util", "utils", "common", "helpers", "misc", "shared", "lib"}, part, pkg)
		}
	}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			require.Contains(t, []string{"cmd", "dsl", "planner", "materializer", "policies", "workflows", "testdata", "schema", "docs", "bin", "dist"}, e.Name(), "top-level folder")
		}
	}
}

var root = filepath.Join("..", "..")

type source struct {
	files   []string
	imports []string
}

// packages reads the production files of every package in the module, all platforms together.
func packages(t *testing.T) map[string]source {
	t.Helper()
	out := map[string]source{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		s := out[filepath.ToSlash(rel)]
		s.files = append(s.files, path)
		for _, imp := range file.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			if !slices.Contains(s.imports, name) {
				s.imports = append(s.imports, name)
			}
		}
		out[filepath.ToSlash(rel)] = s
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, out)
	return out
}

// code is the text without its line comments, so that a comment may name what it forbids.
func code(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		before, _, _ := strings.Cut(line, "//")
		b.WriteString(before + "\n")
	}
	return b.String()
}
