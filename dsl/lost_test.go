package dsl

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestWhatCannotBeReadIsToldOnce(t *testing.T) {
	const head = "wf: 1\nname: a\nlimits: {budget: 1 USD}\n"
	for name, text := range map[string]string{
		"roles":     head + "roles:\n  - name: r\ntickets:\n  t: {role: r, brief: x}\n",
		"pipelines": head + "pipelines:\n  - name: p\ntickets:\n  t: {pipeline: p, brief: x}\n",
		"inputs":    head + "inputs: [goal]\nroles:\n  r: {mode: review, agent: replay, budget: 1 USD}\ntickets:\n  t: {role: r, brief: \"${{ inputs.goal }}\"}\n",
		"types":     head + "types: [page]\nroles:\n  r: {mode: review, agent: replay, budget: 1 USD}\ntickets:\n  t: {role: r, brief: x, outputs: {p: page}}\n",
		"gates":     head + "roles:\n  r: {mode: chat, agent: replay, budget: 1 USD}\ntickets:\n  t: {role: r, brief: x, scope: [a], gates: {b: {run: ls}}, acceptance: [{what: ls exits 0, by: b}]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, found := Load("workflows/a.wf.yaml", fstest.MapFS{"workflows/a.wf.yaml": {Data: []byte(text)}}, Settings{})
			require.Len(t, found, 1, "%v", found)
			require.Equal(t, "WF103", found[0].Code)
			require.NotEmpty(t, found[0].Hint)
		})
	}
}
