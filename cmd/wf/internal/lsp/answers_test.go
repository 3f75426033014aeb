package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shop is a workflow with something of everything; it has no errors.
const shop = `wf: 1
name: shop
description: A shop.
inputs:
  goal: {type: string, min_length: 1}
  areas: {type: "list<area>"}
types:
  area: {fields: {name: slug, path: path}}
limits: {budget: 5 USD}
roles:
  dev: {mode: chat, instructions: roles/dev.md}
  judge:
    mode: review
pipelines:
  build:
    - {stage: work, role: dev, writes: scope, gates: [tests]}
    - {stage: judge, role: judge, verdict: {PASS: done, FAIL: work}}
tickets:
  survey:
    role: judge
    brief: Look at ${{ inputs.goal }}.
    outputs:
      found: {type: "list<area>", max_items: 3}
      note: string
  change:
    needs: [survey]
    for_each: ${{ tickets.survey.outputs.found }}
    key: ${{ each.value.name }}
    max: 3
    pipeline: build
    scope: ["src/**"]
    brief: Change ${{ each.value.path }} for ${{ inputs.goal }}.
    gates:
      - {name: tests, run: go test ./..., min_tests: 1}
    acceptance:
      - {what: The tests pass, by: tests}
  report:
    needs: [{ticket: change, until: settled}]
    role: judge
    when: ${{ any(tickets.change, .status == "done") }}
    brief: Tell ${{ tickets.survey.outputs.note ?? "" }}.
outputs:
  note: ${{ tickets.survey.outputs.note }}
`

// session opens one document of a repository on disk.
func session(t *testing.T, name, text string) (*server, *document) {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{".git", "workflows", "roles", ".claude/agents"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir)), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "roles", "dev.md"), []byte("Write code.\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".claude", "agents", "qa.md"), []byte("---\nname: qa\n---\nTest.\n"), 0o644))
	s := newServer("test")
	uri := "file://" + filepath.ToSlash(filepath.Join(root, name))
	raw, err := json.Marshal(map[string]any{"textDocument": map[string]any{"uri": uri, "version": 1, "text": text}})
	require.NoError(t, err)
	_, err = s.didOpen(raw)
	require.NoError(t, err)
	d, err := s.document(uri)
	require.NoError(t, err)
	return s, d
}

// cut takes the cursor out of a text.
func cut(t *testing.T, text string) (string, int) {
	t.Helper()
	require.Equal(t, 1, strings.Count(text, "‸"), "one cursor")
	return strings.Replace(text, "‸", "", 1), strings.Index(text, "‸")
}

func labels(t *testing.T, text string) []string {
	t.Helper()
	return labelsIn(t, "workflows/shop.wf.yaml", text)
}

func labelsIn(t *testing.T, name, text string) []string {
	t.Helper()
	text, at := cut(t, text)
	s, d := session(t, name, text)
	var out []string
	for _, item := range complete(s, d, at).(completionList).Items {
		require.NotNil(t, item.TextEdit)
		require.LessOrEqual(t, d.offset(item.TextEdit.Range.Start), at, "an edit holds the cursor")
		require.GreaterOrEqual(t, d.offset(item.TextEdit.Range.End), at)
		out = append(out, item.Label)
	}
	return out
}

