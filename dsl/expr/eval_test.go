package expr

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEval(t *testing.T) {
	for text, want := range map[string]string{
		`${{ inputs.n + 1 }}`:                                     `4`,
		`${{ -inputs.n * 2 - 1 }}`:                                `-7`,
		`${{ inputs.n / 2 }}`:                                     `1.5`,
		`${{ inputs.n / 3 }}`:                                     `1`,
		`${{ 7 % 4 + 2 ** 3 }}`:                                   `11`,
		`${{ inputs.n + inputs.x }}`:                              `4.5`,
		`${{ inputs.budget * 2 }}`:                                `"4 USD"`,
		`${{ inputs.budget / 3 }}`:                                `"0.666667 USD"`,
		`${{ inputs.budget - money("0.50 USD") }}`:                `"1.50 USD"`,
		`${{ inputs.wait * 3 + duration("30s") }}`:                `"30m30s"`,
		`${{ inputs.wait > duration("5m") }}`:                     `true`,
		`${{ inputs.budget == money("2.00 USD") }}`:               `true`,
		`up to ${{ inputs.budget }} in ${{ inputs.wait }}`:        `"up to 2 USD in 10m"`,
		`${{ inputs.goal + "!" }}`:                                `"ship it!"`,
		`n=${{ inputs.n }} x=${{ inputs.x }} on=${{ inputs.on }}`: `"n=3 x=1.5 on=true"`,
		`${{ inputs.opt ?? inputs.goal }}`:                        `"ship it"`,
		`${{ inputs.opt == nil }}`:                                `true`,
		`${{ inputs.opt == "x" }}`:                                `false`,
		`${{ inputs.env["A"] ?? "none" }}`:                        `"1"`,
		`${{ inputs.env["Z"] ?? "none" }}`:                        `"none"`,
		`${{ "A" in inputs.env and not ("Z" in inputs.env) }}`:    `true`,
		`${{ "c" in inputs.labels or "a" in ["a", "b"] }}`:        `true`,
		`${{ keys(inputs.env) }}`:                                 `["A","B"]`,
		`${{ values(inputs.env) }}`:                               `["1","2"]`,
		`${{ sort(inputs.labels) }}`:                              `["a","b","b"]`,
		`${{ unique(inputs.labels) }}`:                            `["b","a"]`,
		`${{ first(inputs.labels) ?? "" }}`:                       `"b"`,
		`${{ last(inputs.areas)?.name ?? "" }}`:                   `"ui"`,
		`${{ find(inputs.areas, .name == "zz")?.path ?? "." }}`:   `"."`,
		`${{ map(inputs.areas, .size ?? 0) }}`:                    `[3,0]`,
		`${{ sum(inputs.areas, .size ?? 0) }}`:                    `3`,
		`${{ sum([]) }}`:                                          `0`,
		`${{ sum(filter(inputs.sizes, # != nil)) }}`:              `1`,
		`${{ count(inputs.labels, # == "b") }}`:                   `2`,
		`${{ all(inputs.labels, len(#) == 1) }}`:                  `true`,
		`${{ none(inputs.labels, # == "z") }}`:                    `true`,
		`${{ flatten([[1], [], [2, 3]]) }}`:                       `[1,2,3]`,
		`${{ min(4, inputs.n) + max([1, 2]) }}`:                   `5`,
		`${{ max(inputs.budget, money("3 USD")) }}`:               `"3 USD"`,
		`${{ abs(-2) + round(2.5) + floor(1.9) + ceil(1.1) }}`:    `8`,
		`${{ int("12") + int(1.9) }}`:                             `13`,
		`${{ number("1.5") * 2 }}`:                                `3`,
		`${{ len("żółw") }}`:                                      `4`,
		`${{ upper("a") + lower("B") + trim(" c ") }}`:            `"Abc"`,
		`${{ join(map(inputs.areas, .name), ", ") }}`:             `"api, ui"`,
		`${{ split("a,b", ",") }}`:                                `["a","b"]`,
		`${{ replace("aXbX", "X", "") }}`:                         `"ab"`,
		`${{ hasPrefix("abc", "ab") and hasSuffix("abc", "bc") and "abc" contains "b" and "abc" matches "^a.c$" }}`: `true`,
		`${{ "abc" startsWith "b" or "abc" endsWith "a" }}`:                                                         `false`,
		`${{ not ("abc" contains "z") && inputs.level == "high" }}`:                                                 `true`,
		`${{ inputs.level != "low" ? "h" : "l" }}`:                                                                  `"h"`,
		`${{ toJSON({b: inputs.budget, a: [inputs.wait, nil]}) }}`:                                                  `"{\"a\":[\"10m\",null],\"b\":\"2 USD\"}"`,
		`${{ toJSON(inputs.blob) }}`:                                                                                `"{\"z\":[1,null]}"`,
		`${{ inputs.blob }}`:                                                                                        `{"z":[1,null]}`,
		`${{ string(inputs.budget) + string(1) }}`:                                                                  `"2 USD1"`,
		`${{ inputs.areas[0].name }}`:                                                                               `"api"`,
		`${{ each.key }}/${{ each.index }}/${{ matrix.os }}`:                                                        `"api/2/linux"`,
		`${{ tickets["my-ticket"].outputs.ok }}`:                                                                    `true`,
		`${{ tickets.survey.outputs.kind == "a" }}`:                                                                 `true`,
		`${{ any(tickets.change, .status == "done") }}`:                                                             `true`,
		`${{ all(tickets.change, .status == "done") }}`:                                                             `false`,
		`${{ map(tickets.change, .key) }}`:                                                                          `["api","ui"]`,
		`${{ map(tickets.change, .outputs.summary ?? "-") }}`:                                                       `["s","-"]`,
		`${{ sum(filter(tickets.change, .status == "done"), .outputs.size) }}`:                                      `4`,
		`${{ "${{" }} and ${{ "}}" }}`:                                                                              `"${{ and }}"`,
		`${{ {a: {b: 1}}.a.b }}`:                                                                                    `1`,
		"${{ `raw }}` }}":                                                                                           `"raw }}"`,
		`no expression }} here`:                                                                                     `"no expression }} here"`,
		``:                                                                                                          `""`,
	} {
		_, found := check(text, fixture(), Type{})
		require.Empty(t, found, "%s\n%s", text, details(found))
		p, err := Compile(text, fixture(), Type{})
		require.NoError(t, err, text)
		v, err := p.Eval(fixtureVars(t))
		require.NoError(t, err, text)
		require.Equal(t, want, v.String(), text)
	}
}

