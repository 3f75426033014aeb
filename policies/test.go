package policies

import (
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
}

// TestCase is one test_ rule.
type TestCase struct {
	Package string // wf.width_test
	Name    string // test_at_the_guideline
	File    string
	Line    int
	Passed  bool
	Skipped bool   // todo_test_
	Output  string // what it printed
	Error   string
}

// FileCoverage says which lines of a rule file no test reached.
type FileCoverage struct {
	File    string
	Percent float64
	Missed  []int // first lines of the stretches not reached, ascending
}

// Passed reports whether tests ran, all of them passed and nothing kept one from running.
func (r TestReport) Passed() bool {
	return len(r.Cases) > 0 && !r.Findings.HasErrors() && !slices.ContainsFunc(r.Cases, func(c TestCase) bool { return !c.Passed && !c.Skipped })
}

// Covered reports whether the tests reached every line of every rule.
func (r TestReport) Covered() bool {
	return !slices.ContainsFunc(r.Files, func(f FileCoverage) bool { return len(f.Missed) > 0 })
}

// Test runs the *_test.rego among files against the rules and data among
// them, with OPA's runner and the compiler that Judge uses. lent are files whose
// data the tests may read, such as the built-in layer's.
func Test(ctx context.Context, files []File, lent ...File) (TestReport, error) {
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
	coverage := cover.New()
	if err := runTests(ctx, modules, data, newCompiler(tree), coverage, &report); err != nil {
		return TestReport{}, err
	}
	report.Files = coverageOf(coverage, modules)
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

func runTests(ctx context.Context, modules map[string]*ast.Module, data map[string]any, compiler *ast.Compiler, coverage *cover.Cover, report *TestReport) error {
	store := inmem.NewFromObject(data)
	txn, err := store.NewTransaction(ctx, storage.WriteParams)
	if err != nil {
		return fmt.Errorf("running policy tests: %w", err)
	}
	defer store.Abort(ctx, txn)
	results, err := tester.NewRunner().SetCompiler(compiler).SetStore(store).SetModules(modules).SetDefaultRegoVersion(ast.RegoV1).
		SetCoverageQueryTracer(coverage).RaiseBuiltinErrors(true).CapturePrintOutput(true).SetParallel(1).SetTimeout(oneTest).RunTests(ctx, txn)
	if err != nil {
		return fmt.Errorf("running policy tests: %w", err)
	}
	for r := range results {
		report.Cases = append(report.Cases, caseOf(r))
	}
	slices.SortFunc(report.Cases, func(a, b TestCase) int {
		return strings.Compare(fmt.Sprintf("%s %09d %s", a.File, a.Line, a.Name), fmt.Sprintf("%s %09d %s", b.File, b.Line, b.Name))
	})
	return nil
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

func coverageOf(coverage *cover.Cover, modules map[string]*ast.Module) []FileCoverage {
	report := coverage.Report(modules)
	var out []FileCoverage
	for _, file := range slices.Sorted(maps.Keys(modules)) {
		if strings.HasSuffix(file, "_test.rego") {
			continue
		}
		fc := FileCoverage{File: file}
		if r := report.Files[file]; r != nil {
			fc.Percent = r.Coverage
			for _, gap := range r.NotCovered {
				fc.Missed = append(fc.Missed, gap.Start.Row)
			}
		}
		slices.Sort(fc.Missed)
		out = append(out, fc)
	}
	return out
}
