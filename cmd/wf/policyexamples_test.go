package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const exampleHead = `wf: 1
name: example
limits: {budget: 20 USD, concurrency: 2, width: small}
`

// example is a workflow that an example policy stops, and one that it lets pass.
type example struct {
	stops, passes string
	asks          bool // it asks for an approval and denies nothing
}

const claudeBuilder = "roles:\n  builder: {mode: chat, agent: claude, model: %MODEL%, budget: 1 USD, tools: {allow: [Read, Edit]}, network: [%NET%]}\n"

func builder(model, network string) string {
	return strings.NewReplacer("%MODEL%", model, "%NET%", network).Replace(claudeBuilder)
}

const oneTicket = "tickets:\n  change: {role: builder, scope: [\"src/**\"], brief: Build it.}\n"

// examplesOnPlans are workflows as people write them, one pair for each example.
var examplesOnPlans = map[string]example{
	"no_network_for_writers": {stops: builder("sonnet", "api.example.org") + oneTicket, passes: builder("sonnet", "model") + oneTicket},
	"opus_for_judges":        {stops: builder("opus", "model") + oneTicket, passes: builder("sonnet", "model") + oneTicket},
	"no_pushes": {
		stops:  "roles:\n  builder: {mode: chat, agent: claude, model: sonnet, budget: 1 USD, sandbox: none}\n" + oneTicket,
		passes: builder("sonnet", "model") + oneTicket,
	},
	"secrets_in_named_roles": {
		stops:  "roles:\n  builder: {mode: chat, agent: claude, model: sonnet, budget: 1 USD, tools: {allow: [Read, Edit]}, env: [DEPLOY_TOKEN]}\n" + oneTicket,
		passes: "roles:\n  releaser: {mode: chat, agent: claude, model: sonnet, budget: 1 USD, tools: {allow: [Read, Edit]}, env: [DEPLOY_TOKEN]}\n" + strings.Replace(oneTicket, "builder", "releaser", 1),
	},
	"dollars_per_ticket": {
		stops:  builder("sonnet", "model") + oneTicket,
		passes: builder("sonnet", "model") + strings.Replace(oneTicket, "brief", "budget: 4 USD, brief", 1),
	},
	"qa_by_another_vendor": {
		stops:  judged("claude"),
		passes: judged("codex"),
	},
	"two_approvers": {
		stops:  builder("sonnet", "model") + "tickets:\n" + several(6),
		passes: builder("sonnet", "model") + "tickets:\n" + several(2),
		asks:   true,
	},
	"untouchable_paths": {
		stops:  builder("sonnet", "model") + strings.Replace(oneTicket, "brief", "may_change: [\".github/workflows/ci.yml\"], brief", 1),
		passes: builder("sonnet", "model") + strings.Replace(oneTicket, "brief", "may_change: [go.mod], brief", 1),
	},
	"pinned_programs": {
		stops:  builder("sonnet", "model") + oneTicket,
		passes: "roles:\n  builder: {mode: chat, agent: replay, budget: 1 USD, tools: {allow: [Read, Edit]}}\n" + oneTicket,
	},
	"offline_gates": {
		stops:  builder("sonnet", "model") + gated("[proxy.example.org]"),
		passes: builder("sonnet", "model") + gated("[none]"),
	},
	"committed_only": {stops: "# not committed\n" + builder("sonnet", "model") + oneTicket, passes: builder("sonnet", "model") + oneTicket},
}

func judged(vendor string) string {
	return "roles:\n  builder: {mode: chat, agent: claude, model: sonnet, budget: 1 USD, tools: {allow: [Read, Edit]}}\n  judge: {mode: review, agent: " + vendor + ", model: best, budget: 1 USD}\n" +
		"pipelines:\n  build:\n    - {stage: implement, role: builder, writes: scope}\n    - {stage: qa, role: judge, verdict: {PASS: done, FAIL: implement}}\n" +
		"tickets:\n  change: {pipeline: build, scope: [\"src/**\"], brief: Build it.}\n"
}

func several(n int) string {
	var b strings.Builder
	for i := range n {
		at := string(rune('a' + i))
		b.WriteString("  t" + at + ": {role: builder, scope: [\"" + at + "/**\"], brief: Build it.}\n")
	}
	return b.String()
}

func gated(network string) string {
	return "tickets:\n  change:\n    role: builder\n    scope: [\"src/**\"]\n    brief: Build it.\n    gates: [{name: tests, run: go test ./..., count: go, network: " + network + "}]\n"
}

// Every example stops a workflow that people write, through the real binary,
// and lets one pass that does what it asks for.
func TestExamplesOnRealPlans(t *testing.T) {
	folder := filepath.Join("..", "..", "policies", "examples")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			x, known := examplesOnPlans[e.Name()]
			require.True(t, known, "an example without a workflow that it stops")
			w := newWorld(t, "relay")
			require.NoError(t, os.CopyFS(filepath.Join(w.repo, "policies"), os.DirFS(filepath.Join(folder, e.Name()))))
			w.workflow(x.passes)
			w.commit("the policy, and a workflow that passes")
			require.Contains(t, w.must(0, "policy", "test", "--coverage", "100"), "ok policies")
			w.must(0, "policy", "check")
			require.NotContains(t, w.must(0, "plan", "example"), "wf."+e.Name()+".")

			w.workflow(x.stops)
			if e.Name() != "committed_only" {
				w.commit("a workflow that it stops")
			}
			exit := 3
			if x.asks {
				exit = 0
			}
			require.Contains(t, w.must(exit, "plan", "example"), "wf."+e.Name()+".")
			require.Contains(t, w.must(0, "policy", "explain", e.Name(), "--plan", "example"), "It speaks")
		})
	}
	require.Len(t, examplesOnPlans, len(entries)-2, "folders beside the README and the marker")
}

func (w *world) workflow(text string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(filepath.Join(w.repo, "workflows", "example.wf.yaml"), []byte(exampleHead+text), 0o644))
}
