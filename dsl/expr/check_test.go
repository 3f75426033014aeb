package expr

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFindingsPointIntoTheScalar(t *testing.T) {
	for _, c := range []struct {
		text string
		want Type
		says []string
		hint string // a part of a detail or hint
	}{
		// syntax
		{"${{ inputs.n + }}", Type{}, []string{"WF201 «+»"}, "ends before it is complete"},
		{"${{ inputs.n = 3 }}", Type{}, []string{"WF201 «=»"}, "compare with =="},
		{"${{ }}", Type{}, []string{"WF201 «${{ }}»"}, "empty"},
		{"${{ .status }}", Type{}, []string{"WF201 «.»"}, "exist only inside any"},
		{"${{ 'a }}", Type{}, []string{"WF212 «${{ 'a }}»"}, "close it with }}"},
		{"a ${{ inputs.n\nb", Type{}, []string{"WF212 «${{ inputs.n»"}, "close it with }}"},
		{"${{ contains(inputs.goal, \"x\") }}", Type{}, []string{"WF201 «contains»"}, `text contains "part"`},
		// names
		{"${{ inptus.goal }}", Type{}, []string{"WF202 «inptus»"}, "did you mean inputs?"},
		{"${{ inputs.gaol }}", Type{}, []string{"WF202 «gaol»"}, "did you mean goal?"},
		{"é ${{ inputs.gaol }}", Type{}, []string{"WF202 «gaol»"}, ""},
		{`${{ "é" + inputs.gaol }}`, Type{}, []string{"WF202 «gaol»"}, ""},
		{"${{ goal }}", Type{}, []string{"WF202 «goal»"}, "write inputs.goal"},
		{"${{ survey }}", Type{}, []string{"WF202 «survey»"}, "write tickets.survey.outputs.NAME"},
		{"${{ secrets.HOME }}", Type{}, []string{"WF202 «secrets»"}, "declare an input"},
		{"${{ $env.x }}", Type{}, []string{"WF207 «$env»"}, ""},
		{"${{ inputs }}", Type{}, []string{"WF202 «inputs»"}, "inputs.NAME"},
		{"${{ tickets.sruvey.status }}", Type{}, []string{"WF202 «sruvey»"}, "did you mean survey?"},
		{"${{ tickets.my-ticket.status }}", Type{}, []string{"WF202 «my»"}, `tickets["my-ticket"]`},
		{"${{ tickets[inputs.goal] }}", Type{}, []string{"WF202 «tickets[inputs.goal]»"}, "named, not computed"},
		{"${{ each.valeu }}", Type{}, []string{"WF202 «valeu»"}, "did you mean value?"},
		{"${{ matrix.so }}", Type{}, []string{"WF202 «so»"}, "did you mean os?"},
		// fields
		{"${{ tickets.survey.outputs.area }}", Type{}, []string{"WF203 «area»"}, "did you mean areas?"},
		{"${{ tickets.survey.output.areas }}", Type{}, []string{"WF203 «output»"}, "did you mean outputs?"},
		{"${{ tickets.change.outputs.summary }}", Type{}, []string{"WF203 «outputs»"}, "map(tickets.NAME, .outputs.FIELD)"},
		{"${{ each.value.pth }}", Type{}, []string{"WF203 «pth»"}, "area has no field"},
		{"${{ inputs.blob.z }}", Type{}, []string{"WF203 «z»"}, "opaque"},
		{"${{ inputs.n.z }}", Type{}, []string{"WF203 «z»"}, "int has no parts"},
		// operands
		{`${{ inputs.n + "a" }}`, Type{}, []string{`WF204 «inputs.n + "a"»`}, "string(…)"},
		{`${{ inputs.n == "3" }}`, Type{}, []string{`WF204 «inputs.n == "3"»`}, "write 3 without quotes"},
		{`${{ inputs.n > "3" }}`, Type{}, []string{`WF204 «inputs.n > "3"»`}, "write 3 without quotes"},
		{`${{ inputs.on == "true" }}`, Type{}, []string{`WF204 «inputs.on == "true"»`}, "write true without quotes"},
		{`${{ any(tickets.change, .status == "doen") }}`, Type{}, []string{`WF204 «"doen"»`}, "did you mean done?"},
		{`${{ inputs.level == "medium" }}`, Type{}, []string{`WF204 «"medium"»`}, "known are low, high"},
		{"${{ not inputs.n }}", Type{}, []string{"WF204 «inputs.n»"}, "expected bool, got int"},
		{"${{ inputs.on and inputs.n }}", Type{}, []string{"WF204 «inputs.n»"}, ""},
		{"${{ inputs.n ? 1 : 2 }}", Type{}, []string{"WF204 «inputs.n»"}, ""},
		{`${{ inputs.on ? 1 : "a" }}`, Type{}, []string{`WF204 «inputs.on ? 1 : "a"»`}, ""},
		{"${{ inputs.blob == inputs.blob }}", Type{}, []string{"WF204 «inputs.blob == inputs.blob»"}, "as a whole"},
		{"${{ inputs.budget > 2 }}", Type{}, []string{"WF204 «inputs.budget > 2»"}, "no order"},
		{`${{ inputs.budget == "2 USD" }}`, Type{}, []string{`WF204 «inputs.budget == "2 USD"»`}, `money("2 USD")`},
		{`${{ money("2 EUR") }}`, Type{}, []string{`WF204 «"2 EUR"»`}, "not an amount"},
		{`${{ inputs.goal matches "(" }}`, Type{}, []string{`WF204 «inputs.goal matches "("»`}, "missing closing"},
		{`${{ inputs.goal matches inputs.goal }}`, Type{}, []string{"WF204 «inputs.goal matches inputs.goal»"}, "in quotes"},
		{"${{ upper(inputs.n) }}", Type{}, []string{"WF204 «inputs.n»"}, "expected string, got int"},
		{"${{ any(inputs.goal, # == 1) }}", Type{}, []string{"WF204 «inputs.goal»"}, "runs over a list"},
		{"${{ [1, inputs.goal] }}", Type{}, []string{"WF204 «inputs.goal»"}, ""},
		// arguments
		{"${{ upper() }}", Type{}, []string{"WF205 «upper()»"}, "upper(text) string"},
		{"${{ replace(inputs.goal, \"a\") }}", Type{}, []string{"WF205 «replace(inputs.goal, \"a\")»"}, "3 arguments"},
		{"${{ any(inputs.labels) }}", Type{}, []string{"WF205 «)»"}, "a condition"},
		// result
		{"${{ inputs.n }}", of(Bool), []string{"WF206 «inputs.n»"}, "expected bool, got int"},
		{"${{ inputs.n }}", of(String), []string{"WF206 «inputs.n»"}, "string(…)"},
		{"n is ${{ inputs.n }}", of(Int), []string{"WF206 «n is ${{ inputs.n }}»"}, ""},
		{"1.5", of(Int), []string{"WF206 «1.5»"}, `expected int, got "1.5"`},
		{"${{ inputs.areas }}", ListOf(of(String)), []string{"WF206 «inputs.areas»"}, "[]: expected string, got area"},
		{`${{ inputs.on ? "low" : "hihg" }}`, Type{Kind: Enum, Enum: []string{"low", "high"}}, []string{`WF206 «inputs.on ? "low" : "hihg"»`}, "hihg"},
		{`${{ inputs.on ? "a" : nil }}`, of(String), []string{`WF210 «inputs.on ? "a" : nil»`}, "may be null"},
		{`${{ {name: "Api", path: "a", why: ""} }}`, area(), []string{`WF206 «{name: "Api", path: "a", why: ""}»`}, `name: "Api" is not a slug`},
		{`${{ [{name: "api", path: "a", why: inputs.goal}] }}`, ListOf(area()), []string{}, ""},
		{`${{ "../x" }}`, of(Path), []string{`WF206 «"../x"»`}, "leaves the folder"},
		// forbidden
		{"${{ now() }}", Type{}, []string{"WF207 «now»"}, "not deterministic"},
		{"${{ toPairs(inputs.env) }}", Type{}, []string{"WF207 «toPairs»"}, "not deterministic"},
		{"${{ uper(inputs.goal) }}", Type{}, []string{"WF207 «uper»"}, "did you mean upper?"},
		{"${{ reduce(inputs.labels, #acc + #, 0) }}", Type{}, []string{"WF207 «#»"}, ""},
		{"${{ 1..9 }}", Type{}, []string{"WF207 «..»"}, "ranges"},
		{"${{ let a = 1; a }}", Type{}, []string{"WF207 «a»"}, "let"},
		{"${{ inputs.goal.upper() }}", Type{}, []string{"WF207 «upper»"}, "no methods"},
		{"${{ inputs.labels[0:1] }}", Type{}, []string{"WF207 «[»"}, "slices"},
		{"${{ b'a' }}", Type{}, []string{"WF207 «b'a'»"}, ""},
		{"${{ 1 < inputs.n < 3 }}", Type{}, []string{"WF207 «n»"}, "a < b and b < c"},
		{"${{ inputs.on ?: true }}", Type{}, []string{"WF207 «on»"}, "??"},
		{"${{ inputs.n /* it's */ }}", Type{}, []string{"WF212 «${{ inputs.n /* it's */ }}»"}, ""},
		{"${{ inputs.n /* no */ }}", Type{}, []string{"WF207 «/*»"}, "no comments"},
		{"${{ inputs.n // no }}", Type{}, []string{"WF207 «//»"}, "no comments"},
		// guards
		{"${{ len(inputs.opt) }}", Type{}, []string{"WF210 «inputs.opt»"}, "may be missing"},
		{"${{ tickets.report.outputs.text }}", of(String), []string{"WF210 «tickets.report.outputs.text»"}, "??"},
		{"see ${{ tickets.report.outputs.text }}", of(String), []string{"WF210 «tickets.report.outputs.text»"}, `?? ""`},
		{`${{ tickets.report.outputs.area.name ?? "" }}`, Type{}, []string{"WF210 «tickets.report.outputs.area»"}, "?."},
		{"${{ first(inputs.areas).name }}", Type{}, []string{"WF210 «first(inputs.areas)»"}, ""},
		{"${{ sum(tickets.change, .outputs.size) }}", Type{}, []string{"WF210 «.outputs.size»"}, ""},
		{"${{ inputs.opt == nil or true ? len(inputs.opt) : 0 }}", Type{}, []string{"WF210 «inputs.opt»"}, ""},
		// the rest
		{"${{ unclosed", Type{}, []string{"WF212 «${{ unclosed»"}, ""},
		{"${inputs.n}", Type{}, []string{"WF213 «${inputs.n}»"}, "$ and two braces"},
		{"{{ inputs.n }}", Type{}, []string{"WF213 «{{ inputs.»"}, ""},
		{"list: ${{ inputs.labels }}", Type{}, []string{"WF214 «inputs.labels»"}, "toJSON"},
		{"${{ inputs.token }}", Type{}, []string{"WF215 «inputs.token»"}, "only in env:"},
		{"${{ 1 / 0 }}", Type{}, []string{"WF216 «${{ 1 / 0 }}»"}, "division by zero"},
		{"${{ inputs.goal == \"e\u0301\" }}", Type{}, []string{"WF217 «\"e\u0301\"»"}, "byte by byte"},
	} {
		_, found := check(c.text, fixture(), c.want)
		assert.Equal(t, c.says, said(c.text, found), "%s\n%s", c.text, details(found))
		assert.Contains(t, details(found), c.hint, c.text)
	}
}

