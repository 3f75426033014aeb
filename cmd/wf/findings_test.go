package main_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/materializer/agent/replay"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/approval"
	"github.com/seed9cc7a46e/wf/planner/planfile"
	"github.com/seed9cc7a46e/wf/policies"
)

// A finding's page is the one source. `make generate` lays its wrong and its
// right example into testdata/findings/CODE as files a person can open, with
// the places of what is found in the wrong one. A page whose example is no file
// (a command, a host) has a transcript there instead, written by hand, or a row
// in elsewhere.tsv that says why it has none and which test shows it.

var (
	corpus      = filepath.Join(root, "testdata", "findings")
	findingForm = regexp.MustCompile(`^WF\d{3}$`)
	fenceForm   = regexp.MustCompile("(?s)^\n*```(yaml|text)\n(.*?)```")
	byteForm    = regexp.MustCompile(`<(?:U\+[0-9A-F]{4}|NUL|[0-9A-F]{2}(?: [0-9A-F]{2})*)>`)
)

const (
	exampleWorkflow = "workflows/example.wf.yaml"
	exampleScript   = "workflows/example.replay.yaml"
	exampleRule     = "policies/own.rego"
	exampleOperator = "policies/operators"
)

// example gives the files of the example under a heading of a page; none where
// the example is no file.
func example(t *testing.T, code, heading string) fstest.MapFS {
	t.Helper()
	page, err := diag.Page(code)
	require.NoError(t, err)
	_, rest, ok := strings.Cut(page, "\n## "+heading+"\n")
	require.True(t, ok, "%s has no %s", code, heading)
	m := fenceForm.FindStringSubmatch(rest)
	require.NotNil(t, m, "%s: no fence under %s", code, heading)
	lang, text := m[1], m[2]
	switch {
	case strings.HasPrefix(text, "# file: "):
		if lang == "text" {
			text = byteForm.ReplaceAllStringFunc(text, named)
		}
		return parts(text, "# file: ", "")
	case strings.HasPrefix(text, "-- "):
		return parts(text, "-- ", " --")
	case lang == "yaml" && code >= "WF180" && code < "WF200":
		return files(exampleScript, text)
	case lang == "yaml" && code < "WF6":
		return files(exampleWorkflow, text)
	case lang == "yaml" && code >= "WF7":
		return files(exampleWorkflow, text)
	case code >= "WF500" && code < "WF530":
		return files(exampleRule, text)
	case code >= "WF560" && code < "WF570":
		return files(exampleOperator, text)
	}
	return nil
}

func files(name, text string) fstest.MapFS {
	return fstest.MapFS{name: {Data: []byte(text)}}
}

// parts reads an example of several files, each under a line that names it.
func parts(text, before, after string) fstest.MapFS {
	out := fstest.MapFS{}
	for _, part := range strings.Split("\n"+text, "\n"+before)[1:] {
		name, body, _ := strings.Cut(part, after+"\n")
		if body != "" && !strings.HasSuffix(body, "\n") {
			body += "\n"
		}
		out[name] = &fstest.MapFile{Data: []byte(body)}
	}
	return out
}

// named gives the bytes that a page writes as <NUL>, <U+202E> or <EF BB BF>.
func named(sign string) string {
	inner := strings.Trim(sign, "<>")
	if inner == "NUL" {
		return "\x00"
	}
	if hex, ok := strings.CutPrefix(inner, "U+"); ok {
		n, _ := strconv.ParseUint(hex, 16, 32) // byteForm takes nothing else
		return string(rune(n))
	}
	var out []byte
	for _, hex := range strings.Fields(inner) {
		n, _ := strconv.ParseUint(hex, 16, 8)
		out = append(out, byte(n))
	}
	return string(out)
}

