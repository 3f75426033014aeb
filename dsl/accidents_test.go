package dsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// What YAML does to expressions that are not quoted: each accident has one
// error, at its place, which says what to quote; where it has an edit, the file
// is good with it. «» marks the place.
func TestAccidentsAroundExpressions(t *testing.T) {
	cases := []struct{ code, line, says string }{
		{"WF019", "brief: ${{ inputs.count > 2 ? \"many\" «:» \"few\" }}", "Quote the whole value."},
		{"WF019", "brief: Do ${{ inputs.count > 2 ? \"many\" «:» \"few\" }} of it", "Quote the whole value."},
		{"WF019", "when: ${{ inputs.goal == \"a\" ? true «:» false }}", "Quote the whole value."},
		{"WF019", "scope: [\"a/**\", '${{ inputs.goal }}/**']\n    title: ${{ toJSON({a«:» 1}) }}", "Quote the whole value."},
		{"WF020", "brief: Do ${{ inputs.goal + \" «#» now\" }}", "Quote the whole value."},
		{"WF020", "when: ${{ inputs.goal == \"it's «#» here\" }}", "Quote the whole value."},
		{"WF020", "title: >-\n      fine\n    brief: ${{ inputs.goal + \" «#»1\" }}", "Quote the whole value."},
		{"WF021", "brief: «{{ inputs.goal }}»", "${{"},
		{"WF021", "title: «{{ inputs.goal }}»", "${{"},
		{"WF021", "brief: «{{ inputs.goal }} and more»", "${{"},
		{"WF021", "brief: «{inputs.goal} and more»", "Quote the whole value."},
		{"WF022", "brief: «\"Do\" ${{ inputs.goal }}»", "Quote the whole value."},
		{"WF022", "brief: «'Do' ${{ inputs.goal }} it»", "Quote the whole value."},
		{"WF022", "brief: «\"Do ${{ inputs.goal + \"x\" }}\"»", "other quotes"},
		{"WF022", "brief: «'Do ${{ inputs.goal + 'x' }}'»", "other quotes"},
		{"WF022", "when: «\"${{ inputs.goal == \"x\" }}\"»", "other quotes"},
		{"WF023", "brief: «$ {{» inputs.goal }}", "without a space"},
		{"WF023", "brief: Do «$ {{» inputs.goal }}", "without a space"},
		{"WF023", "brief: Do «${ {» inputs.goal }}", "without a space"},
		{"WF023", "brief: |\n      Do «$ {{» inputs.goal }}", "without a space"},
		{"WF024", "scope: [«${{ inputs.goal }}/**»]", "Quote the whole value."},
		{"WF024", "gates: [{name: t, run: «make x=${{ inputs.count }}»}]", "Quote the whole value."},
		{"WF026", "brief: «@home ${{ inputs.goal }}»", "Quote the whole value."},
		{"WF026", "brief: «% ${{ inputs.goal }}»", "Quote the whole value."},
		{"WF028", "brief: Note«:» ${{ inputs.goal }}", "Quote the whole value."},
		{"WF028", "brief: ${{ inputs.goal }}«:» go", "Quote the whole value."},
		{"WF012", "when: «!${{ inputs.count > 2 }}»", "!(inputs.count > 2)"},
		{"WF012", "when: «!${{ inputs.goal == 'a' }}»", "!(inputs.goal == 'a')"},
		{"WF129", "when: «inputs.count > 2»", "${{ inputs.count > 2 }}"},
		{"WF129", "when: «inputs.goal == \"a\"»", "${{ inputs.goal == \"a\" }}"},
		{"WF212", "brief: Do «${{ inputs.goal }»", "}}"},
		{"WF212", "brief: |\n      Do «${{ inputs.goal»\n      now", "}}"},
		{"WF201", "when: ${{ inputs.count «=» 2 }}", "=="},
		{"WF206", "when: «${{ inputs.count > 2 }} && ${{ inputs.count < 9 }}»", "inside one ${{ }}"},
	}
	base := strings.Replace(head, "count: {type", "more: {type: string, default: x}\n  count: {type", 1)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s", i, c.code), func(t *testing.T) {
			line := c.line
			if !strings.Contains(line, "brief:") {
				line += "\n    brief: x"
			}
			text := base + "tickets:\n  report:\n    role: writer\n    " + line + "\n"
			if strings.Contains(line, "gates:") {
				text = strings.Replace(text, "role: writer\n    gates", "role: writer\n    scope: [a]\n    gates", 1)
			}
			f := errorsAt(t, text, c.code)
			require.Contains(t, f.Detail+" "+f.Hint, c.says)
			if f.Edit == nil {
				return
			}
			clean := strings.NewReplacer("«", "", "»", "").Replace(text)
			mended := clean[:f.Edit.Range.Start.Offset] + f.Edit.NewText + clean[f.Edit.Range.End.Offset:]
			_, found := load(mended)
			require.Empty(t, codesOf(found, diag.Error), "%s\n%v", mended, found)
		})
	}
}

// Places are right in every kind of scalar, with CRLF, wide characters and escapes.
func TestPlacesOfExpressions(t *testing.T) {
	scalars := []string{
		"brief: Do ${{ inputs.«gaol» }} now",
		"brief: '日本 it''s ${{ inputs.«gaol» }}'",
		"brief: \"a\\tb \\u65e5 \\\"x\\\" ${{ inputs.«gaol» }}\"",
		"brief: \"𝒳 é ${{ inputs.«gaol» }}\"",
		"brief: Do\n      it ${{ inputs.«gaol» }}\n      now",
		"brief: |\n      日本\n\n        ${{ inputs.«gaol» }}\n      end",
		"brief: >\n      folded\n      text ${{ inputs.«gaol» }}\n\n      end",
		"brief: |2-\n        ${{ inputs.«gaol» }}",
		"brief: >+\n      a\n\n\n      ${{ «inputs.goal + inputs.count» }}\n\n",
		"brief: ${{ inputs.goal +\n      inputs.«gaol» }}",
		"brief: \"a\\\n      b ${{ inputs.«gaol» }}\"",
		"brief: 'folded\n\n      ${{ inputs.«gaol» }}'",
		"brief: x # 日本\n    title: ${{ inputs.«gaol» }} # end",
	}
	for i, scalar := range scalars {
		for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
			t.Run(fmt.Sprintf("%d %s", i, name), func(t *testing.T) {
				code := "WF202"
				if strings.Contains(scalar, "«inputs.goal + inputs.count»") {
					code = "WF204"
				}
				text := head + "tickets:\n  report:\n    role: writer\n    " + scalar + "\n"
				errorsAt(t, strings.ReplaceAll(text, "\n", end), code)
			})
		}
	}
}
