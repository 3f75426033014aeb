package dsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// One file that uses fan-outs of every kind, optional types, constraints and lists of tickets.
const wide = `wf: 1
name: wide
limits: {budget: 5 USD}
inputs:
  hosts: {type: map<int>, default: {a: 1, b: 2}}
  opt: string?
  cost: {type: money, min: 1 USD, max: 4.5 USD, default: 2 USD}
  wait: {type: duration, max: 1h, default: 5m}
  names: {type: list<slug>, min_items: 1, unique: true, default: [a, b]}
  word: {type: string, pattern: "^[a-z]+$", min_length: 1, max_length: 9, default: abc}
types:
  area: {fields: {name: slug, path: path?, n: {type: int, min: 1}}}
roles:
  dev: {mode: chat, agent: replay}
tickets:
  m:
    for_each: {a: {x: 1}, b: {x: 2}}
    role: dev
    brief: ${{ each.key }} ${{ each.value.x }}
  n:
    for_each: ${{ inputs.hosts }}
    role: dev
    brief: ${{ each.key }} ${{ each.value + 1 }} ${{ inputs.opt ?? "none" }} ${{ inputs.cost }} ${{ inputs.wait }} ${{ inputs.word }}
    scope: ["${{ each.key }}/**"]
    gates:
      - {name: t, run: "go test -count=${{ each.value }} ./${{ each.key }}/..."}
  o:
    for_each: [{name: a, x: 1}, {name: b, x: 2}]
    key: ${{ each.value.name }}
    role: dev
    brief: ${{ each.value.x }} of ${{ each.index }} in ${{ len(inputs.names) }}
    outputs: {areas: "list<area>"}
  p:
    matrix: {os: [linux, darwin], go: ["1.25", "1.26"], exclude: [{os: darwin, go: "1.25"}]}
    role: dev
    brief: ${{ matrix.os }} ${{ matrix.go }}
  q:
    needs: [o, p, {ticket: m, until: settled}]
    role: dev
    when: ${{ len(filter(tickets.m, .status == "done")) > 0 }}
    brief: |
      ${{ toJSON(tickets.o) }} and
      ${{ len(tickets.p) }}
outputs:
  x: ${{ tickets.q.status }}
`

func TestWideWorkflow(t *testing.T) {
	w, found := load(wide)
	require.Empty(t, found)
	require.Len(t, w.Tickets, 5)
	for i, fans := range []bool{true, true, true, true, false} {
		require.Equal(t, fans, w.Tickets[i].FansOut())
		require.Len(t, w.Stages(&w.Tickets[i]), 1)
		require.Equal(t, SoleStage, w.Stages(&w.Tickets[i])[0].Name)
	}
	require.Equal(t, []Writes{WritesNone, WritesScope}, []Writes{w.Stages(&w.Tickets[0])[0].Writes, w.Stages(&w.Tickets[1])[0].Writes})
	require.Equal(t, `{"a":{"x":1},"b":{"x":2}}`, w.Tickets[0].ForEach.Value.String())
	require.False(t, w.Tickets[2].Each.AtRun)
}

// Changes of the wide file, each with the one finding it gets.
func TestChangesOfTheWideWorkflow(t *testing.T) {
	cases := []struct{ old, new, code, says string }{
		{"name: wide", "name: My Flow", "WF106", "my-flow"},
		{"name: wide", "name: '***'", "WF106", "branches"},
		{"min: 1 USD, max", "min: 9 USD, max", "WF109", "Swap"},
		{"min: 1 USD", "min: one", "WF129", "money"},
		{"max: 1h", "max: 1", "WF129", "duration"},
		{"min_items: 1", "min_items: -1", "WF129", "count"},
		{"max_length: 9", "max_length: 0", "WF109", "Swap"},
		{`pattern: "^[a-z]+$"`, `pattern: "("`, "WF124", "RE2"},
		{"default: [a, b]", "default: [a, a]", "WF108", "unique"},
		{"default: 2 USD", "default: 5 USD", "WF108", "the most is"},
		{"default: {a: 1, b: 2}", "default: {a: 1, b: x}", "WF108", "int"},
		{"needs: [o, p,", "needs: [o p,", "WF103", "brackets"},
		{"exclude: [{os:", "exclude: [{od:", "WF340", "os"},
		{"exclude: [{os: darwin, go: \"1.25\"}]", "include: [{os: plan9}]", "WF340", "go"},
		{"key: ${{ each.value.name }}", "key: ${{ \"k\" }}", "WF310", "`k`"},
		{"for_each: ${{ inputs.hosts }}", "for_each: ${{ inputs.word }}", "WF103", "list or a map"},
		{"matrix: {os: [linux, darwin]", "matrix: {os: []", "WF113", "at least one"},
		{"-count=${{ each.value }}", "${{ each.value }}", "WF322", "flag"},
		{"./${{ each.key }}/...", "${{ inputs.word }}", "WF322", "flag"},
		{"./${{ each.key }}/...", "${{ inputs.names }}", "WF103", "one value"},
		{"gates:\n      - {name", "gates:\n      t: {name", "WF103", "- "},
		{"role: dev\n    when", "role: dev\n    count: go\n    when", "WF101", "a gate"},
		{"/...\"}", "/...\", count: lots}", "WF104", "junit:PATH"},
		{"for_each: [{name: a, x: 1}, {name: b, x: 2}]", "for_each: []", "WF113", "at least one"},
		{"brief: ${{ matrix.os }} ${{ matrix.go }}", "brief: ' '", "WF113", "blank"},
	}
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s", i, c.new), func(t *testing.T) {
			text := strings.Replace(wide, c.old, c.new, 1)
			require.NotEqual(t, wide, text)
			_, found := load(text)
			require.Equal(t, []string{c.code}, codesOf(found, diag.Error), "%v", found)
			require.Contains(t, found[0].Summary+found[0].Detail+found[0].Hint, c.says)
		})
	}
}

// What cannot begin with a dash may begin a word; the rest needs text before it.
func TestWordsThatCouldBeFlags(t *testing.T) {
	safe := []string{"slug", "bool", "money", "duration", "url", "ref", "enum<a,b>", "{type: int, min: 0}"}
	unsafe := []string{"string", "path", "glob", "int", "number", "enum<a,-b>"}
	text := func(typ, word string) string {
		if !strings.HasPrefix(typ, "{") {
			typ = `"` + typ + `"`
		}
		return strings.Replace(head, "goal: string", "goal: "+typ, 1) + "tickets:\n  change:\n    pipeline: build\n    scope: [\"src/**\"]\n    brief: Build ${{ inputs.count }}.\n    gates:\n      - {name: tests, run: 'make " + word + "'}\n"
	}
	for _, typ := range append(safe, unsafe...) {
		_, found := load(text(typ, "x=${{ inputs.goal }}"))
		require.Empty(t, codesOf(found, diag.Error), "%s: %v", typ, found)
	}
	for _, word := range []string{"${{ inputs.goal }}", "${{ inputs.goal }}.txt", `"${{ inputs.goal }}"`} {
		for _, typ := range safe {
			_, found := load(text(typ, word))
			require.Empty(t, codesOf(found, diag.Error), "%s: %v", typ, found)
		}
		for _, typ := range unsafe {
			_, found := load(text(typ, word))
			require.Equal(t, []string{"WF322"}, codesOf(found, diag.Error), "%s: %v", typ, found)
		}
	}
}