// TestCompletion types in many places, finished and not.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		name, text    string
		some, without []string
	}{
		{"keys of the file", "wf: 1\n‸", []string{"name", "limits", "tickets", "roles"}, []string{"wf", "brief", "agent"}},
		{"keys of an empty file", "‸", []string{"wf", "name", "tickets"}, nil},
		{"keys of a new ticket", shopWith("outputs:\n  note:", "  extra:\n    ‸\noutputs:\n  note:"), []string{"brief", "role", "needs"}, []string{"budget_", "stage", "mode"}},
		{"a key half typed", shopWith("    max: 3", "    ma‸\n    max: 3"), []string{"matrix", "may_change"}, []string{"max", "key", "for_each"}},
		{"a key among others, on an empty line", shopWith("    max: 3", "    ‸\n    max: 3"), []string{"narrow", "when"}, []string{"max"}},
		{"a key that has its colon", shopWith("    max: 3", "    m‸x: 3"), []string{"max"}, []string{"brief"}},
		{"a key in brackets", shopWith("writes: scope, gates", "wri‸, gates"), []string{"writes", "timeout"}, []string{"role", "gates", "brief"}},
		{"a key in brackets that are not closed", "wf: 1\nroles:\n  dev: {mode: chat, ‸\ntickets: {}\n", []string{"agent", "model"}, []string{"mode"}},
		{"a key of a list's new item", shopWith("      - {what: The tests pass, by: tests}", "      - ‸"), []string{"what", "by"}, []string{"stage"}},
		{"words of a field", shopWith("    mode: review", "    mode: ‸"), []string{"chat", "review", "plan"}, []string{"dev", "agent"}},
		{"words in brackets", shopWith("dev: {mode: chat", "dev: {mode: ‸"), []string{"chat", "review"}, nil},
		{"roles", shopWith("role: dev, writes", "role: ‸, writes"), []string{"dev", "judge"}, []string{"build"}},
		{"roles with errors above and below", "wf: 1\ndescription: \"A shop.\nroles:\n  dev: {}\n  x: [a\ntickets:\n  a:\n    role: ‸\n  b: {c\n", []string{"dev", "x"}, nil},
		{"pipelines", shopWith("    pipeline: build", "    pipeline: b‸"), []string{"build"}, []string{"dev"}},
		{"tickets in a list", shopWith("needs: [survey]", "needs: [s‸]"), []string{"survey", "report"}, []string{"change"}},
		{"tickets below a key", shopWith("    needs: [survey]", "    needs:\n      - ‸"), []string{"survey", "ticket"}, []string{"change"}},
		{"a ticket in a mapping", shopWith("{ticket: change, ", "{ticket: ‸, "), []string{"survey", "change"}, []string{"report"}},
		{"words of a need", shopWith("until: settled", "until: ‸"), []string{"done", "settled"}, nil},
		{"verdict targets", shopWith("FAIL: work", "FAIL: ‸"), []string{"work", "judge", "next", "done", "park"}, []string{"dev"}},
		{"gates of a stage", shopWith("gates: [tests]", "gates: [‸]"), []string{"tests"}, []string{"judge"}},
		{"what shows a row", shopWith("by: tests", "by: ‸"), []string{"tests", "judge"}, []string{"work"}},
		{"types", shopWith("note: string", "note: ‸"), []string{"string", "area", "list<…>", "money"}, []string{"note"}},
		{"types inside a type", shopWith(`found: {type: "list<area>"`, `found: {type: "list<a‸>"`), []string{"area", "string"}, nil},
		{"files", shopWith("instructions: roles/dev.md", "instructions: roles/‸"), []string{"roles/dev.md"}, nil},
		{"nothing inside a text", shopWith("description: A shop.", "description: A sh‸p."), nil, []string{"shop", "name"}},
		{"nothing inside a text block", shopWith("description: A shop.", "description: |\n  A\n  sh‸"), nil, []string{"name"}},
		{"nothing for names to invent", shopWith("  report:\n", "  rep‸:\n"), nil, []string{"survey", "brief"}},
		{"namespaces in a run-phase field", shopWith("Look at ${{ inputs.goal }}.", "Look at ${{ ‸ }}."), []string{"inputs", "tickets", "len"}, []string{"each", "matrix"}},
		{"namespaces in a fan-out", shopWith("Change ${{ each.value.path }}", "Change ${{ ‸ }}"), []string{"inputs", "tickets", "each"}, []string{"matrix"}},
		{"namespaces in a plan-phase field", shopWith("    max: 3", "    max: ${{ ‸ }}"), []string{"inputs"}, []string{"tickets"}},
		{"inputs", shopWith("Look at ${{ inputs.goal }}.", "Look at ${{ inputs.‸ }}."), []string{"goal", "areas"}, []string{"survey"}},
		{"an expression that is not closed", shopWith("Look at ${{ inputs.goal }}.", "Look at ${{ inputs.g‸"), []string{"goal", "areas"}, nil},
		{"an expression in open quotes", shopWith("Look at ${{ inputs.goal }}.", "\"Look at ${{ inputs.‸"), []string{"goal", "areas"}, nil},
		{"tickets in expressions", shopWith("${{ tickets.survey.outputs.note ?? \"\" }}.", "${{ tickets.‸"), []string{"survey", "change"}, []string{"report"}},
		{"outputs", shopWith("${{ tickets.survey.outputs.note ?? \"\" }}.", "${{ tickets.survey.outputs.‸ }}."), []string{"found", "note"}, []string{"status"}},
		{"what a ticket has", shopWith("${{ tickets.survey.outputs.note ?? \"\" }}.", "${{ tickets.survey.‸ }}."), []string{"outputs", "status"}, nil},
		{"of an element in a condition", shopWith(".status == \"done\"", ".‸"), []string{"key", "status", "outputs"}, nil},
		{"fields of each", shopWith("${{ each.value.path }}", "${{ each.value.‸ }}"), []string{"name", "path"}, nil},
		{"of a call", shopWith("${{ tickets.survey.outputs.note ?? \"\" }}.", "${{ first(inputs.areas)?.‸ }}."), []string{"name", "path"}, nil},
		{"nothing in a text of an expression", shopWith(".status == \"done\"", ".status == \"do‸"), nil, []string{"inputs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := labels(t, c.text)
			for _, want := range c.some {
				require.Contains(t, got, want)
			}
			for _, never := range c.without {
				require.NotContains(t, got, never)
			}
			if c.some == nil {
				require.Empty(t, got)
			}
		})
	}
}

