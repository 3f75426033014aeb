package expr

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/expr-lang/expr/types"
	"github.com/stretchr/testify/require"
)

// The traps of the expression library, one test each. Each would pass silently
// through the library as it is.

func evaluate(t *testing.T, text string) (Value, error) {
	t.Helper()
	p, err := Compile(text, fixture(), Type{})
	require.NoError(t, err, text)
	return p.Eval(fixtureVars(t))
}

func TestTrapIntegersDoNotWrap(t *testing.T) {
	for _, text := range []string{
		fmt.Sprintf("${{ %d + inputs.n }}", math.MaxInt64),
		fmt.Sprintf("${{ -%d - inputs.n }}", math.MaxInt64),
		fmt.Sprintf("${{ %d * inputs.n }}", math.MaxInt64/2),
		"${{ int(1e30 * inputs.n) }}",
		"${{ round(1e300 * inputs.n) }}",
		"${{ sum([9223372036854775807, inputs.n]) }}",
		`${{ inputs.budget * 9223372036854775807 }}`,
		`${{ inputs.wait * 1e300 }}`,
		"${{ -(-9223372036854775807 - 1) + inputs.n }}",
		"${{ (-9223372036854775807 - 1) * (inputs.n - 4) }}",
	} {
		_, err := evaluate(t, text)
		require.ErrorContains(t, err, "does not fit 64 bits", text)
	}
	for _, text := range []string{"${{ inputs.n ** 1e9 }}", "${{ 1e308 * 1e308 * inputs.n }}", "${{ (0-1.5) ** (inputs.n - 2.5) }}"} {
		p, err := Compile(text, fixture(), Type{})
		require.NoError(t, err, text)
		_, err = p.Eval(fixtureVars(t))
		require.ErrorContains(t, err, "not a finite number", text)
	}
	v, err := evaluate(t, "${{ (-9223372036854775807 - 1) % (inputs.n - 4) }}")
	require.NoError(t, err)
	require.Equal(t, "0", v.String())
	v, err = evaluate(t, "${{ -9223372036854775807 - 1 + inputs.n * 0 }}")
	require.NoError(t, err)
	require.Equal(t, "-9223372036854775808", v.String())
}

func TestTrapNestingIsCountedBeforeParsing(t *testing.T) {
	for _, text := range []string{
		"${{ " + strings.Repeat("(", 33) + "1" + strings.Repeat(")", 33) + " }}",
		"${{ " + strings.Repeat("[", 2000) + "1" + strings.Repeat("]", 2000) + " }}",
		"${{ " + strings.Repeat("x", maxSource) + " }}",
		"${{ [" + strings.Repeat("1,", 2020) + "1] }}",
	} {
		_, found := Parse(text, offsets)
		require.Len(t, found, 1, text[:20])
		require.Equal(t, "WF211", found[0].Code)
	}
	hidden := "${{ /* ' */ " + strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000) + " /* ' */ }}"
	_, found := Parse(hidden, offsets)
	require.Equal(t, []string{"WF207"}, codes(found))
	// Deep without brackets: bounded by the length.
	for _, op := range []string{"!", "not "} {
		v, err := evaluate(t, "${{ "+strings.Repeat(op, 1000)+"inputs.on }}")
		require.NoError(t, err)
		require.Equal(t, "true", v.String())
	}
}

// The library puts one node at two places for a < b < c and a ?: b; every walk of
// its own over such a tree, nested, takes exponential time.
func TestTrapSharedNodesAreRefused(t *testing.T) {
	elvis := "true"
	chain := "1"
	for range 30 {
		elvis = "(" + elvis + " ?: true)"
		chain = "(1 < " + chain + " < 2)"
	}
	for _, text := range []string{"${{ " + elvis + " }}", "${{ " + chain + " }}"} {
		_, found := check(text, fixture(), Type{})
		require.NotEmpty(t, found)
		require.Equal(t, "WF207", found[0].Code)
	}
}

func TestTrapLoopsAndTextsAreBounded(t *testing.T) {
	long := make([]Value, 10_000)
	for i := range long {
		long[i] = Of(fmt.Sprint("label", i))
	}
	vars := Vars{Inputs: OfMap([]Entry{{"labels", OfList(long)}, {"goal", Of(strings.Repeat("a", 100_000))}})}
	for _, text := range []string{
		`${{ any(inputs.labels, any(inputs.labels, any(inputs.labels, # == "x"))) }}`,
		`${{ count(inputs.labels, # in inputs.labels) }}`,
		`${{ map(inputs.labels, inputs.goal + inputs.goal) }}`,
		`${{ replace(inputs.goal, "a", inputs.goal) }}`,
		`${{ any(inputs.labels, inputs.goal matches "(a|b)*c") }}`,
		`${{ any(inputs.labels, upper(inputs.goal) == "x") }}`,
		`${{ any(inputs.labels, len(sort(inputs.labels)) == 0) }}`,
		`${{ map(inputs.labels, map(inputs.labels, 1)) }}`,
	} {
		p, err := Compile(text, fixture(), Type{})
		require.NoError(t, err, text)
		_, err = p.Eval(vars)
		require.ErrorContains(t, err, "budget", text)
	}
	_, found := check("${{ any([1], any([1], any([1], any([1], any([1], true))))) }}", fixture(), Type{})
	require.Equal(t, []string{"WF211"}, codes(found))
}

