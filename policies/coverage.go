package policies

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
)

// coverageOf adds to the report what the tests reached of each rule file.
func (t *testRun) coverageOf(report *TestReport) {
	lines := t.coverage.Report(t.modules)
	places := t.sides.places(t.compiler)
	for _, file := range slices.Sorted(maps.Keys(t.modules)) {
		if strings.HasSuffix(file, "_test.rego") {
			continue
		}
		reached, missed := linesOf(lines.Files[file])
		fc := FileCoverage{File: file, Percent: percent(len(reached), len(reached)+len(missed)), Missed: missed}
		for _, r := range t.modules[file].Rules {
			fc.Rules = append(fc.Rules, coverageOfRule(file, t.modules[file], r, reached, missed, places))
		}
		report.Files = append(report.Files, fc)
		report.lines += len(reached) + len(missed)
		report.reached += len(reached)
	}
}

func linesOf(r *cover.FileReport) (reached, missed []int) {
	if r == nil {
		return nil, []int{}
	}
	spread := func(ranges []cover.Range) []int {
		out := []int{}
		for _, at := range ranges {
			for row := at.Start.Row; row <= at.End.Row; row++ {
				out = append(out, row)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	return spread(r.Covered), spread(r.NotCovered)
}

func coverageOfRule(file string, m *ast.Module, r *ast.Rule, reached, missed []int, places map[exprPlace]Side) RuleCoverage {
	first, last := r.Location.Row, lastRow(r)
	within := func(rows []int) []int {
		return slices.DeleteFunc(slices.Clone(rows), func(row int) bool { return row < first || row > last })
	}
	hit, gone := within(reached), within(missed)
	return RuleCoverage{
		Name: packageOf(m) + "." + nameOf(r.Head.Ref()[0].Value), Line: first,
		Percent: percent(len(hit), len(hit)+len(gone)), Missed: gone, OneSided: oneSided(file, r, places),
	}
}

// lastRow is the last line of a rule, its else branches included.
func lastRow(r *ast.Rule) int {
	last := r.Location.Row + strings.Count(strings.TrimRight(string(r.Location.Text), "\n"), "\n")
	ast.WalkExprs(r, func(e *ast.Expr) bool {
		if e.Location != nil {
			last = max(last, e.Location.Row)
		}
		return false
	})
	return last
}
