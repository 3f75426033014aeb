package dsl

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// A file in which every part of the language stands, and nothing is wrong.
const sound = `wf: 1
name: example
description: Everything at once.
inputs:
  goal: {type: string, description: What to build}
  count: {type: int, default: 3}
  stranger: {type: string, untrusted: true, default: x}
limits: {budget: 50 USD, bounces: 2}
types:
  area: {fields: {name: slug, path: path, why: string}}
roles:
  writer: {mode: chat, budget: 1 USD, tools: {allow: [Edit]}}
  judge: {mode: review, budget: 1 USD}
  second: {mode: review, budget: 1 USD, instructions: roles/judge.md}
  planner: {mode: plan, budget: 1 USD}
pipelines:
  build:
    - {stage: implement, role: writer, writes: scope, on_bounce: {first: judge}}
    - {stage: qa, role: judge, verdict: {PASS: next, FAIL: implement, CANNOT_VERIFY: park}}
    - {stage: look, reviewers: [judge, second], verdict: {SHIP: done, HOLD: park, BLOCK: implement}}
tickets:
  survey:
    role: judge
    brief: Survey ${{ inputs.goal }} ${{ inputs.count }} ${{ inputs.stranger }}.
    outputs:
      areas: {type: "list<area>", max_items: 4}
      text: string
      risky: bool
  change:
    for_each: ${{ tickets.survey.outputs.areas }}
    key: ${{ each.value.name }}
    max: 4
    pipeline: build
    scope: ["src/**"]
    narrow: ["${{ each.value.path }}/**"]
    brief: Build ${{ each.value.why }}.
    escalate: second
    on_conflict: writer
    notify: {run: ./tell}
    acceptance:
      - {what: The tests pass with exit 0, by: tests}
    gates:
      - {name: tests, run: go test ./..., min_tests: 1, env: {WHY: "${{ each.value.why }}"}}
      - {name: schema, check: json_schema, schema: s.json, paths: ["src/*.json"]}
    outputs: {summary: string}
  review:
    kind: review
    needs: [change]
    checkout: {ref: main}
    reviewers: [judge, second]
    confirm: {by: any_other, at_least: P1}
    axes:
      vet: {gated: true, run: go vet ./...}
    brief: Review it.
  propose:
    kind: proposal
    role: planner
    when: ${{ tickets.review.outputs.verdict != "ship" }}
    within: {roles: [writer], scope: ["docs/**"], budget: 2 USD, units: 6}
    brief: Propose what is left of ${{ tickets.survey.outputs.text }}.
outputs:
  verdict: ${{ tickets.review.outputs.verdict }}
`

// loadSound loads the file with changes.
func loadSound(t *testing.T, text string) diag.Findings {
	t.Helper()
	files := pageFiles()
	files["workflows/example.wf.yaml"] = &fstest.MapFile{Data: []byte(text)}
	_, found := Load("workflows/example.wf.yaml", files, Settings{})
	return found
}

