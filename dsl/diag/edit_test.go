package diag_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

func edit(from, to int, text string) diag.Finding {
	r := diag.Range{File: "a", Start: diag.Pos{Offset: from}, End: diag.Pos{Offset: to}}
	return diag.Finding{Code: "WF101", Edit: &diag.Edit{Range: r, NewText: text}}
}

// Two edits that overlap are never both made.
func TestApply(t *testing.T) {
	for name, c := range map[string]struct {
		edits diag.Findings
		want  string
		made  int
	}{
		"none":                        {nil, "prompt: x", 0},
		"one":                         {diag.Findings{edit(0, 6, "brief")}, "brief: x", 1},
		"two, unsorted":               {diag.Findings{edit(8, 9, "y"), edit(0, 6, "brief")}, "brief: y", 2},
		"overlap":                     {diag.Findings{edit(0, 6, "brief"), edit(3, 8, "-")}, "brief: x", 1},
		"inside":                      {diag.Findings{edit(2, 3, "-"), edit(0, 6, "brief")}, "brief: x", 1},
		"touching":                    {diag.Findings{edit(0, 6, "brief"), edit(6, 7, " =")}, "brief = x", 2},
		"two insertions at one place": {diag.Findings{edit(0, 0, "a"), edit(0, 0, "b")}, "aprompt: x", 1},
		"insertion behind":            {diag.Findings{edit(9, 9, "\n")}, "prompt: x\n", 1},
		"outside":                     {diag.Findings{edit(5, 50, "-"), edit(-1, 2, "-"), edit(4, 2, "-")}, "prompt: x", 0},
		"another file":                {diag.Findings{{Code: "WF101", Edit: &diag.Edit{Range: diag.Range{File: "b"}}}}, "prompt: x", 0},
	} {
		data := []byte("prompt: x")
		got, made := c.edits.Apply("a", data)
		require.Equal(t, c.want, string(got), name)
		require.Len(t, made, c.made, name)
		require.Equal(t, "prompt: x", string(data), name)
	}
}

// What is inserted ends its lines as the file does.
func TestApplyKeepsLineEnds(t *testing.T) {
	got, _ := diag.Findings{edit(0, 0, "wf: 1\n")}.Apply("a", []byte("name: x\r\n"))
	require.Equal(t, "wf: 1\r\nname: x\r\n", string(got))
	got, _ = diag.Findings{edit(0, 0, "wf: 1\n")}.Apply("a", []byte("name: x\n"))
	require.Equal(t, "wf: 1\nname: x\n", string(got))
}
