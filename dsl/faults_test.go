package dsl

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

const head = `wf: 1
name: example
inputs:
  goal: string
  count: {type: int, default: 3}
limits: {budget: 5 USD}
types:
  area: {fields: {name: slug, path: path, why: string}}
roles:
  writer: {mode: chat}
  judge: {mode: review}
pipelines:
  build:
    - {stage: implement, role: writer, writes: scope}
    - {stage: qa, role: judge, verdict: {PASS: done, FAIL: implement}}
`

// load loads one workflow from memory.
func load(text string) (*Workflow, diag.Findings) {
	return Load("workflows/example.wf.yaml", fstest.MapFS{"workflows/example.wf.yaml": {Data: []byte(text)}}, Settings{})
}

// errorsAt loads text in which «» marks where the one error is expected. The
// text behind « is the place; the marks are taken out.
func errorsAt(t *testing.T, text, code string) diag.Finding {
	before, after, ok := strings.Cut(text, "«")
	require.True(t, ok)
	line := 1 + strings.Count(before, "\n")
	column := len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1
	_, found := load(before + strings.ReplaceAll(after, "»", ""))
	var errs diag.Findings
	for _, f := range found {
		if f.Severity == diag.Error {
			errs = append(errs, f)
		}
	}
	require.Len(t, errs, 1, "%v", found)
	require.Equal(t, code, errs[0].Code, "%v", errs[0])
	require.Equal(t, fmt.Sprintf("%d:%d", line, column), fmt.Sprintf("%d:%d", errs[0].Range.Start.Line, errs[0].Range.Start.Column), "%v", errs[0])
	if marked, _, ok := strings.Cut(after, "»"); ok {
		require.Equal(t, column+len([]rune(marked)), errs[0].Range.End.Column, "%v", errs[0])
	}
	return errs[0]
}

const report = `tickets:
  report:
    role: writer
    brief: Write about ${{ inputs.goal }} ${{ inputs.count }} times.
`

const change = `tickets:
  change:
    pipeline: build
    scope: ["src/**"]
    brief: Build ${{ inputs.goal }} ${{ inputs.count }} times.
`

const survey = `  survey:
    role: writer
    brief: List.
    outputs:
      areas: {type: "list<area>", max_items: 4}
      text: string
`

