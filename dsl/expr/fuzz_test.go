package expr

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var seeds = []string{
	`${{ any(tickets.change, .status == "done") }}`,
	`${{ tickets.report.outputs.text ?? "nothing" }}`,
	`a ${{ inputs.budget * 2 }} b ${{ inputs.n / 3 }}`,
	`${{ filter(inputs.areas, .size != nil)[0].size + 1 }}`,
	`${{ {a: [1, 2.5], "b": inputs.on ? "x" : nil} }}`,
	`${{ tickets.report.outputs.area?.name ?? first(inputs.labels) ?? "" }}`,
	`${{ sum(map(inputs.areas, .size ?? 0)) % 3 ** 2 }}`,
	`${{ inputs.env[inputs.goal] ?? each.value.path }} ${{ matrix.os }}`,
	`${{ max(inputs.budget, money("3 USD")) }}`,
	`${{ unique(flatten([inputs.labels, keys(inputs.env)])) | sort() | join(",") }}`,
	`$ {{ x }} ${{ "}}" + '{{' }} ${{`,
	`${{ 1 < 2 < 3 ?: true }}`,
	`${{ find(inputs.sizes, # != nil and # > 0) ?? -1 }}`,
	`${{ not (inputs.goal matches "^a") && inputs.level in ["low"] }}`,
}

// What the checker accepts, the library accepts under strict types; every finding
// lies inside the scalar.
func FuzzParseCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	scope := fixture().Indexed()
	f.Fuzz(func(t *testing.T, text string) {
		_, found := check(text, scope, Type{})
		for _, x := range found {
			require.LessOrEqual(t, 0, x.Range.Start.Offset)
			require.LessOrEqual(t, x.Range.Start.Offset, x.Range.End.Offset)
			require.LessOrEqual(t, x.Range.End.Offset, len(text))
		}
		if found.HasErrors() {
			_, err := Compile(text, scope, Type{})
			if err == nil {
				require.Equal(t, "WF216", found[len(found)-1].Code, "only a constant that fails compiles")
			}
			return
		}
		_, err := Compile(text, scope, Type{})
		require.NoError(t, err)
	})
}

// An evaluation gives a value of the type that was inferred, twice the same, or an
// error that is not a hole in the checker.
func FuzzEval(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	scope := fixture().Indexed()
	vars := fixtureVars(f)
	f.Fuzz(func(t *testing.T, text string) {
		checked, found := check(text, scope, Type{})
		if found.HasErrors() {
			return
		}
		p, err := Compile(text, scope, Type{})
		require.NoError(t, err)
		v, err := p.Eval(vars)
		again, err2 := p.Eval(vars)
		require.Equal(t, v, again)
		require.Equal(t, err == nil, err2 == nil)
		if err != nil {
			for _, hole := range []string{"wrong operands", "interface conversion", "nil pointer", "cannot fetch", "invalid operation", "unknown kind"} {
				require.False(t, strings.Contains(err.Error(), hole), err.Error())
			}
			return
		}
		_, wrong := Conform(v, checked.Type)
		require.Empty(t, wrong, "%s is not %s", v, checked.Type)
	})
}