// Several mistakes of one scalar are found in one run, each once.
func TestManyFindingsInOneRun(t *testing.T) {
	text := "${{ inputs.gaol + foo }} ${{ tickets.chang }} ${{ upper(1, 2) }} ${{ now() }} ${{ inputs.n = 1 }} ${{ open"
	_, found := check(text, fixture(), Type{})
	require.ElementsMatch(t, []string{"WF202 «gaol»", "WF202 «foo»", "WF202 «chang»", "WF205 «upper(1, 2)»", "WF207 «now»", "WF201 «=»", "WF212 «${{ open»"},
		said(text, found))
}

func TestTypesAreInferred(t *testing.T) {
	for text, want := range map[string]string{
		`${{ inputs.n + 1 }}`:                                                  "int",
		`${{ inputs.n / 2 }}`:                                                  "number",
		`${{ inputs.n + 1.5 }}`:                                                "number",
		`${{ inputs.budget * 2 }}`:                                             "money",
		`${{ inputs.wait + duration("5m") }}`:                                  "duration",
		`${{ inputs.areas }}`:                                                  "list<area>",
		`${{ map(inputs.areas, .name) }}`:                                      "list<slug>",
		`${{ first(inputs.areas) }}`:                                           "area?",
		`${{ find(inputs.areas, .name == "ui")?.path }}`:                       "path?",
		`${{ inputs.env["A"] }}`:                                               "string?",
		`${{ inputs.opt ?? "x" }}`:                                             "string",
		`${{ tickets.report.outputs.text }}`:                                   "string?",
		`${{ map(tickets.change, .outputs.summary) }}`:                         "list<string?>",
		`${{ tickets.change }}`:                                                "list<ticket change>",
		`${{ inputs.on ? "a" : inputs.goal }}`:                                 "string",
		`${{ {name: inputs.goal, n: 1} }}`:                                     "record",
		`${{ [] }}`:                                                            "list<unknown>",
		`${{ inputs.goal }} ${{ inputs.n }}`:                                   "string",
		`${{ count(inputs.labels, # == "a") }}`:                                "int",
		`${{ keys(inputs.env) }}`:                                              "list<string>",
		`${{ inputs.goal | upper() | split(" ") }}`:                            "list<string>",
		`${{ filter(inputs.sizes, # != nil) }}`:                                "list<int>",
		`${{ max(inputs.n, 2.5) }}`:                                            "number",
		`${{ map(filter(tickets.change, .status == "done"), .outputs.size) }}`: "list<int>",
	} {
		checked, found := check(text, fixture(), Type{})
		require.Empty(t, found, text)
		require.Equal(t, want, checked.Type.String(), text)
	}
}