// A skipped ticket has no outputs: guarded expressions go on, the others were refused.
func TestSkippedTicketAtRunTime(t *testing.T) {
	for text, want := range map[string]string{
		`${{ tickets.report.outputs.text ?? "nothing was done" }}`:                                     `"nothing was done"`,
		`${{ tickets.report.outputs.area?.name ?? "none" }}`:                                           `"none"`,
		`${{ tickets.report.status == "done" ? tickets.report.outputs.text : tickets.report.status }}`: `"skipped"`,
		`${{ tickets.report.outputs.text == nil }}`:                                                    `true`,
	} {
		p, err := Compile(text, fixture(), Type{})
		require.NoError(t, err)
		v, err := p.Eval(fixtureVars(t))
		require.NoError(t, err, text)
		require.Equal(t, want, v.String())
	}
	// A ticket that was to be done and is not: an error, never an empty text.
	vars := fixtureVars(t)
	vars.Tickets = sealedValue(t, `{"survey":{"status":"skipped","outputs":null}}`)
	for _, text := range []string{"see ${{ tickets.survey.outputs.note }}", "${{ tickets.survey.outputs.note }}", `${{ tickets.survey.outputs.count > 0 }}`} {
		p, err := Compile(text, fixture(), Type{})
		require.NoError(t, err)
		_, err = p.Eval(vars)
		require.ErrorContains(t, err, "missing", text)
	}
	p, err := Compile(`${{ tickets.survey.status == "skipped" }}`, fixture(), of(Bool))
	require.NoError(t, err)
	v, err := p.Eval(vars)
	require.NoError(t, err)
	require.Equal(t, "true", v.String())
}