// beside are files that examples may name or need and do not show.
func beside(code string, shown fstest.MapFS) fstest.MapFS {
	out := fstest.MapFS{
		"roles/judge.md":        {Data: []byte("Judge the work.\n")},
		".claude/agents/qa.md":  {Data: []byte("---\nname: qa\ndescription: Tests things\ntools: Read, Grep\nmodel: sonnet\n---\nYou test.\n")},
		".claude/agents/odd.md": {Data: []byte("---\nname: odd\ndescription: Odd\nmood: sunny\n---\nYou are odd.\n")},
		"docs/plain.md":         {Data: []byte("No front matter.\n")},
		"roles/huge.md":         {Data: []byte(strings.Repeat("x", 1<<20+1))},
	}
	if code >= "WF500" && code < "WF530" {
		out[exampleWorkflow] = &fstest.MapFile{Data: []byte(judgedWorkflow)}
	}
	for name, file := range shown {
		out[name] = file
	}
	return out
}

// judgedWorkflow is what the rules of the policy pages are asked about.
const judgedWorkflow = `wf: 1
name: example
limits: {budget: 10 USD, concurrency: 2}
roles:
  builder: {mode: chat, agent: replay}
  judge: {mode: review, agent: replay}
pipelines:
  build:
    - {stage: implement, role: builder, writes: scope}
    - {stage: qa, role: judge, verdict: {PASS: done, FAIL: implement}}
tickets:
  change:
    pipeline: build
    scope: ["src/**"]
    brief: Change it.
`

// check reads files as `wf validate` and `wf plan` do, stage by stage.
func check(t *testing.T, code string, tree fstest.MapFS) diag.Findings {
	t.Helper()
	if ops := tree[exampleOperator]; ops != nil {
		_, found := approval.ParseOperators(exampleOperator, ops.Data)
		return found
	}
	if script := tree[exampleScript]; script != nil && tree[exampleWorkflow] == nil {
		_, found := replay.ParseScript(exampleScript, script.Data)
		return found
	}
	at := workflowOf(tree)
	settings, found := dsl.LoadSettings(at, tree)
	w, more := dsl.Load(at, tree, settings)
	found = append(found, more...)
	if w != nil {
		found = append(found, scripted(w)...)
	}
	if w == nil || found.HasErrors() || code < "WF4" && wanting(w) {
		return found.Sorted()
	}
	plan, more := planner.Make(planner.Request{Workflow: w, Base: planner.Base{Commit: strings.Repeat("a", 40), Date: "2027-01-15T10:00:00Z"}, Repository: "example"})
	found = append(found, more...)
	if plan == nil || found.HasErrors() {
		return found.Sorted()
	}
	return append(found, judged(t, code, plan, tree)...).Sorted()
}

// wanting tells of inputs that only a person can give; what is wrong with the
// file itself is told before them.
func wanting(w *dsl.Workflow) bool {
	return slices.ContainsFunc(w.Inputs, func(in dsl.Input) bool { return !in.HasDefault && !in.Type.Optional })
}

