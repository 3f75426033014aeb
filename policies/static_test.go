package policies

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What compiles and can never hold is found without a plan. POL-06, POL-07
func TestCheckFindsWhatCannotHold(t *testing.T) {
	ok := "package wf.own\n\nwarn contains {\"msg\": \"x\", \"level\": \"hard\", \"code\": \"OWN-1\"}\n\n"
	data := File{Path: "policies/names.json", Data: []byte(`["Raed(**/.env)", "mcp__wf__submit_outputs"]`)}
	for name, r := range map[string]struct {
		text string
		want []string
	}{
		"misspelt tool":           {ok + "guard contains {\"rule\": \"bash(curl *)\", \"decision\": \"deny\", \"reason\": \"x\"} if input.limits.budget > 5\n", []string{"WF517"}},
		"bad pattern":             {ok + "guard contains {\"rule\": \"Read(a**b)\", \"decision\": \"deny\", \"reason\": \"x\"}\n", []string{"WF516"}},
		"from data":               {ok + "guard contains {\"rule\": rule, \"decision\": \"deny\", \"reason\": \"x\"} if some rule in data.names\n", []string{"WF512", "WF517"}},
		"exception of a hard":     {ok + "except contains {\"rule\": \"wf.own.warn\", \"reason\": \"x\", \"until\": \"2030-01-01\"}\n", []string{"WF525"}},
		"exception by code":       {ok + "except contains {\"rule\": \"OWN-1\", \"reason\": \"x\", \"until\": \"2030-01-01\"}\n", []string{"WF525"}},
		"exception of another":    {ok + "except contains {\"rule\": \"wf.width.warn\", \"reason\": \"x\", \"until\": \"2030-01-01\"}\n", []string{"WF511"}},
		"exception of no day":     {ok + "except contains {\"rule\": \"OWN-2\", \"reason\": \"x\", \"until\": \"2030-02-31\"}\n", []string{"WF510"}},
		"no entry point":          {"package wf.own\n\na if b\n\nb if true\n", []string{"WF505"}},
		"all at once":             {ok + "deny contains {\"msg\": \"x\"} if input.limits.budget > \"5\"\n\nguard contains {\"rule\": \"Bsh\", \"decision\": \"deny\", \"reason\": \"x\"}\n", []string{"WF513", "WF517"}},
		"fails without a plan":    {ok + "deny contains {\"msg\": \"x\"} if not to_number(object.get(input, \"repository\", \"y\")) > 1\n", []string{}},
		"nothing wrong":           {ok + "guard contains {\"rule\": \"Bash(curl *)\", \"decision\": \"deny\", \"reason\": \"x\"}\n", []string{}},
		"tool of a server":        {ok + "guard contains {\"rule\": \"mcp__github__*\", \"decision\": \"deny\", \"reason\": \"x\"}\n", []string{}},
		"tool that nobody knows":  {ok + "guard contains {\"rule\": \"Telescope\", \"decision\": \"deny\", \"reason\": \"x\"}\n", []string{}},
		"exception of a soft one": {"package wf.own\n\nwarn contains {\"msg\": \"x\"}\n\nexcept contains {\"rule\": \"wf.own.warn\", \"reason\": \"x\", \"until\": \"2030-01-01\"}\n", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			findings, err := Check([]LayerSource{project(r.text, data)}, nil)
			require.NoError(t, err)
			require.Equal(t, r.want, codesOf(findings), "%v", findings)
			for _, f := range findings {
				require.Positive(t, f.Range.Start.Line)
				require.Positive(t, f.Range.Start.Column)
			}
		})
	}
}

// A fault is told once, on text that is there.
func TestParseFindings(t *testing.T) {
	for text, want := range map[string][]int{
		"package wf.own\n\ndeny contains {\"msg\": \"x\"\n":                                      {3, 25},
		"package wf.own\n\ndeny contains {\"msg\": \"x\"} if {\n\tinput.limits.budget > 5\n\n\n": {4, 24},
		"package wf.own\n\ndeny contains {\"msg\": \"x\n":                                        {3, 23},
		"package\n":              {1, 7},
		"package wf.own\r\n\r\n": nil,
	} {
		findings, err := Check([]LayerSource{project(text)}, nil)
		require.NoError(t, err)
		if want == nil {
			require.Equal(t, []string{"WF507"}, codesOf(findings))
			continue
		}
		require.Equal(t, []string{"WF501"}, codesOf(findings), text)
		require.Equal(t, want, []int{findings[0].Range.Start.Line, findings[0].Range.Start.Column}, text)
	}
}