func TestEvaluationErrorsAreErrors(t *testing.T) {
	for text, why := range map[string]string{
		`${{ inputs.n / (inputs.n - 3) > 1 }}`:                "division by zero",
		`${{ inputs.n % (inputs.n - 3) == 1 }}`:               "division by zero",
		`${{ inputs.areas[7].name == "a" }}`:                  "index out of range",
		`${{ int(inputs.goal) == 1 }}`:                        `"ship it" is not an integer`,
		`${{ min(filter([1], # > inputs.n)) == 1 }}`:          "the list is empty",
		`${{ money(inputs.goal) == inputs.budget }}`:          "not an amount of money",
		`${{ split(inputs.goal, "") == nil }}`:                "separator is empty",
		`${{ string(inputs.budget - money("3 USD")) == "" }}`: "negative",
	} {
		p, err := Compile(text, fixture(), of(Bool))
		require.NoError(t, err, text)
		v, err := p.Eval(fixtureVars(t))
		require.ErrorContains(t, err, why, text)
		require.True(t, v.IsNull())
	}
	p, err := Compile(`${{ inputs.n }}`, fixture(), Type{})
	require.NoError(t, err)
	_, err = p.Eval(Vars{Inputs: sealedValue(t, `{"n":"3"}`)})
	require.ErrorContains(t, err, `inputs.n: expected int, got the text "3"`)
	_, err = p.Eval(Vars{})
	require.ErrorContains(t, err, "inputs.n: expected int, got null")
}

// The value conforms to what the field wants, also where only the run knows it.
func TestResultConforms(t *testing.T) {
	most := 3.0
	p, err := Compile(`${{ inputs.n + 1 }}`, fixture(), Type{Kind: Int, Limits: Constraints{Max: &most}})
	require.NoError(t, err)
	_, err = p.Eval(fixtureVars(t))
	require.ErrorContains(t, err, "is 4, the most is 3")
	p, err = Compile(`src/${{ inputs.goal }}/../../..`, fixture(), of(Path))
	require.NoError(t, err)
	_, err = p.Eval(fixtureVars(t))
	require.ErrorContains(t, err, "leaves the folder")
	p, err = Compile("10m", fixture(), of(Duration))
	require.NoError(t, err)
	v, err := p.Eval(Vars{})
	require.NoError(t, err)
	require.Equal(t, Of("10m"), v)
}

// Only the names in use need values: a key is computed before there is one.
func TestUnusedNamesNeedNoValues(t *testing.T) {
	p, err := Compile(`${{ each.value.name }}`, fixture(), of(String))
	require.NoError(t, err)
	v, err := p.Eval(Vars{EachValue: sealedValue(t, `{"name":"api","path":"a","why":"w"}`)})
	require.NoError(t, err)
	require.Equal(t, Of("api"), v)
	_, err = p.Eval(Vars{})
	require.ErrorContains(t, err, "each.value: expected area, got null")
}