func TestGuardsNarrow(t *testing.T) {
	for _, text := range []string{
		`${{ inputs.opt != nil and len(inputs.opt) > 2 }}`,
		`${{ inputs.opt == nil or len(inputs.opt) > 2 }}`,
		`${{ inputs.opt != nil ? upper(inputs.opt) : "" }}`,
		`${{ inputs.opt == nil ? "" : upper(inputs.opt) }}`,
		`${{ not (inputs.opt == nil) and len(inputs.opt) > 2 }}`,
		`${{ tickets.report.status == "done" ? tickets.report.outputs.text : "" }}`,
		`${{ tickets.report.status != "done" or len(tickets.report.outputs.text) > 0 }}`,
		`${{ all(tickets.change, .status != "done" or .outputs.size > 0) }}`,
		`${{ sum(filter(tickets.change, .status == "done"), .outputs.size) }}`,
		`${{ tickets.report.outputs.area?.name ?? "" }}`,
		`${{ tickets.report.outputs.area?.size ?? 0 }}`,
		`${{ (tickets.report.outputs.draft ?? tickets.report.outputs.text) ?? "" }}`,
		`${{ inputs.opt == "a" and len(inputs.opt) > 0 }}`,
	} {
		checked, found := check(text, fixture(), Type{})
		require.Empty(t, said(text, found), "%s\n%s", text, details(found))
		require.False(t, checked.Type.Optional, text)
	}
	// A done ticket has its outputs; an output that is itself optional may still be missing.
	_, found := check(`${{ tickets.report.status == "done" ? len(tickets.report.outputs.draft) : 0 }}`, fixture(), Type{})
	require.Len(t, found, 1)
	require.Equal(t, "WF210", found[0].Code)
}