// The fourteen classes of fault that people's first files hold, each in several
// places of the language: one error, at the place of the fault («»), which says
// what to type. The planner's test has those that need the graph: circles and
// parallel writes.
func TestFourteenClasses(t *testing.T) {
	cases := []struct{ class, code, from, to, says string }{
		{"unknown key", "WF101", "description: Everything", "«descripton»: Everything", "`description`"},
		{"unknown key", "WF101", "on_bounce: {first:", "on_bounce: {«frist»:", "`first`"},
		{"unknown key", "WF101", "by: any_other, at_least", "by: any_other, «at_lest»", "`at_least`"},
		{"unknown key", "WF101", "vet: {gated: true", "vet: {«gatd»: true", "`gated`"},
		{"unknown key", "WF101", "scope: [\"docs/**\"], budget", "scope: [\"docs/**\"], «bugdet»", "`budget`"},
		{"unknown key", "WF101", "checkout: {ref: main}", "checkout: {«rev»: main}", "`ref`"},
		{"duplicate key", "WF007", "    key: ${{ each.value.name }}\n", "    key: ${{ each.value.name }}\n    «key»: a\n", "the first"},
		{"duplicate key", "WF007", "limits: {budget: 50 USD,", "limits: {budget: 50 USD, «budget»: 5 USD,", "the first"},
		{"duplicate key", "WF007", "  planner: {mode", "  «judge»: {mode: review}\n  planner: {mode", "the first"},
		{"duplicate key", "WF007", "PASS: next, FAIL", "PASS: next, «PASS»: done, FAIL", "the first"},
		{"missing required", "WF102", "limits: {budget: 50 USD, bounces: 2}", "«limits»: {bounces: 2}", "budget: 5 USD"},
		{"missing required", "WF102", "{what: The tests pass with exit 0, by: tests}", "«{by: tests}»", "what:"},
		{"missing required", "WF102", "    notify: {run: ./tell}", "    «notify»: {on: [held]}", "`run:`"},
		{"missing required", "WF102", "within: {roles: [writer], scope: [\"docs/**\"], budget: 2 USD, units: 6}", "«within»: {roles: [writer], budget: 2 USD}", "`units:`"},
		{"missing required", "WF102", "{name: tests, run: go test ./..., min_tests: 1, env: {WHY: \"${{ each.value.why }}\"}}", "{name: «tests», env: {WHY: \"${{ each.value.why }}\"}}", "run: go test"},
		{"wrong type", "WF129", "budget: 50 USD", "budget: «much»", "money"},
		{"wrong type", "WF129", "max: 4\n", "max: «four»\n", "int"},
		{"wrong type", "WF129", "budget: 2 USD, units: 6", "budget: 2 USD, units: «some»", "int"},
		{"wrong type", "WF103", "reviewers: [judge, second]\n", "reviewers: «{judge: 1}»\n", "list"},
		{"wrong type", "WF104", "at_least: P1", "at_least: «P9»", "`P0`"},
		{"wrong type", "WF104", "gated: true", "gated: «maybe»", "gated: true"},
		{"unknown ticket", "WF301", "needs: [change]", "needs: [«chnage»]", "`change`"},
		{"unknown ticket", "WF202", "${{ tickets.survey.outputs.areas }}", "${{ tickets.«servey».outputs.areas }}", "survey"},
		{"unknown ticket", "WF202", "verdict: ${{ tickets.review.", "verdict: ${{ tickets.«reviews».", "review"},
		{"unknown ticket", "WF202", "when: ${{ tickets.review.", "when: ${{ tickets.«revew».", "review"},
		{"unknown output field", "WF203", "survey.outputs.text", "survey.outputs.«txt»", "text"},
		{"unknown output field", "WF203", "review.outputs.verdict }}", "review.outputs.«veredict» }}", "verdict"},
		{"unknown output field", "WF203", "${{ each.value.path }}", "${{ each.value.«pth» }}", "path"},
		{"unknown output field", "WF203", "WHY: \"${{ each.value.why", "WHY: \"${{ each.value.«wy»", "why"},
		{"unreachable", "WF311", "verdict: {SHIP: done, HOLD: park, BLOCK: implement}}", "verdict: {SHIP: done, HOLD: park, BLOCK: implement}}\n    - {stage: «last», role: judge}", "remove it"},
		{"unreachable", "WF311", "PASS: next, FAIL", "PASS: done, FAIL", "next"},
		{"no way out", "WF331", "PASS: next, FAIL: implement, CANNOT_VERIFY: park", "FAIL: implement, CANNOT_VERIFY: park", "done"},
		{"no way out", "WF305", "FAIL: implement,", "FAIL: «implment»,", "`implement`"},
		{"no way out", "WF367", "{stage: look, reviewers: [judge, second], verdict: {SHIP: done, HOLD: park, BLOCK: implement}}", "{stage: «look», reviewers: [judge, second], verdict: {SHIP: done, BLOCK: implement}}", "HOLD: park"},
		{"no way out", "WF347", "PASS: next, FAIL: implement, CANNOT_VERIFY: park", "PASS: next, FAIL: «next»", "implement"},
		{"number-like string", "WF129", "bounces: 2", "bounces: «02»", "int"},
		{"number-like string", "WF129", "units: 6", "units: «\"6\"»", "quotes"},
		{"number-like string", "WF129", "min_tests: 1", "min_tests: «1_0»", "int"},
		{"number-like string", "WF129", "count: {type: int, default: 3}\n", "count: {type: int, default: 3, max: «0x10»}\n", "int"},
		{"bad expression", "WF201", "${{ each.value.name }}", "${{ each.value.name «+» }}", "complete"},
		{"bad expression", "WF201", "outputs.verdict != \"ship\"", "outputs.verdict «=» \"ship\"", "=="},
		{"bad expression", "WF202", "outputs.verdict != \"ship\"", "outputs.verdict != «ship»", "in quotes: \"ship\""},
		{"bad expression", "WF212", "Build ${{ each.value.why }}.", "Build «${{ each.value.why }.»", "}}"},
		{"wrong type in a condition", "WF206", "when: ${{ tickets.review.outputs.verdict != \"ship\" }}", "when: ${{ «tickets.review.outputs.verdict» }}", "bool"},
		{"wrong type in a condition", "WF204", "when: ${{ tickets.review.outputs.verdict != \"ship\" }}", "when: ${{ «tickets.review.outputs.verdict > 3» }}", ""},
		{"wrong type in a condition", "WF204", "!= \"ship\" }}", "!= «\"shipped\"» }}", "ship"},
		{"wrong type in a condition", "WF206", "when: ${{ tickets.review.outputs.verdict != \"ship\" }}", "when: ${{ «len(tickets.review.outputs.findings)» }}", "bool"},
		{"agent text in a command", "WF208", "run: go vet ./...", "run: 'make X=${{ «tickets.survey».outputs.text }}'", "run-phase"},
		{"agent text in a command", "WF209", "run: go test ./...", "run: 'go test -run=${{ «inputs.stranger» }}'", "env"},
		{"agent text in a command", "WF209", "key: ${{ each.value.name }}", "key: ${{ «each.value.why» }}", "slug"},
		{"agent text in a command", "WF209", "narrow: [\"${{ each.value.path }}/**\"]", "narrow: [\"${{ «each.value.why» }}/**\"]", "slug"},
		{"agent text in a command", "WF209", "run: ./tell", "run: './tell -m ${{ «inputs.stranger» }}'", "env"},
		{"agent text in a command", "WF208", "schema: s.json", "schema: '${{ «tickets.survey».outputs.text }}'", "run-phase"},
	}
	require.Empty(t, codesOf(loadSound(t, sound), diag.Error), "%v", loadSound(t, sound))
	count := map[string]int{}
	for i, c := range cases {
		count[c.class]++
		t.Run(fmt.Sprintf("%d %s", i, c.class), func(t *testing.T) {
			require.Contains(t, sound, c.from)
			text := strings.Replace(sound, c.from, c.to, 1)
			before, after, marked := strings.Cut(text, "«")
			found := loadSound(t, strings.NewReplacer("«", "", "»", "").Replace(text))
			require.Equal(t, []string{c.code}, codesOf(found, diag.Error), "%v", found)
			for _, f := range found {
				if f.Code != c.code || !marked {
					continue
				}
				line := 1 + strings.Count(before, "\n")
				column := len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1
				inner, _, _ := strings.Cut(after, "»")
				require.Equal(t, []int{line, column, column + len([]rune(inner))}, []int{f.Range.Start.Line, f.Range.Start.Column, f.Range.End.Column}, "%v", f)
				said := f.Detail + " " + f.Hint
				for _, r := range f.Related {
					said += " " + r.Message
				}
				require.Contains(t, said, c.says)
				require.NotEmpty(t, f.Hint+fmt.Sprint(len(f.Related)))
			}
		})
	}
	for class, n := range count {
		require.GreaterOrEqual(t, n, 4-2*strings.Count(class, "unreachable"), class)
	}
}