// A path from outside matches itself and nothing else.
func TestGlobsAreEscaped(t *testing.T) {
	scope := fixture()
	scope.Taint, scope.EscapeGlobs = CleanPath, true
	for text, want := range map[string]string{
		`${{ each.value.path }}/**`:     `"srv/\\[a\\]/**"`,
		`${{ inputs.where }}`:           `"a\\[b\\]/c"`,
		`${{ inputs.globs }}`:           `["src/**"]`,
		`${{ map([inputs.where], #) }}`: `["a\\[b\\]/c"]`,
	} {
		p, err := Compile(text, scope, Type{})
		require.NoError(t, err)
		v, err := p.Eval(fixtureVars(t))
		require.NoError(t, err)
		require.Equal(t, want, v.String())
	}
	require.Equal(t, `\{a,b\}\?\*\!\\`, EscapeGlob(`{a,b}?*!\`))
}

// A template and its scope travel through a plan as text.
func TestTemplateTravels(t *testing.T) {
	raw, err := json.Marshal(fixture())
	require.NoError(t, err)
	var scope Scope
	require.NoError(t, json.Unmarshal(raw, &scope))
	in, _ := Parse(`${{ tickets.report.outputs.text ?? "-" }}`, offsets)
	p, err := Compile(in.Source(), scope, of(String))
	require.NoError(t, err)
	require.Equal(t, []string{"report"}, p.Tickets())
	v, err := p.Eval(fixtureVars(t))
	require.NoError(t, err)
	require.Equal(t, Of("-"), v)
	_, err = Reparse("${{ a b }}")
	require.ErrorContains(t, err, "WF201")
	_, err = Compile("${{ inputs.gone }}", scope, Type{})
	require.ErrorContains(t, err, "WF202")
}

func TestTemplateShapes(t *testing.T) {
	literal, _ := Parse("a b", nil)
	require.True(t, literal.IsLiteral())
	require.Equal(t, "a b", literal.Literal())
	single, _ := Parse("${{ inputs.n }}", nil)
	require.True(t, single.IsExpr())
	require.Equal(t, "", single.Literal())
	text, _ := Parse("${{ inputs.n }} ", nil)
	require.False(t, text.IsExpr() || text.IsLiteral())
	require.True(t, Template{}.IsLiteral())
}

// Without a scope the types come from the values.
func TestTemplateEvalInfers(t *testing.T) {
	for text, want := range map[string]string{
		`${{ any(tickets.change, .status == "done") }}`:    `true`,
		`${{ tickets.report.outputs.text ?? "nothing" }}`:  `"nothing"`,
		`${{ tickets.report.outputs.area?.name ?? "no" }}`: `"no"`,
		`${{ inputs.n + 1 }} ${{ each.value.name }}`:       `"4 api"`,
	} {
		tpl, found := Parse(text, nil)
		require.Empty(t, found)
		v, err := tpl.Eval(fixtureVars(t))
		require.NoError(t, err, text)
		require.Equal(t, want, v.String())
	}
	tpl, _ := Parse(`${{ inputs.nothing }}`, nil)
	_, err := tpl.Eval(fixtureVars(t))
	require.ErrorContains(t, err, "WF202")
}

func TestProgramIsSafeForConcurrentUse(t *testing.T) {
	p, err := Compile(`${{ join(map(filter(tickets.change, .status == "done"), .outputs.summary), ",") }}`, fixture(), of(String))
	require.NoError(t, err)
	vars := fixtureVars(t)
	var wg sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		wg.Go(func() {
			for range 50 {
				v, err := p.Eval(vars)
				if err != nil {
					results[i] = err.Error()
					return
				}
				results[i] = v.String()
			}
		})
	}
	wg.Wait()
	require.Equal(t, strings.Repeat(`"s"`, 8), strings.Join(results, ""))
}

// Every function of the allow-list is documented by an example that passes the checks.
func TestFunctionsAreDocumented(t *testing.T) {
	docs := Functions()
	scope := fixture()
	scope.Inputs = append(scope.Inputs, Field{"size", of(Int)}, Field{"name", of(String)}, Field{"branch", of(String)}, Field{"file", of(String)}, Field{"paths", of(String)})
	scope.Tickets = append([]TicketShape{{Name: "change", List: true, Outputs: []Field{{"summary", of(String)}, {"size", of(Int)}, {"files", ListOf(of(String))}}}}, scope.Tickets...)
	for i, d := range docs {
		if i > 0 {
			require.Less(t, docs[i-1].Name, d.Name, "sorted by name")
		}
		require.True(t, strings.HasPrefix(d.Signature, d.Name+"("))
		require.NotEmpty(t, d.Doc)
		text := "${{ " + d.Example + " }}"
		_, found := check(text, scope, Type{})
		require.Empty(t, said(text, found), "%s\n%s", text, details(found))
		require.Contains(t, d.Example, d.Name+"(")
	}
	for _, d := range Operators() {
		text := "${{ " + d.Example + " }}"
		_, found := check(text, scope, Type{})
		require.Empty(t, said(text, found), text)
	}
}
