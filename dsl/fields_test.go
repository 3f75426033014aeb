package dsl

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// fileWith writes a field into a file that is otherwise right.
func fileWith(owner, line string) string {
	lines := map[string]string{
		ownerWorkflow: "", ownerInput: "", ownerRole: "", ownerStage: "", ownerTicket: "", ownerGate: "",
	}
	lines[owner] = line
	in := func(owner string) string {
		if lines[owner] == "" {
			return ""
		}
		return ", " + lines[owner]
	}
	return fmt.Sprintf(`wf: 1
name: example
limits: {budget: 5 USD}
inputs:
  goal: {type: string%s}
roles:
  writer: {mode: chat%s}
  judge: {mode: review}
pipelines:
  build:
    - {stage: implement, role: writer, writes: scope%s}
    - {stage: qa, role: judge, verdict: {PASS: done, FAIL: implement}}
tickets:
  change:
    pipeline: build
    scope: ["src/**"]
    brief: Build ${{ inputs.goal }}.
    gates:
      - {name: tests, run: go test ./...%s}
%s`, in(ownerInput), in(ownerRole), in(ownerStage), in(ownerGate), strings.TrimPrefix("    "+lines[ownerTicket]+"\n", "    \n"))
}

// What is in the language and not built is refused, never ignored: every field,
// every word.
func TestLaterIsRefused(t *testing.T) {
	_, found := load(fileWith("", ""))
	require.Empty(t, codesOf(found, diag.Error), "%v", found)
	fields, words := 0, 0
	for _, f := range Fields() {
		require.Equal(t, f.Feature != "", f.State == Planned || len(f.Planned) > 0, "%s.%s", f.Owner, f.Name)
		for _, w := range f.Planned {
			require.Contains(t, f.Words, w, "%s.%s", f.Owner, f.Name)
		}
	}
	for _, f := range Fields() {
		if f.State == Later {
			fields++
			_, found := load(fileWith(f.Owner, f.Name+": [x]"))
			require.Equal(t, []string{"WF701"}, codesOf(found, diag.Error), "%s.%s: %v", f.Owner, f.Name, found)
		}
		for _, w := range f.Later {
			words++
			text := fileWith(f.Owner, f.Name+": "+w)
			if f.Owner == ownerSettings {
				continue
			}
			_, found := load(text)
			codes := codesOf(found, diag.Error)
			require.Len(t, codes, 1, "%s: %s: %v", f.Name, w, found)
			require.Contains(t, []string{"WF702", "WF703"}, codes[0])
		}
	}
	require.Positive(t, fields)
	require.Positive(t, words)
}

// A misspelt key of any owner is an error whose edit is the right key.
func TestEveryMisspeltKeyIsMended(t *testing.T) {
	for _, f := range Fields() {
		if !slices.Contains([]string{ownerInput, ownerRole, ownerStage, ownerTicket, ownerGate}, f.Owner) || f.State == Later || f.Required || len(f.Name) < 5 {
			continue
		}
		wrong := f.Name[:2] + f.Name[3:]
		text := fileWith(f.Owner, wrong+": x")
		if strings.Contains(text, "\n    "+f.Name+":") || strings.Contains(text, " "+f.Name+": ") && f.Owner != ownerGate {
			continue // already written: a second spelling of it is something else
		}
		_, found := load(text)
		i := slices.IndexFunc(found, func(f diag.Finding) bool { return f.Code == "WF101" })
		require.GreaterOrEqual(t, i, 0, "%s.%s", f.Owner, wrong)
		require.NotNil(t, found[i].Edit, "%s.%s: %v", f.Owner, wrong, found[i])
		require.Equal(t, f.Name, found[i].Edit.NewText, "%s.%s", f.Owner, wrong)
	}
}

// The table is sound: each field once, words and defaults of their types.
func TestFieldTable(t *testing.T) {
	seen := map[fieldKey]bool{}
	for _, f := range Fields() {
		key := fieldKey{f.Owner, f.Name}
		require.False(t, seen[key], "%v", key)
		seen[key] = true
		require.NotEmpty(t, f.Doc, "%v", key)
		require.NotEmpty(t, f.Phase, "%v", key)
		require.NotEmpty(t, f.Taint, "%v", key)
		if len(f.Words) > 0 && f.Default != "" {
			require.Contains(t, f.Words, f.Default, "%v", key)
		}
		for _, w := range f.Later {
			require.Contains(t, f.Words, w, "%v", key)
		}
		if f.Default != "" && f.Shape == ShapeScalar {
			require.True(t, field(f.Owner, f.Name).initial.Known, "%v", key)
		}
	}
	for word, meant := range synonyms {
		for _, m := range meant {
			require.NotEmpty(t, ownersOf(m), "%s means %s, which is no field", word, m)
		}
	}
}

