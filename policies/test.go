package policies

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// TestReport is what the tests beside the rules say.
type TestReport struct {
	Cases    []TestCase
	Files    []FileCoverage // of the rule files, tests left out
	Findings diag.Findings  // what kept the tests from running
	lines    int            // that can be evaluated, of all files
	reached  int
}

// TestCase is one test_ rule.
type TestCase struct {
	Package string `json:"package"` // wf.width_test
	Name    string `json:"name"`    // test_at_the_guideline
	File    string `json:"file"`
	Line    int    `json:"line"`
	Passed  bool   `json:"passed"`
	Skipped bool   `json:"skipped"` // todo_test_
	Output  string `json:"output"`  // what it printed
	Error   string `json:"error"`
}

// FileCoverage says what of a rule file the tests reached.
type FileCoverage struct {
	File    string         `json:"file"`
	Percent float64        `json:"percent"` // of the lines that can be evaluated
	Missed  []int          `json:"missed"`  // lines not reached, ascending
	Rules   []RuleCoverage `json:"rules"`
}

// RuleCoverage says the same of one rule; a rule of several bodies is several.
type RuleCoverage struct {
	Name     string  `json:"rule"` // wf.width.warn
	Line     int     `json:"line"`
	Percent  float64 `json:"percent"`
	Missed   []int   `json:"missed"`
	OneSided []Side  `json:"oneSided"` // conditions that were not seen both true and false
}

// Passed reports whether tests ran, all of them passed and nothing kept one from running.
func (r TestReport) Passed() bool {
	return len(r.Cases) > 0 && !r.Findings.HasErrors() && !slices.ContainsFunc(r.Cases, func(c TestCase) bool { return !c.Passed && !c.Skipped })
}

// Covered reports whether the tests reached every line of every rule.
func (r TestReport) Covered() bool {
	return !slices.ContainsFunc(r.Files, func(f FileCoverage) bool { return len(f.Missed) > 0 })
}

// BothWays reports whether the tests saw every condition hold and not hold.
func (r TestReport) BothWays() bool {
	return !slices.ContainsFunc(r.Files, func(f FileCoverage) bool {
		return slices.ContainsFunc(f.Rules, func(rc RuleCoverage) bool { return len(rc.OneSided) > 0 })
	})
}

// Percent is the share of lines reached, of all files together. 100 where
// nothing can be reached.
func (r TestReport) Percent() float64 { return percent(r.reached, r.lines) }

func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}

// Test runs the *_test.rego among files against the rules and data among
// them, with OPA's runner and the compiler that Judge uses. lent are files whose
// data the tests may read, such as the built-in layer's. Where only is given,
// only tests whose full name (wf.x_test.test_y) matches that expression run.
func Test(ctx context.Context, files []File, only string, lent ...File) (TestReport, error) {
	var report TestReport
	modules, data := testModules(files, lent, &report)
	if report.Findings.HasErrors() {
		report.Findings = report.Findings.Sorted()
		return report, nil
	}
	tree, err := schemaTree(nil)
	if err != nil {
		return TestReport{}, err
	}
	compiler := newCompiler(tree).WithEnablePrintStatements(true)
	if compiler.Compile(copies(modules)); compiler.Failed() {
		report.Findings = compileFindings(compiler.Errors).Sorted()
		return report, nil
	}
	run := testRun{modules: modules, compiler: newCompiler(tree), coverage: cover.New(), only: only}
	if err := run.tests(ctx, data, &report); err != nil {
		return TestReport{}, fmt.Errorf("running policy tests: %w", err)
	}
	run.coverageOf(&report)
	return report, nil
}

func testModules(files, lent []File, report *TestReport) (map[string]*ast.Module, map[string]any) {
	rules := parseData(lent)
	own := parseData(files)
	maps.Copy(rules.data, own.data)
	report.Findings = append(report.Findings, own.findings...)
	modules := map[string]*ast.Module{}
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".rego") {
			continue
		}
		m, err := parseModule(f)
		if err != nil {
			report.Findings = append(report.Findings, parseFindings(f, err)...)
			continue
		}
		if m != nil {
			modules[f.Path] = m
		}
	}
	return modules, rules.data
}

func parseData(files []File) *layer {
	l := &layer{modules: map[string]*ast.Module{}, data: map[string]any{}}
	for _, f := range files {
		if strings.HasSuffix(f.Path, ".json") {
			l.readData(f)
		}
	}
	return l
}

func copies(modules map[string]*ast.Module) map[string]*ast.Module {
	out := map[string]*ast.Module{}
	for name, m := range modules {
		out[name] = m.Copy()
	}
	return out
}

const oneTest = 5 * time.Second

// testRun is one run of the tests, and what it needs afterwards.
type testRun struct {
	modules  map[string]*ast.Module
	compiler *ast.Compiler
	coverage *cover.Cover
	only     string
	sides    *sides
}

func (t *testRun) tests(ctx context.Context, data map[string]any, report *TestReport) error {
	store := inmem.NewFromObject(data)
	txn, err := store.NewTransaction(ctx, storage.WriteParams)
	if err != nil {
		return err
	}
	defer store.Abort(ctx, txn)
	results, err := tester.NewRunner().SetCompiler(t.compiler).SetStore(store).SetModules(t.modules).SetDefaultRegoVersion(ast.RegoV1).
		SetCoverageQueryTracer(t.coverage).RaiseBuiltinErrors(true).CapturePrintOutput(true).SetParallel(1).SetTimeout(oneTest).Filter(t.only).RunTests(ctx, txn)
	if err != nil {
		return err
	}
	for r := range results {
		report.Cases = append(report.Cases, caseOf(r))
	}
	slices.SortFunc(report.Cases, func(a, b TestCase) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Name, b.Name))
	})
	t.sides, err = runSides(ctx, t.compiler, store, txn)
	return err
}

func caseOf(r *tester.Result) TestCase {
	c := TestCase{Package: strings.TrimPrefix(r.Package, "data."), Name: r.Name, Passed: r.Pass(), Skipped: r.Skip, Output: string(r.Output)}
	if r.Location != nil {
		c.File, c.Line = r.Location.File, r.Location.Row
	}
	if r.Error != nil {
		c.Error = r.Error.Error()
	}
	return c
}
