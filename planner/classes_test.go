package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The classes of fault that only the graph shows, in several places of the
// language: each at its place («»), saying what to type.
func TestGraphClasses(t *testing.T) {
	cases := []struct{ class, code, tickets, says string }{
		{"cycle", "WF405", "  x: {role: a, needs: [«y»], brief: hi}\n  y: {role: a, needs: [x], brief: hi}\n", "Take one of these edges out."},
		{"cycle", "WF405", "  x: {role: a, brief: \"${{ «tickets.y.outputs.t» }}\", outputs: {t: string}}\n  y: {role: a, brief: \"${{ tickets.x.outputs.t }}\", outputs: {t: string}}\n", "x → y → x"},
		{"cycle", "WF405", "  x: {role: a, when: \"${{ «tickets.z.status» == 'done' }}\", brief: hi}\n  y: {role: a, needs: [x], brief: hi}\n  z: {role: a, needs: [{ticket: y, until: settled}], brief: hi}\n", "x → z → y → x"},
		{"cycle", "WF405", "  x: {for_each: \"${{ «tickets.y.outputs.l» }}\", max: 2, role: a, brief: hi}\n  y: {role: a, brief: \"${{ toJSON(tickets.x) }}\", outputs: {l: \"list<slug>\"}}\n", "x → y → x"},
		{"parallel writes", "WF430", "  x: {role: w, scope: [«\"a/**\"], brief: hi}\n  y: {role: w, scope: [\"a/b/*\"], brief: hi}\n", "let one need the other"},
		{"parallel writes", "WF430", "  x: {for_each: [p, q], role: w, scope: [«\"a/**\"], brief: \"${{ each.value }}\"}\n", "narrow"},
		{"parallel writes", "WF430", "  x: {matrix: {os: [p, q]}, role: w, scope: [«\"**/*.go\"], brief: \"${{ matrix.os }}\"}\n", "Part their scopes"},
		{"parallel writes", "WF430", "  z: {role: a, brief: hi}\n  x: {role: w, needs: [z], scope: [«\"a/{b,c}.go\"], brief: hi}\n  y: {role: w, needs: [z], scope: [\"**/c.go\"], brief: hi}\n", "a/c.go"},
	}
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s", i, c.class), func(t *testing.T) {
			text := headText + "tickets:\n" + c.tickets
			before, _, _ := strings.Cut(text, "«")
			_, found := Make(request(t, strings.NewReplacer("«", "", "»", "").Replace(text)))
			var said []string
			for _, f := range found {
				if f.Code != c.code {
					continue
				}
				said = append(said, f.Code)
				require.Equal(t, []int{1 + strings.Count(before, "\n"), len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1}, []int{f.Range.Start.Line, f.Range.Start.Column}, "%v", f)
				require.Contains(t, f.Detail+" "+f.Hint, c.says)
			}
			require.Len(t, said, 1, "%v", texts(found))
		})
	}
}
