package dsl

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// ruleMatrix: rows of include and exclude name axes of the matrix.
func ruleMatrix(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if t.Matrix == nil {
			continue
		}
		var axes []string
		for _, a := range t.Matrix.Axes {
			axes = append(axes, a.Name)
		}
		for _, row := range slices.Concat(t.Matrix.Include, t.Matrix.Exclude) {
			for _, c := range row.Cells {
				if !slices.Contains(axes, c.Axis) {
					out = append(out, unknownWord(codeMatrixCell, c.Axis, c.Range, fmt.Sprintf("the matrix has no axis `%s`.", c.Axis), axes))
				}
			}
		}
		out = append(out, halfRows(t, axes)...)
	}
	return out
}

// halfRows: a row that is included gives every axis a value.
func halfRows(t *Ticket, axes []string) diag.Findings {
	var out diag.Findings
	for _, row := range t.Matrix.Include {
		for _, axis := range axes {
			if !slices.ContainsFunc(row.Cells, func(c MatrixCell) bool { return c.Axis == axis }) {
				out = append(out, codeMatrixCell.At(row.Range, fmt.Sprintf("the included row has no value for axis `%s`.", axis), "Give it one."))
			}
		}
	}
	return out
}