func TestPhaseNamesFieldPhaseAndWayOut(t *testing.T) {
	scope := fixture()
	scope.Phase, scope.Field = PlanPhase, "tickets.change.scope"
	for _, text := range []string{"${{ tickets.survey.outputs.note }}", "${{ each.value.path }}"} {
		_, found := check(text, scope, Type{})
		require.Len(t, found, 1)
		require.Equal(t, "WF208", found[0].Code)
		require.Contains(t, found[0].Detail, "tickets.change.scope decides the plan")
		require.NotEmpty(t, found[0].Hint)
	}
	scope.Each.AtRun = false
	_, found := check("${{ each.value.path }}/${{ inputs.goal }}", scope, Type{})
	require.Empty(t, found)
}

func TestTaint(t *testing.T) {
	for _, c := range []struct {
		text              string
		inClean, inNarrow bool
	}{
		{`${{ inputs.goal }}`, true, true},
		{`${{ inputs.title }}`, false, false},
		{`${{ inputs.head }}`, true, true}, // a ref is resolved to a commit
		{`${{ upper(inputs.title) }}`, false, false},
		{`${{ inputs.goal + inputs.title }}`, false, false},
		{`${{ inputs.title == "x" ? "a" : "b" }}`, true, true},
		{`${{ inputs.title ?? "a" }}`, false, false},
		{`${{ inputs.on ? inputs.title : "a" }}`, false, false},
		{`${{ [inputs.title] }}`, false, false},
		{`${{ join([inputs.title], "") }}`, false, false},
		{`${{ split(inputs.title, ",") }}`, false, false},
		{`${{ replace("a", "a", inputs.title) }}`, false, false},
		{`${{ {a: inputs.title}.a }}`, false, false},
		{`${{ toJSON({a: inputs.title}) }}`, false, false},
		{`${{ string(len(inputs.title)) }}`, true, true},
		{`${{ tickets.survey.outputs.note }}`, false, false},
		{`${{ tickets.survey.outputs.raw }}`, false, false},
		{`${{ tickets.survey.outputs.count }}`, true, true},
		{`${{ tickets.survey.outputs.kind }}`, true, true},
		{`${{ tickets.survey.status }}`, true, true},
		{`${{ tickets.survey.outputs.areas }}`, false, false},
		{`${{ map(tickets.survey.outputs.areas, .name) }}`, true, true},
		{`${{ map(tickets.survey.outputs.areas, .path) }}`, false, true},
		{`${{ toJSON(map(tickets.survey.outputs.areas, .name)) }}`, true, true},
		{`${{ each.value.path }}/**`, false, true},
		{`${{ each.value.name }}`, true, true},
		{`${{ each.value.why }}`, false, false},
		{`${{ lower(each.value.path) }}`, false, false}, // no longer a validated path
		{`${{ map(tickets.change, .key) }}`, true, true},
	} {
		scope := fixture()
		scope.Taint = Clean
		_, found := check(c.text, scope, Type{})
		require.Equal(t, c.inClean, !found.HasErrors(), "clean: %s\n%s", c.text, details(found))
		if !c.inClean {
			require.Equal(t, "WF209", found[0].Code, c.text)
		}
		scope.Taint = CleanPath
		_, found = check(c.text, scope, Type{})
		require.Equal(t, c.inNarrow, !found.HasErrors(), "narrow: %s", c.text)
		scope.Taint = Untrusted
		checked, found := check(c.text, scope, Type{})
		require.Empty(t, found)
		require.Equal(t, c.inClean, !checked.Tainted, c.text)
	}
}