// The defaults that the language promises.
func TestDefaults(t *testing.T) {
	w, found := load(fileWith("", ""))
	require.False(t, found.HasErrors())
	text := func(s Scalar) string { return s.Value.String() }
	l := w.Limits
	require.Equal(t, []string{"4", "1", "5", "2", "1", `"medium"`, `"2h"`}, []string{text(l.Concurrency), text(l.Depth), text(l.Children), text(l.Bounces), text(l.Retries), text(l.Width), text(l.Timeout)})
	require.False(t, l.Units.Known)
	require.Equal(t, `"30m"`, text(w.Pipelines[0].Stages[0].Timeout))
	require.Equal(t, `"10m"`, text(w.Tickets[0].Gates[0].Timeout))
	require.Equal(t, "go", w.Tickets[0].Gates[0].CountsBy())
	require.Equal(t, `"replay"`, text(w.Roles[0].Agent))
}

// One cause, one finding: what depends on a mistake is not judged.
func TestNoCascade(t *testing.T) {
	cases := map[string]struct{ code, text string }{
		"broken type of an output":  {"WF107", head + report + "  survey:\n    role: writer\n    brief: List.\n    outputs: {areas: list<aera>}\n  last:\n    for_each: ${{ tickets.survey.outputs.areas }}\n    key: ${{ each.value.name }}\n    max: 3\n    role: writer\n    brief: Do ${{ each.value.why }}.\n"},
		"broken type of an input":   {"WF107", strings.Replace(head, "goal: string", "goal: strng", 1) + report},
		"broken field of a record":  {"WF107", strings.Replace(head, "why: string", "why: txt", 1) + report + survey + "  last:\n    for_each: ${{ tickets.survey.outputs.areas }}\n    key: ${{ each.value.name }}\n    max: 3\n    role: writer\n    brief: Do ${{ each.value.why }}.\n"},
		"misspelt inputs":           {"WF101", strings.Replace(head, "inputs:", "input:", 1) + report},
		"misspelt tickets":          {"WF101", head + strings.Replace(report, "tickets:", "ticket:", 1)},
		"misspelt outputs":          {"WF101", head + report + strings.Replace(survey, "outputs:", "output:", 1) + "  last:\n    role: writer\n    brief: Do ${{ tickets.survey.outputs.text }}.\n"},
		"misspelt brief":            {"WF101", head + strings.Replace(report, "brief:", "breif:", 1)},
		"misspelt role of a stage":  {"WF302", strings.Replace(head, "qa, role: judge", "qa, role: jugde", 1) + change},
		"misspelt mode":             {"WF104", strings.Replace(head, "judge: {mode: review}", "judge: {mode: reviw}", 1) + change},
		"broken list of a fan-out":  {"WF202", head + report + "  last:\n    for_each: ${{ inputs.lst }}\n    key: ${{ each.value.name }}\n    role: writer\n    brief: Do ${{ each.value.why }}.\n"},
		"misspelt target":           {"WF305", strings.Replace(head, "PASS: done", "PASS: don", 1) + change},
		"kind that is not built":    {"WF702", head + report + "  last:\n    kind: deliberation\n    voters: [judge]\n    dimensions: {a: 1}\n  more:\n    role: writer\n    brief: Say ${{ tickets.last.outputs.verdict }}.\n"},
		"missing workflow included": {"WF110", head + report + "  last:\n    uses: ./other.wf.yaml\n    with: {a: b}\n  more:\n    role: writer\n    brief: Say ${{ tickets.last.outputs.x }}.\n"},
		"empty ticket":              {"WF103", head + report + "  last: do it\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, found := load(c.text)
			var errs diag.Findings
			for _, f := range found {
				if f.Severity != diag.Note {
					errs = append(errs, f)
				}
			}
			require.Len(t, errs, 1, "%v", errs)
			require.Equal(t, c.code, errs[0].Code, "%v", errs)
		})
	}
}
