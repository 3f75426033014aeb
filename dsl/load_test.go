package dsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{head + report, head + change, "wf: 1\n", "{", "wf: 1\ntickets: [a]\n", "wf: 1\ntypes: {a: {fields: {b: a}}}\n", "wf: 1\npipelines: {a: [{verdict: {A: next}}]}\n", "wf: 1\ntickets: {a: {for_each: {x: [1]}, matrix: {include: [a]}, gates: [{run: ' ', min_tests: x}]}}"} {
		f.Add(seed, "agent: claude\n", "---\nname: a\ntools: Read\n---\nx\n")
	}
	f.Fuzz(func(t *testing.T, text, settings, definition string) {
		files := mapFiles(map[string]string{"workflows/x.wf.yaml": text, "wf.yaml": settings, ".claude/agents/a.md": definition, "roles/a.md": definition})
		s, _ := LoadSettings("workflows/x.wf.yaml", files)
		w, found := Load("workflows/x.wf.yaml", files, s)
		require.True(t, w != nil || found.HasErrors(), "no workflow and no reason")
		for _, f := range found {
			require.NotEmpty(t, f.Range.File, "%v", f)
			require.LessOrEqual(t, f.Range.Start.Offset, f.Range.End.Offset, "%v", f)
		}
	})
}

// What an expression refers to is a ticket of the file, at a place in the file,
// and the same whatever the order in which it is asked.
func FuzzReferences(f *testing.F) {
	for _, seed := range []string{"tickets.survey.outputs.text", `tickets["survey"].status == "done"`, "any(tickets.work, .status == \"done\")", "tickets.survey?.outputs", "len(tickets.work) > 0 && tickets.gone.outputs.x", "each.value", "tickets . survey", "tickets.survey.outputs.areas[0].name"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, when, brief string) {
		quote := func(s string) string {
			return "'${{ " + strings.ReplaceAll(strings.ReplaceAll(s, "'", "''"), "\n", " ") + " }}'"
		}
		w, _ := load(head + report + survey + "  work:\n    matrix: {os: [a, b]}\n    role: writer\n    brief: x\n    outputs: {text: string}\n  last:\n    role: writer\n    when: " + quote(when) + "\n    brief: " + quote(brief) + "\n")
		if w == nil || len(w.Tickets) != 4 {
			return
		}
		refs := w.References(&w.Tickets[3])
		require.Equal(t, refs, w.References(&w.Tickets[3]))
		for _, r := range refs {
			require.Contains(t, []string{"report", "survey", "work", "last"}, r.Ticket)
			require.NotZero(t, r.Range.Start.Line)
			require.LessOrEqual(t, r.Range.Start.Offset, r.Range.End.Offset)
		}
	})
}

func TestReferences(t *testing.T) {
	w, found := load(head + report + survey + `  last:
    needs: [report, {ticket: survey, until: settled}]
    role: writer
    when: ${{ tickets.survey.status == "done" }}
    brief: ${{ tickets.survey.outputs.text }}
`)
	require.False(t, found.HasErrors(), "%v", found)
	refs := w.References(&w.Tickets[2])
	var got []string
	for _, r := range refs {
		got = append(got, fmt.Sprintf("%s %s need=%t settled=%t %d:%d", r.Ticket, r.Field, r.Need, r.Settled, r.Range.Start.Line, r.Range.Start.Column))
	}
	require.Equal(t, []string{
		"report needs need=true settled=false 27:13", "survey needs need=true settled=true 27:30",
		"survey brief need=false settled=false 30:16", "survey when need=false settled=false 29:15",
	}, got)
}

// Same input, same findings, in the same order: no map's order leaks.
func TestFindingsAreTheSameEveryTime(t *testing.T) {
	text := strings.ReplaceAll(head, "mode:", "mod:") + "types2: {}\n" + change + "    needs: [a, b, c]\n    gates: [{nam: x}, {name: y, run: a | b}]\n"
	_, first := load(text)
	for range 50 {
		_, again := load(text)
		require.Equal(t, first, again)
	}
}
