package dsl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// A condition that is the same in every run decides nothing, also where it reads something.
func TestConstantConditions(t *testing.T) {
	text := head + survey0 + "  last:\n    role: writer\n    brief: Text ${{ inputs.goal }} ${{ inputs.count }}\n    needs: [NEEDS]\n    when: WHEN\n"
	settled := "{ticket: survey, until: settled}"
	cases := []struct{ needs, when, says string }{
		{"survey", `${{ 1 > 2 }}`, "always false"},
		{"survey", `${{ inputs.count > 2 || true }}`, "always true"},
		{"survey", `${{ inputs.count > 2 && false }}`, "always false"},
		{"survey", `${{ inputs.goal == "a" && inputs.goal == "b" }}`, "always false"},
		{"survey", `${{ inputs.count > 2 }}`, ""},
		{"survey", `${{ tickets.survey.status == "done" }}`, "always true"},
		{"survey", `${{ tickets.survey.status == "skipped" }}`, "always false"},
		{"survey", `${{ tickets.survey.status != "done" && inputs.count > 2 }}`, "until: settled"},
		{"", `${{ tickets.survey.status == "done" }}`, ""},
		{"", `${{ tickets.survey.status == "skipped" }}`, ""},
		{"", `${{ tickets.survey.status == "parked" }}`, "always false"},
		{settled, `${{ tickets.survey.status == "parked" }}`, ""},
		{settled, `${{ tickets.survey.status == "running" }}`, "always false"},
	}
	for _, c := range cases {
		file := strings.Replace(strings.Replace(text, "NEEDS", c.needs, 1), "WHEN", c.when, 1)
		_, found := load(file)
		require.Empty(t, codesOf(found, diag.Error), "%s: %v", c.when, found)
		var said []string
		for _, f := range found {
			if f.Code == "WF330" {
				require.Equal(t, strings.Count(file[:strings.Index(file, "    when: ")], "\n")+1, f.Range.Start.Line)
				said = append(said, f.Detail+" "+f.Hint)
			}
		}
		if c.says == "" {
			require.Empty(t, said, c.when)
			continue
		}
		require.Len(t, said, 1, c.when)
		require.Contains(t, said[0], c.says)
	}
}

const survey0 = "tickets:\n" + survey

// Who needs what may be skipped is skipped with it: its outputs may be missing too.
func TestSkipsSpread(t *testing.T) {
	text := func(needs, use string) string {
		return head + report + survey + "    when: ${{ inputs.count > 2 }}\n  middle:\n    needs: [" + needs + "]\n    role: writer\n    brief: Go on.\n    outputs: {text: string}\n  more:\n    needs: middle\n    role: writer\n    brief: Go on.\n    outputs: {text: string}\n  end:\n    role: writer\n    title: '" + use + "'\n    brief: Say it.\n"
	}
	for _, c := range []struct {
		needs, use string
		good       bool
	}{
		{"survey", "${{ tickets.middle.outputs.text }}", false},
		{"survey", "${{ tickets.more.outputs.text }}", false},
		{"survey", "${{ tickets.more.outputs.text ?? \"none\" }}", true},
		{"survey", "${{ tickets.more.status == \"done\" ? tickets.more.outputs.text : \"none\" }}", true},
		{"{ticket: survey, until: settled}", "${{ tickets.more.outputs.text }}", true},
		{"report", "${{ tickets.more.outputs.text }}", true},
	} {
		_, found := load(text(c.needs, c.use))
		var want []string
		if !c.good {
			want = []string{"WF210"}
		}
		require.Equal(t, want, codesOf(found, diag.Error), "%s %s: %v", c.needs, c.use, found)
	}
}
