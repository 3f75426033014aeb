package planner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rolePowers is a role as far as its effects depend on it.
type rolePowers struct {
	adapter, floor               string
	tools, network, env, readsOf []string
}

func (r rolePowers) text() string {
	list := func(words []string) string { return "[" + strings.Join(words, ", ") + "]" }
	return fmt.Sprintf(`wf: 1
name: try
limits: {budget: 10 USD}
roles: {r: {mode: chat, agent: %s, budget: 1 USD, sandbox: %s, tools: {allow: %s}, network: %s, env: %s, reads: %s}}
tickets: {one: {role: r, brief: x, scope: ["a/**"]}}
`, r.adapter, r.floor, list(r.tools), list(r.network), list(r.env), list(r.readsOf))
}

// One more tool, host, variable or path, or a weaker floor, never takes an effect away.
func TestMoreNeverRemovesAnEffect(t *testing.T) { // MODE-13
	tools := []string{"Read", "Edit", "Write", "Bash", "Bash(go test:*)", "WebFetch", "mcp__tracker__write", "NotebookEdit"}
	hosts := []string{"model", "example.com", "proxy.golang.org"}
	variables := []string{"CI", "TERM", "GITHUB_TOKEN", "KEY"}
	paths := []string{"data", "secrets", ".ssh"}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		pick := func(from []string, least int) []string {
			out := slices.Clone(from)
			r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
			return out[:least+r.IntN(len(out)-least+1)]
		}
		less := rolePowers{adapter: []string{"claude", "replay", "command"}[r.IntN(3)], floor: floorLandlock, tools: pick(tools, 0), network: pick(hosts, 1), env: pick(variables, 0), readsOf: pick(paths, 0)}
		more := less
		switch r.IntN(5) {
		case 0:
			more.tools = slices.Compact(sorted(append(slices.Clone(less.tools), tools[r.IntN(len(tools))])))
		case 1:
			more.network = slices.Compact(sorted(append(slices.Clone(less.network), hosts[r.IntN(len(hosts))])))
		case 2:
			more.env = slices.Compact(sorted(append(slices.Clone(less.env), variables[r.IntN(len(variables))])))
		case 3:
			more.readsOf = slices.Compact(sorted(append(slices.Clone(less.readsOf), paths[r.IntN(len(paths))])))
		case 4:
			more.floor = floorNone
		}
		a, _ := plan(t, less.text())
		b, _ := plan(t, more.text())
		for _, e := range a.Agents[0].Effects {
			require.Contains(t, b.Agents[0].Effects, e, "\n%s\n%s", less.text(), more.text())
		}
		for _, e := range b.Effects {
			require.Contains(t, effectAt, e.Effect)
		}
	}
}