func shopWith(was, is string) string {
	if strings.Count(shop, was) != 1 {
		panic(was + " does not stand once in the shop")
	}
	return strings.Replace(shop, was, is, 1)
}

// TestCompletionElsewhere: settings and replay scripts have keys of their own.
func TestCompletionElsewhere(t *testing.T) {
	got := labelsIn(t, "wf.yaml", "limits:\n  budget: 5 USD\n‸")
	require.Contains(t, got, "repository")
	require.NotContains(t, got, "tickets")
	require.Contains(t, labelsIn(t, "wf.yaml", "limits:\n  ‸\n"), "budget")
	require.Contains(t, labelsIn(t, "workflows/shop.replay.yaml", "agents:\n  survey.judge:\n    - ‸\n"), "verdict")
	require.Contains(t, labelsIn(t, "workflows/shop.replay.yaml", "‸"), "agents")
	require.Empty(t, labelsIn(t, "other.yaml", "a: ‸"))
}

// TestCompletionMakesWhatItOffers: a key comes with its colon, once.
func TestCompletionMakesWhatItOffers(t *testing.T) {
	for text, want := range map[string]string{"wf: 1\nna‸": "name: ", "wf: 1\nna‸: x": "name", "wf: 1\ntick‸": "tickets:"} {
		text, at := cut(t, text)
		s, d := session(t, "workflows/a.wf.yaml", text)
		items := complete(s, d, at).(completionList).Items
		i := slices.IndexFunc(items, func(c completionItem) bool { return strings.HasPrefix(want, c.Label) })
		require.GreaterOrEqual(t, i, 0)
		require.Equal(t, want, items[i].TextEdit.NewText)
	}
}

// TestHover: fields, names and values of expressions say what they are.
func TestHover(t *testing.T) {
	for text, want := range map[string]string{
		shopWith("    role: judge\n    brief: Look", "    ro‸le: judge\n    brief: Look"):                     "Who does it",
		shopWith("    max: 3", "    m‸ax: 3"):                                                                 "Known when the plan is made",
		shopWith("limits: {budget", "limits: {bud‸get"):                                                       "`money (required)`",
		shopWith("    mode: review", "    mode: rev‸iew"):                                                     "What the role may do at most.",
		shopWith("role: dev, writes", "role: d‸ev, writes"):                                                   "instructions: roles/dev.md",
		shopWith("needs: [survey]", "needs: [sur‸vey]"):                                                       "role: judge",
		shopWith("FAIL: work", "FAIL: w‸ork"):                                                                 "stage: work",
		shopWith(`areas: {type: "list<area>"`, `areas: {type: "list<ar‸ea>"`):                                 "name: slug",
		shopWith("Look at ${{ inputs.goal", "Look at ${{ inputs.go‸al"):                                       "`inputs.goal`: `string`",
		shopWith("for_each: ${{ tickets.survey.outputs.found", "for_each: ${{ tickets.survey.outputs.fo‸und"): "`list<area>`",
		shopWith("${{ each.value.name", "${{ each.va‸lue.name"):                                               "`each.value`: `area`",
		shopWith("any(tickets.change, .status", "any(tickets.cha‸nge, .status"):                               "`key`",
		shopWith("any(tickets.change, .status", "any(tickets.change, .sta‸tus"):                               "enum<waiting",
		shopWith("any(tickets.change", "a‸ny(tickets.change"):                                                 "any(list, condition) bool",
	} {
		text, at := cut(t, text)
		s, d := session(t, "workflows/shop.wf.yaml", text)
		got, ok := hover(s, d, at).(hoverResult)
		require.True(t, ok, "nothing at %s", text[at-20:at])
		require.Contains(t, got.Contents.Value, want)
		require.LessOrEqual(t, d.offset(got.Range.Start), at)
		require.GreaterOrEqual(t, d.offset(got.Range.End), at)
	}
	for _, text := range []string{"‸", "wf: 1 # a com‸ment\n", "nonsense: ‸x\n", "a: {b\nc‸"} {
		text, at := cut(t, text)
		s, d := session(t, "workflows/shop.wf.yaml", text)
		require.Nil(t, hover(s, d, at))
	}
}