// The classes of fault that newcomers' files hold, several of each, at several
// places of the language; each with its place. Cycles and parallel writes are
// the planner's.
func TestFaultClasses(t *testing.T) {
	cases := []struct{ class, code, text string }{
		{"unknown key", "WF101", head + "«tickts»:" + strings.TrimPrefix(report, "tickets:")},
		{"unknown key", "WF101", head + report + "    «timeout-minuts»: 3\n"},
		{"unknown key", "WF101", strings.Replace(head, "judge: {mode", "judge: {«modle»: opus, mode", 1) + report},
		{"unknown key", "WF101", strings.Replace(head, "writes: scope}", "«write»: scope}", 1) + report},
		{"unknown key", "WF101", head + change + "    gates:\n      - {name: t, run: go test, «mintests»: 1}\n"},
		{"unknown key", "WF101", strings.Replace(head, "budget: 5 USD", "budget: 5 USD, «bounce»: 1", 1) + report},
		{"unknown key", "WF101", strings.Replace(head, "default: 3", "«defalt»: 3", 1) + report},
		{"missing required", "WF102", strings.Replace(head, "limits: {budget: 5 USD}", "«limits»: {concurrency: 2}", 1) + report},
		{"missing required", "WF102", head + "tickets:\n  «report»:\n    role: writer\n"},
		{"missing required", "WF102", strings.Replace(head, "{stage: implement, role: writer,", "{stage: «implement»,", 1) + report},
		{"missing required", "WF102", head + change + "    gates:\n      - {name: «tests»}\n"},
		{"missing required", "WF102", head + change + "    gates:\n      - «{run: go vet ./...}»\n"},
		{"wrong type", "WF129", strings.Replace(head, "5 USD", "«lots»", 1) + report},
		{"wrong type", "WF129", strings.Replace(head, "budget: 5 USD", "budget: 5 USD, timeout: «90»", 1) + report},
		{"wrong type", "WF129", strings.Replace(head, "budget: 5 USD", "budget: 5 USD, bounces: «1.5»", 1) + report},
		{"wrong type", "WF108", strings.Replace(head, "default: 3", "default: «three»", 1) + report},
		{"wrong type", "WF103", head + change + "    gates: «go test»\n"},
		{"wrong type", "WF104", strings.Replace(head, "mode: review", "mode: «reveiw»", 1) + report},
		{"unknown ticket", "WF301", head + report + "    needs: [«survy»]\n" + survey},
		{"unknown ticket", "WF301", head + report + "    needs: [{ticket: «survy», until: settled}]\n" + survey},
		{"unknown role", "WF302", strings.Replace(head, "qa, role: judge", "qa, role: «juge»", 1) + report},
		{"unknown role", "WF302", head + "tickets:\n  report: {role: «writr», brief: Write.}\n"},
		{"unknown pipeline", "WF303", head + "tickets:\n  report: {pipeline: «biuld», brief: Write.}\n"},
		{"unknown stage", "WF305", strings.Replace(head, "FAIL: implement", "FAIL: «implemnt»", 1) + report},
		{"unknown proof", "WF306", head + change + "    acceptance:\n      - {what: It compiles, by: «qaa»}\n"},
		{"unreachable", "WF311", strings.Replace(head, "role: judge, verdict: {PASS: done, FAIL: implement}}", "role: judge, verdict: {PASS: done, FAIL: implement}}\n    - {stage: «last», role: judge, verdict: {YES: done, NO: park}}", 1) + report},
		{"number-like string", "WF129", strings.Replace(head, "budget: 5 USD", "budget: 5 USD, units: «010»", 1) + report},
		{"number-like string", "WF129", strings.Replace(head, "budget: 5 USD", "budget: 5 USD, units: «\"60\"»", 1) + report},
		{"wrong condition", "WF206", head + report + "    when: ${{ «inputs.goal» }}\n"},
		{"no max", "WF308", head + report + survey + "  work:\n    for_each: «${{ tickets.survey.outputs.areas }}»\n    key: ${{ each.value.name }}\n    role: writer\n    brief: Do ${{ each.value.why }}.\n"},
		{"no key", "WF309", head + report + survey + "  work:\n    for_each: «${{ tickets.survey.outputs.areas }}»\n    max: 4\n    role: writer\n    brief: Do ${{ each.value.why }}.\n"},
		{"shell sign", "WF321", head + change + "    gates:\n      - {name: tests, run: go test ./... «|» tee log}\n"},
		{"shell sign", "WF321", head + change + "    gates:\n      - name: tests\n        run: >\n          go build ./...\n          «&&» go test ./...\n"},
		{"shell sign", "WF321", head + change + "    gates:\n      - {name: tests, run: «CGO_ENABLED=0» go test ./...}\n"},
		{"flag", "WF322", head + change + "    gates:\n      - {name: tests, run: 'make «${{ inputs.goal }}»'}\n"},
		{"shell text", "WF323", head + change + "    gates:\n      - name: tests\n        shell: bash\n        run: |\n          set -e\n          make «${{ inputs.goal }}»\n"},
		{"unknown input", "WF202", head + "tickets:\n  report: {role: writer, brief: 'About ${{ inputs.«gaol» }}.'}\n"},
		{"unknown ticket", "WF202", head + report + "    title: ${{ tickets.«survy».outputs.text }}\n" + survey},
		{"unknown output field", "WF203", head + report + "    title: ${{ tickets.survey.outputs.«txt» }}\n" + survey},
		{"unknown output field", "WF203", head + report + survey + "  work:\n    for_each: ${{ tickets.survey.outputs.areas }}\n    key: ${{ each.value.name }}\n    max: 4\n    role: writer\n    brief: |\n      Do it,\n      because ${{ each.value.«wy» }}.\n"},
		{"bad expression", "WF201", head + report + "    title: ${{ inputs.goal «+» }}\n"},
		{"bad operands", "WF204", head + report + "    when: ${{ «inputs.count + inputs.goal» == 3 }}\n"},
		{"agent text in a command", "WF208", head + change + "    gates:\n      - {name: tests, run: 'make X=${{ «tickets.survey».outputs.text }}'}\n" + survey},
		{"agent text in a scope", "WF208", head + change + "    may_change: ['${{ «tickets.survey».outputs.text }}']\n" + survey},
		{"a stranger's text in a command", "WF209", strings.Replace(head, "goal: string", "goal: {type: string, untrusted: true}", 1) + change + "    gates:\n      - {name: tests, run: 'make X=${{ «inputs.goal» }}'}\n"},
		{"a stranger's text in a scope", "WF209", strings.Replace(head, "goal: string", "goal: {type: path, untrusted: true}", 1) + change + "    may_change: ['${{ «inputs.goal» }}']\n"},
		{"agent text in a key", "WF209", head + report + survey + "  work:\n    for_each: ${{ tickets.survey.outputs.areas }}\n    key: ${{ «each.value.why» }}\n    max: 4\n    role: writer\n    brief: Do it.\n"},
		{"duplicate key", "WF007", head + report + "    «role»: judge\n"},
		{"may be missing", "WF210", head + report + "    title: ${{ «tickets.survey.outputs.text» }}\n" + survey + "    when: ${{ inputs.count > 2 }}\n"},
		{"self", "WF326", head + report + "    needs: [«report»]\n"},
	}
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s %s", i, c.class, c.code), func(t *testing.T) {
			f := errorsAt(t, c.text, c.code)
			require.NotEmpty(t, f.Detail)
		})
	}
}

func TestSkippedTicketsOutputs(t *testing.T) {
	skipped := head + report + survey + "    when: ${{ inputs.count > 2 }}\n"
	consumer := "  last:\n    role: writer\n    brief: Text ${{ tickets.survey.outputs.text }}\n"
	cases := map[string]struct {
		text string
		good bool
	}{
		"bare":            {consumer, false},
		"default":         {strings.Replace(consumer, "text }}", "text ?? \"none\" }}", 1), true},
		"needed":          {consumer + "    needs: [survey]\n", true},
		"settled":         {consumer + "    needs: [{ticket: survey, until: settled}]\n", false},
		"guarded":         {consumer + "    when: ${{ tickets.survey.status == \"done\" }}\n", true},
		"guarded and":     {consumer + "    when: ${{ inputs.count > 1 && tickets.survey.status == \"done\" }}\n", true},
		"guarded or":      {consumer + "    when: ${{ inputs.count > 1 || tickets.survey.status == \"done\" }}\n", false},
		"guarded not":     {consumer + "    when: ${{ !(tickets.survey.status == \"done\") }}\n", false},
		"guarded skipped": {consumer + "    when: ${{ tickets.survey.status == \"skipped\" }}\n", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, found := load(skipped + c.text)
			if c.good {
				require.Empty(t, codesOf(found, diag.Error), "%v", found)
			} else {
				require.Equal(t, []string{"WF210"}, codesOf(found, diag.Error), "%v", found)
			}
		})
	}
}