// workflowOf is the workflow that an example is about, beside those it includes.
func workflowOf(tree fstest.MapFS) string {
	var names []string
	for name := range tree {
		if strings.HasSuffix(name, dsl.Suffix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, base := range []string{"example", "try"} {
		if i := slices.IndexFunc(names, func(n string) bool { return path.Base(n) == base+dsl.Suffix }); i >= 0 {
			return names[i]
		}
	}
	return exampleWorkflow
}

func scripted(w *dsl.Workflow) diag.Findings {
	var out diag.Findings
	known := replay.Tickets{}
	for _, t := range w.Tickets {
		for _, s := range w.Stages(&t) {
			known[t.Name] = append(known[t.Name], s.Name)
		}
	}
	for _, s := range w.Sources {
		if s.Kind == "script" {
			script, said := replay.ParseScript(s.Path, s.Data)
			out = append(out, said...)
			if !said.HasErrors() {
				out = append(out, script.Unknown(known, expr.Nearest)...)
			}
		}
	}
	return out
}

func judged(t *testing.T, code string, plan *planner.Plan, tree fstest.MapFS) diag.Findings {
	t.Helper()
	layer := policies.LayerSource{Name: policies.LayerProject}
	for name, file := range tree {
		if strings.HasPrefix(name, "policies/") {
			layer.Files = append(layer.Files, policies.File{Path: name, Data: file.Data})
		}
	}
	if len(layer.Files) == 0 {
		return nil
	}
	slices.SortFunc(layer.Files, func(a, b policies.File) int { return strings.Compare(a.Path, b.Path) })
	document, err := planfile.Unjudged(plan)
	require.NoError(t, err)
	_, found, err := policies.Judge(context.Background(), document, plan, []policies.LayerSource{policies.BuiltIn(), layer}, policies.Options{})
	if !errors.Is(err, policies.ErrUnevaluated) {
		require.NoError(t, err)
	}
	if code < "WF520" {
		// These are about rules that cannot be evaluated; what a good one says is no fault of it.
		found = slices.DeleteFunc(found, func(f diag.Finding) bool { return f.Code >= "WF520" })
	}
	return found
}

// places writes findings as the file expect holds them.
func places(found diag.Findings) string {
	var out strings.Builder
	for _, f := range found {
		r := f.Range
		fmt.Fprintf(&out, "%s:%d:%d-%d:%d: %s %s\n", r.File, r.Start.Line, r.Start.Column, r.End.Line, r.End.Column, f.Severity, f.Code)
	}
	return out.String()
}

// Each page that is about a file shows, in its wrong example, its finding and no
// other, at a place that is held; its right example shows nothing. (PLAN-13)
func TestFindingsExamples(t *testing.T) {
	codes, err := diag.Pages()
	require.NoError(t, err)
	shown, reasons := 0, elsewhere(t)
	for _, code := range codes {
		wrong, right := example(t, code, "Wrong"), example(t, code, "Right")
		require.Equal(t, wrong == nil, right == nil, "%s: both examples are files, or none", code)
		if wrong == nil {
			continue
		}
		shown++
		t.Run(code, func(t *testing.T) {
			if why, ok := reasons[code]; ok {
				require.NotContains(t, places(check(t, code, beside(code, wrong))), code, "elsewhere.tsv says that it cannot be shown: %s", why)
				return
			}
			found := shownBy(t, code, wrong)
			require.NotEmpty(t, found, "the wrong example shows nothing")
			for _, f := range found {
				require.Equal(t, code, f.Code, "the wrong example shows something else as well; mend dsl/diag/pages/%s.md: %s: %s", code, f.Summary, f.Detail)
				require.NotEmpty(t, f.Detail)
			}
			require.Empty(t, places(shownBy(t, code, right)), "the right example shows something; mend dsl/diag/pages/%s.md", code)
			holdsFolder(t, code, wrong, right, places(found))
		})
	}
	require.Greater(t, shown, 150)
}

// together are findings that cannot be shown without another one.
var together = map[string][]string{
	"WF412": {"WF330"},          // a ticket that never runs needs one whose condition is constant
	"WF525": {"WF520", "WF523"}, // an exception with force is noted, one without leaves the denial standing
}

// shownBy is what an example shows beside what cannot be left out. That a kind
// of ticket is not run yet is true of many, and tells of the build alone.
func shownBy(t *testing.T, code string, tree fstest.MapFS) diag.Findings {
	t.Helper()
	return slices.DeleteFunc(check(t, code, beside(code, tree)), func(f diag.Finding) bool {
		return f.Code != code && (f.Code == "WF705" || slices.Contains(together[code], f.Code))
	})
}

// holdsFolder compares a folder with its page, or lays it.
func holdsFolder(t *testing.T, code string, wrong, right fstest.MapFS, expect string) {
	t.Helper()
	dir := filepath.Join(corpus, code)
	want := map[string]string{"expect": expect}
	for side, tree := range map[string]fstest.MapFS{"wrong": wrong, "right": right} {
		for name, file := range tree {
			want[side+"/"+name] = string(file.Data)
		}
	}
	if *update {
		require.NoError(t, os.RemoveAll(dir))
		for name, text := range want {
			to := filepath.Join(dir, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
			require.NoError(t, os.WriteFile(to, []byte(text), 0o644))
		}
		return
	}
	got := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(os.DirFS(dir), name)
		got[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatalf("testdata/findings/%s is not there; run make generate: %v", code, err)
	}
	require.Equal(t, want, got, "testdata/findings/%s is not what its page says; run make generate", code)
}

// Every page has its folder or its reason, and every folder and reason a page.
func TestFindingsFolders(t *testing.T) {
	codes, err := diag.Pages()
	require.NoError(t, err)
	reasons := elsewhere(t)
	folders, err := os.ReadDir(corpus)
	require.NoError(t, err)
	have := map[string]bool{}
	for _, d := range folders {
		if d.IsDir() {
			if *update && !slices.Contains(codes, d.Name()) {
				require.NoError(t, os.RemoveAll(filepath.Join(corpus, d.Name())))
				continue
			}
			require.True(t, slices.Contains(codes, d.Name()), "testdata/findings/%s has no page", d.Name())
			have[d.Name()] = true
		}
	}
	for _, code := range codes {
		_, excused := reasons[code]
		if example(t, code, "Wrong") != nil {
			continue // TestFindingsExamples holds its folder, or its row
		}
		if *update && !have[code] && !excused {
			noteUnshown(t, code)
			continue
		}
		require.True(t, have[code] != excused, "%s needs either testdata/findings/%s/%s.txtar or a row in elsewhere.tsv", code, code, code)
		if have[code] {
			text, err := os.ReadFile(filepath.Join(corpus, code, code+".txtar"))
			require.NoError(t, err)
			require.Contains(t, string(text), `\[`+code+`\]`, "the transcript of %s does not look for it", code)
		}
	}
	for code := range reasons {
		require.True(t, slices.Contains(codes, code), "elsewhere.tsv explains %s, which has no page", code)
	}
}

// noteUnshown adds the row of a page whose example is no file, until somebody
// writes its transcript.
func noteUnshown(t *testing.T, code string) {
	t.Helper()
	name := filepath.Join(corpus, "elsewhere.tsv")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = append(lines, code+"\t-\tno transcript yet")
	slices.Sort(lines[1:])
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}

// elsewhere reads the rows: code, the test that shows it, why it has no folder.
func elsewhere(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, "elsewhere.tsv"))
	require.NoError(t, err)
	out := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		cells := strings.Split(line, "\t")
		require.Len(t, cells, 3, "%q", line)
		code, where, why := cells[0], cells[1], cells[2]
		require.Regexp(t, findingForm, code)
		require.NotContains(t, out, code)
		require.NotEmpty(t, why, code)
		out[code] = why
		if where == "-" {
			continue // no test shows it
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(where)))
		require.NoError(t, err, code)
		require.True(t, strings.Contains(string(text), code) || strings.Contains(string(text), variableOf(t, code)), "%s does not speak of %s or %s", where, code, variableOf(t, code))
	}
	return out
}

// variableOf is the name a code has in its package; the code itself where it is
// not declared among the others.
func variableOf(t *testing.T, code string) string {
	t.Helper()
	form := regexp.MustCompile(`(\w+)\s*=\s*diag\.Define\("` + code + `"`)
	all, err := filepath.Glob(filepath.Join(root, "*", "codes.go"))
	require.NoError(t, err)
	for _, deeper := range []string{"*/*", "cmd/wf/internal/*"} {
		more, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(deeper), "codes.go"))
		require.NoError(t, err)
		all = append(all, more...)
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if m := form.FindStringSubmatch(string(text)); m != nil {
			return m[1]
		}
	}
	return code
}