// TestDefinition leads from each name to where it is declared.
func TestDefinition(t *testing.T) {
	for text, want := range map[string]string{
		shopWith("role: dev, writes", "role: d‸ev, writes"):                                                   "dev: {mode: chat",
		shopWith("    pipeline: build", "    pipeline: bu‸ild"):                                               "build:\n    - {stage",
		shopWith("needs: [survey]", "needs: [sur‸vey]"):                                                       "survey:\n    role",
		shopWith("{ticket: change", "{ticket: cha‸nge"):                                                       "change:\n    needs",
		shopWith("FAIL: work", "FAIL: w‸ork"):                                                                 "work, role: dev",
		shopWith("gates: [tests]", "gates: [te‸sts]"):                                                         "tests, run: go",
		shopWith("by: tests", "by: te‸sts"):                                                                   "tests, run: go",
		shopWith(`areas: {type: "list<area>"`, `areas: {type: "list<ar‸ea>"`):                                 "area: {fields",
		shopWith("Look at ${{ inputs.goal", "Look at ${{ inputs.go‸al"):                                       "goal: {type",
		shopWith("for_each: ${{ tickets.survey", "for_each: ${{ tickets.sur‸vey"):                             "survey:\n    role",
		shopWith("for_each: ${{ tickets.survey.outputs.found", "for_each: ${{ tickets.survey.outputs.fo‸und"): "found: {type",
		shopWith("${{ each.value.name", "${{ each.value.na‸me"):                                               "name: slug",
		shopWith("${{ each.value.name", "${{ each.va‸lue.name"):                                               "for_each: ${{",
	} {
		text, at := cut(t, text)
		s, d := session(t, "workflows/shop.wf.yaml", text)
		got := define(s, d, at).([]location)
		require.Len(t, got, 1, "%s", text[at-20:at])
		require.Equal(t, d.uri, got[0].URI)
		require.True(t, strings.HasPrefix(text[d.offset(got[0].Range.Start):], want), "%q begins with %q", text[d.offset(got[0].Range.Start):][:30], want)
	}
	for text, want := range map[string]string{
		shopWith("instructions: roles/dev.md", "instructions: roles/d‸ev.md"): "/roles/dev.md",
		shopWith("instructions: roles/dev.md", "uses: q‸a"):                   "/.claude/agents/qa.md",
	} {
		text, at := cut(t, text)
		s, d := session(t, "workflows/shop.wf.yaml", text)
		got := define(s, d, at).([]location)
		require.Len(t, got, 1)
		require.True(t, strings.HasSuffix(got[0].URI, want), got[0].URI)
	}
	text, at := cut(t, shopWith("instructions: roles/dev.md", "instructions: ../../../../etc/p‸asswd"))
	s, d := session(t, "workflows/shop.wf.yaml", text)
	require.Empty(t, define(s, d, at), "nothing outside of the repository")
}

