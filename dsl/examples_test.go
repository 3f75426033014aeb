package dsl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// loadTarget loads one of the files that show what authors write.
func loadTarget(t *testing.T, name string) (*Workflow, diag.Findings) {
	data, err := os.ReadFile(filepath.Join("testdata", "examples", name+Suffix))
	require.NoError(t, err)
	files := fstest.MapFS{"workflows/" + name + Suffix: {Data: data}}
	for _, role := range []string{"for", "against", "correctness", "security", "performance"} {
		files["roles/"+role+".md"] = &fstest.MapFile{Data: []byte("You look at " + role + ".\n")}
	}
	return Load("workflows/"+name+Suffix, files, Settings{})
}

// LANG: what authors should be able to write is read whole; what does not run
// yet is told as a note, and a deliberation is refused with its one finding.
func TestTargetExamples(t *testing.T) {
	cases := map[string][]string{
		"migrate-packages":    {"WF705"},
		"review-pull-request": {"WF705"},
		"decide":              {"WF702", "WF705"},
	}
	for name, codes := range cases {
		t.Run(name, func(t *testing.T) {
			_, found := loadTarget(t, name)
			require.Equal(t, codes, codesOf(found, diag.Note), "%v", found)
			for _, f := range found {
				if f.Code == "WF702" {
					require.Equal(t, 14, f.Range.Start.Line)
				}
			}
		})
	}
}

func TestReviewIsTyped(t *testing.T) { // REV-01, REV-04
	w, _ := loadTarget(t, "review-pull-request")
	review := w.Tickets[0]
	require.Equal(t, KindReview, review.Kind)
	require.Equal(t, &Confirm{By: "any_other", AtLeast: "P1", Range: review.Review.Confirm.Range}, review.Review.Confirm)
	require.Len(t, review.Review.Reviewers, 3)
	gated := map[string]bool{}
	for _, a := range review.Review.Axes {
		gated[a.Gate.Name] = a.Gated
	}
	require.Equal(t, map[string]bool{"build": true, "tests": true, "lint": false}, gated)
	stages := w.Stages(&review)
	require.Equal(t, []string{"correctness", "security", "performance"}, stages[0].Workers())
	require.Equal(t, ReviewStage, stages[0].Name)

	outputs := review.Delivers()
	require.Equal(t, "enum<ship,hold,block>", outputs[0].Type.String())
	require.Equal(t, 40, *outputs[1].Type.Limits.MaxItems)
	finding := *outputs[1].Type.Elem
	confidence, _ := finding.Field("confidence")
	require.Equal(t, []float64{0, 1}, []float64{*confidence.Limits.Min, *confidence.Limits.Max})
	anchor, _ := finding.Field("anchor")
	require.True(t, anchor.Optional, "a note about the whole has no place")
	require.Equal(t, expr.Enum, w.Outputs[0].Value.Checked.Type.Kind)
}

// What uses a review is checked against the types of its outputs.
func TestUsesOfAReview(t *testing.T) {
	text := `wf: 1
name: example
limits: {budget: 5 USD}
roles:
  one: {mode: review}
  two: {mode: review, instructions: roles/judge.md}
tickets:
  review:
    kind: review
    reviewers: [one, two]
    brief: Review it.
  next:
    role: one
    when: ${{ WHEN }}
    brief: Look at ${{ len(tickets.review.outputs.findings) }} findings.
`
	cases := map[string]string{
		`tickets.review.outputs.verdict == "ship"`:                                    "",
		`tickets.review.outputs.verdict == "shipp"`:                                   "WF204",
		`tickets.review.outputs.verdct == "ship"`:                                     "WF203",
		`any(tickets.review.outputs.findings, .priority == "P0")`:                     "",
		`any(tickets.review.outputs.findings, .priority == "P4")`:                     "WF204",
		`any(tickets.review.outputs.findings, .priorty == "P0")`:                      "WF203",
		`any(tickets.review.outputs.findings, .confidence > "high")`:                  "WF204",
		`any(tickets.review.outputs.findings, .anchor.path == "a")`:                   "WF210",
		`any(tickets.review.outputs.findings, .anchor?.path == "a")`:                  "",
		`any(tickets.review.outputs.findings, .status == "consensus_ready")`:          "",
		`tickets.review.outputs.findings`:                                             "WF206",
		`count(tickets.review.outputs.findings, .kind == "bug" && .confidence > 0.5)`: "WF206",
	}
	files := pageFiles()
	for when, code := range cases {
		files["workflows/example.wf.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(text, "WHEN", when, 1))}
		_, found := Load("workflows/example.wf.yaml", files, Settings{})
		want := []string{code}
		if code == "" {
			want = nil
		}
		require.Equal(t, want, codesOf(found, diag.Error), "%s: %v", when, found)
	}
}