func codes(found interface{ HasErrors() bool }) []string {
	var out []string
	for _, line := range strings.Split(fmt.Sprintf("%+v", found), "Code:")[1:] {
		out = append(out, line[:5])
	}
	return out
}

// Second fence: the library, given our strict types, refuses unknown fields too.
func TestTrapTypesAreStrictInTheLibrary(t *testing.T) {
	env := func() types.Map {
		return types.Map{"inputs": strict(Type{Kind: Record, Fields: fixture().Inputs}), "tickets": types.Map{"change": strict(fixture().Tickets[1].typ())}}
	}
	for source, why := range map[string]string{
		`inputs.gaol`:                  "unknown field gaol",
		`inptus.goal`:                  "unknown name inptus",
		`inputs.areas[0].pth`:          "unknown field pth",
		`any(tickets.change, .stauts)`: "unknown field stauts",
		`inputs.n and true`:            "mismatched types",
		`any(inputs.goal, true)`:       "takes only array",
		`inputs.n ? 1 : 2`:             "non-bool",
	} {
		tree, err := parseSource(source)
		require.NoError(t, err)
		_, err = compile(&expression{source: source, tree: tree}, nil, env())
		require.ErrorContains(t, err, why, source)
	}
}

// Only json is any, and json can be passed on but not looked into.
func TestTrapNoAny(t *testing.T) {
	for k := String; k < JSON; k++ {
		require.NotEqual(t, types.Any, strict(Type{Kind: k, Elem: &Type{Kind: Int}}), k)
	}
	for _, text := range []string{"${{ inputs.blob.a }}", "${{ inputs.blob == 1 }}", "${{ inputs.blob ? 1 : 2 }}", "${{ inputs.blob + 1 }}", "${{ len(inputs.blob) }}", "${{ any(inputs.blob, true) }}", "${{ not inputs.blob }}", "${{ inputs.blob in [1] }}", "a ${{ inputs.blob }}"} {
		_, found := check(text, fixture(), Type{})
		require.True(t, found.HasErrors(), text)
	}
	_, found := check("${{ inputs.blob }}", fixture(), of(Bool))
	require.True(t, found.HasErrors(), "the library's AsBool would take it, and read null as false")
}

// Everything the library brings and the allow-list does not name is refused.
func TestTrapAllowList(t *testing.T) {
	for _, call := range []string{
		"now()", `date("2024-01-01")`, `timezone("UTC")`, "toPairs(inputs.env)", "fromPairs([])", `fromJSON("1")`, `get(inputs.env, "A")`,
		"reduce(inputs.labels, #)", "groupBy(inputs.labels, #)", "sortBy(inputs.labels, #)", "findIndex(inputs.labels, true)", "one(inputs.labels, true)",
		`repeat("a", 1000000)`, `toBase64("a")`, "type(1)", "bitand(1, 2)", "mean([1])", "concat([1], [2])", "::len(inputs.labels)[0:1]",
		"inputs.goal | now()", `"wf.rt"()`,
	} {
		_, found := check("${{ "+call+" }}", fixture(), Type{})
		require.True(t, found.HasErrors(), call)
		require.Contains(t, []string{"WF207", "WF201"}, found[0].Code, call)
	}
}

// The same bytes whatever the order of maps.
func TestTrapDeterministic(t *testing.T) {
	var first []string
	for run := range 100 {
		var out []string
		for _, text := range []string{"${{ keys(inputs.env) }}", "${{ values(inputs.env) }}", "${{ toJSON(inputs.env) }}", "${{ inputs.env }}"} {
			v, err := evaluate(t, text)
			require.NoError(t, err)
			out = append(out, v.String())
		}
		_, found := check("${{ inputs.gaol + inputs.nn }} ${{ tickets.surve.status }} ${{ mx(1) }}", fixture(), Type{})
		out = append(out, details(found))
		if run == 0 {
			first = out
		}
		require.Equal(t, first, out)
	}
}

// A missing value never reads as false or as an empty text.
func TestTrapNilIsNotFalse(t *testing.T) {
	for _, text := range []string{`${{ inputs.opt contains "a" }}`, `${{ inputs.opt + "a" }}`, `${{ inputs.opt < "a" }}`, `${{ inputs.opt in ["a"] }}`, `${{ not (inputs.opt matches "a") }}`} {
		_, found := check(text, fixture(), Type{})
		require.Equal(t, []string{"WF210"}, codes(found), text)
	}
}