// TestSymbols is the outline, each with the range of its name inside its own.
func TestSymbols(t *testing.T) {
	s, d := session(t, "workflows/shop.wf.yaml", shop)
	var all []string
	var walk func(list []symbol, depth string)
	walk = func(list []symbol, depth string) {
		for _, y := range list {
			all = append(all, depth+y.Name)
			require.LessOrEqual(t, d.offset(y.Range.Start), d.offset(y.SelectionRange.Start))
			require.GreaterOrEqual(t, d.offset(y.Range.End), d.offset(y.SelectionRange.End))
			walk(y.Children, depth+"  ")
		}
	}
	walk(symbols(s, d).([]symbol), "")
	for _, want := range []string{"tickets", "  change", "    tests", "  build", "    work", "roles", "  dev"} {
		require.Contains(t, all, want)
	}
}

// TestCodeActions: the edit of a finding mends it.
func TestCodeActions(t *testing.T) {
	s, d := session(t, "workflows/shop.wf.yaml", shopWith("    mode: review", "    mode: reviews"))
	at := strings.Index(d.text, "reviews")
	raw, err := json.Marshal(map[string]any{"textDocument": map[string]any{"uri": d.uri}, "range": d.span(at, at)})
	require.NoError(t, err)
	got, err := s.codeActions(raw)
	require.NoError(t, err)
	actions := got.([]codeAction)
	require.Len(t, actions, 1)
	edits := actions[0].Edit.Changes[d.uri]
	require.Len(t, edits, 1)
	mended := d.edited(2, []contentChange{{&edits[0].Range, edits[0].NewText}})
	require.Equal(t, shop, mended.text)
	require.Contains(t, actions[0].Title, "review")
	require.Equal(t, "WF104", actions[0].Diagnostics[0].Code)
}

// TestFormatting is one edit that leaves the lines at both ends alone.
func TestFormatting(t *testing.T) {
	s, d := session(t, "workflows/a.wf.yaml", "a: 1\nb:\n    c:   2\nd: 3\n")
	edits := formatting(s, d).([]textEdit)
	require.Equal(t, []textEdit{{span{position{2, 0}, position{3, 0}}, "  c: 2\n"}}, edits)
	for _, text := range []string{shop, "a: \"\nb:   1\n", "", "a: 1"} {
		s, d := session(t, "workflows/a.wf.yaml", text)
		for _, e := range formatting(s, d).([]textEdit) {
			d = d.edited(2, []contentChange{{&e.Range, e.NewText}})
		}
		again, _ := formatting(s, d).([]textEdit)
		require.Empty(t, again)
	}
}

// TestShopIsRight: the answers above are about a workflow without errors.
func TestShopIsRight(t *testing.T) {
	s, d := session(t, "workflows/shop.wf.yaml", shop)
	require.False(t, readDocument(d, s.viewOf(d)).found.HasErrors())
}

// TestIncludes: what an included workflow gives is known where it is used, and
// its path leads to it.
func TestIncludes(t *testing.T) {
	text, at := cut(t, shopWith("  report:\n", "  sub:\n    uses: ./area.wf.yaml\n  report:\n")+"  more: ${{ tickets.sub.outputs.‸ }}\n")
	s, d := session(t, "workflows/shop.wf.yaml", text)
	area := "wf: 1\nname: area\nlimits: {budget: 1 USD}\nroles:\n  r: {mode: review}\ntickets:\n  t: {role: r, brief: Look., outputs: {n: int}}\noutputs:\n  count: ${{ tickets.t.outputs.n }}\n"
	require.NoError(t, os.WriteFile(filepath.Join(d.root, "workflows", "area.wf.yaml"), []byte(area), 0o644))
	items := complete(s, d, at).(completionList).Items
	require.Len(t, items, 1)
	require.Equal(t, "count", items[0].Label)
	require.Equal(t, "int", items[0].Detail)
	got := define(s, d, strings.Index(text, "area.wf")).([]location)
	require.Len(t, got, 1)
	require.True(t, strings.HasSuffix(got[0].URI, "/workflows/area.wf.yaml"))
}

// TestKindsOfTickets: a review is offered what reviews have.
func TestKindsOfTickets(t *testing.T) {
	got := labels(t, shopWith("  report:\n", "  look:\n    kind: review\n    ‸\n  report:\n"))
	require.Contains(t, got, "reviewers")
	require.NotContains(t, got, "scope")
}