func TestReferences(t *testing.T) {
	text := `${{ tickets.survey.outputs.count }} ${{ tickets.report.outputs.text ?? "" }} ${{ tickets.survey.status }} ${{ len(tickets.change) }} ${{ inputs.n }} ${{ each.value.name }}`
	checked, found := check(text, fixture(), Type{})
	require.Empty(t, found)
	got := []string{}
	for _, r := range checked.Refs {
		got = append(got, text[r.Range.Start.Offset:r.Range.End.Offset])
	}
	require.Equal(t, []string{"tickets.survey.outputs.count", "tickets.report.outputs.text", "tickets.survey.status", "tickets.change"}, got)
	require.Equal(t, "count", checked.Refs[0].Output)
	require.False(t, checked.Refs[0].Optional)
	require.True(t, checked.Refs[1].Optional)
	require.True(t, checked.Refs[2].Optional)
	require.Equal(t, []string{"n"}, checked.UsesInputs)
	require.True(t, checked.UsesEach)
	require.False(t, checked.UsesMatrix)

	guarded, _ := check(`${{ tickets.survey.outputs.note ?? "" }}`, fixture(), Type{})
	require.True(t, guarded.Refs[0].Optional, "an author who writes ?? expects the ticket to be skipped")
}

func TestConstant(t *testing.T) {
	for text, want := range map[string]string{`${{ 1 == 2 }}`: "false", `${{ true or false }}`: "true", "plain": `"plain"`, `a ${{ 1 + 1 }}`: `"a 2"`} {
		checked, found := check(text, fixture(), Type{})
		require.Empty(t, found)
		v, ok := checked.Constant()
		require.True(t, ok, text)
		require.Equal(t, want, v.String())
	}
	checked, _ := check(`${{ inputs.on }}`, fixture(), Type{})
	_, ok := checked.Constant()
	require.False(t, ok)
}

// A large scope is searched by name, indexed or not, with the same findings.
func TestIndexedScopeIsTheSame(t *testing.T) {
	for _, text := range []string{`${{ tickets.survey.outputs.note }}`, `${{ tickets.surveys.status }}`, `${{ inputs.gaol }}`, `${{ any(tickets.change, .status == "done") }}`} {
		a, found := check(text, fixture(), Type{})
		b, same := check(text, fixture().Indexed(), Type{})
		require.Equal(t, found, same)
		require.Equal(t, a, b)
	}
}
