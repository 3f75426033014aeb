package planner

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl"
)

const granted = `wf: 1
name: try
limits: {budget: 9 USD}
inputs:
  goal: string
  token: {type: string, secret: true, source: forge}
roles:
  dev:
    mode: chat
    agent: claude
    budget: 1 USD
    secrets: [token]
    skills: [house, tools/skills/own]
    auth: key
    customisation: none
    tools: {allow: [Edit, Bash, mcp__files__read]}
    mcp:
      files: {run: npx files --root ., env: [CI]}
      tracker: {url: "https://tracker.example/mcp"}
tickets:
  change:
    role: dev
    scope: ["src/**"]
    brief: Build ${{ inputs.goal }}.
    base: v1
    checkout: {ref: release, submodules: true, sparse: ["src/**"]}
    generated: ["src/gen/**"]
    services:
      - {name: db, run: ./db --memory, port: 5432, ready: /health, env: {PASSWORD: "${{ inputs.token }}"}}
    notify: {run: ./tell, on: [blocked, done]}
    gates:
      - {name: tests, run: go test ./..., env: {TOKEN: "${{ inputs.token }}", GOAL: "${{ inputs.goal }}"}}
`

func grantedFiles(text string) fstest.MapFS {
	return fstest.MapFS{
		workflowPath:                    {Data: []byte(text)},
		".claude/skills/house/SKILL.md": {Data: []byte("house\n")},
		"tools/skills/own/SKILL.md":     {Data: []byte("own\n")},
		"AGENTS.md":                     {Data: []byte("Be kind.\n")},
	}
}

// What a role and a ticket are given stands in the plan, in the effects and in
// what the plan needs. MODE-14
func TestGrants(t *testing.T) {
	req := requestAt(t, workflowPath, grantedFiles(granted), "goal=x")
	require.Equal(t, []string{"release", "v1"}, RefsWanted(req))
	_, found := Make(req)
	require.Contains(t, codes(found), "WF403", "a ref that names no commit")
	req.Refs = []Ref{{"v1", strings.Repeat("b", 40)}, {"release", strings.Repeat("c", 40)}}
	p, found := Make(req)
	require.Empty(t, texts(errorsOf(found)))
	r := p.Roles[0]
	require.Equal(t, []Secret{{"token", "forge"}}, p.Secrets)
	require.Equal(t, []string{"token"}, r.Secrets)
	require.Equal(t, []MCPServer{{Name: "files", Argv: []string{"npx", "files", "--root", "."}, Env: []string{"CI"}}, {Name: "tracker", URL: "https://tracker.example/mcp", Env: []string{}}}, r.MCP)
	require.Equal(t, []Skill{{"house", ".claude/skills/house/SKILL.md", Hash([]byte("house\n"))}, {"own", "tools/skills/own/SKILL.md", Hash([]byte("own\n"))}}, r.Skills)
	require.Equal(t, "key none", r.Auth+" "+r.Customisation)
	c := ticket(t, p, "change")
	require.Equal(t, strings.Repeat("b", 40), c.Base)
	require.Equal(t, &Checkout{Commit: strings.Repeat("c", 40), Submodules: true, Sparse: []string{"src/**"}}, c.Checkout)
	require.Equal(t, []string{"src/gen/**"}, c.Generated)
	require.Equal(t, []Service{{Name: "db", Argv: []string{"./db", "--memory"}, Port: 5432, Ready: "/health", Env: []EnvVar{{Name: "PASSWORD", Secret: "token"}}, TimeoutSeconds: 60}}, c.Services)
	require.Equal(t, &Notify{Argv: []string{"./tell"}, On: []string{"blocked", "done"}, TimeoutSeconds: 30, Network: []string{"none"}}, c.Notify)
	require.Equal(t, EnvVar{Name: "TOKEN", Secret: "token"}, c.Gates[0].Env[0])
	by := map[string]string{}
	for _, e := range p.Effects {
		by[e.Effect] += strings.Join(e.By, " ") + " "
	}
	require.Contains(t, by["secret.read"], "dev@change")
	require.Contains(t, by["secret.read"], "T-001/gate/tests")
	require.Contains(t, by["secret.read"], "T-001/service/db")
	require.Contains(t, by["process.exec"], "T-001/notify")
	require.Contains(t, by["network.egress"], "dev@change")
	var needs []string
	for _, n := range p.Requirements {
		if n.Kind == "feature" {
			needs = append(needs, n.Name)
		}
	}
	require.Equal(t, []string{"auth: key", "base", "checkout", "customisation: none", "generated", "mcp", "notify", "secrets", "services", "skills"}, needs)
}

// A secret is no value: given one, there is no plan, and what was given is not
// repeated anywhere.
func TestSecretTakesNoValue(t *testing.T) {
	req := requestAt(t, workflowPath, grantedFiles(granted), "goal=x", "token=hunter2")
	p, found := Make(req)
	require.Nil(t, p)
	require.Contains(t, codes(found), "WF404")
	said, err := json.Marshal(found)
	require.NoError(t, err)
	require.NotContains(t, string(said), "hunter2")
}

// Secrets stand as a whole in the env of gates and services, and nowhere else.
func TestSecretStandsNowhereElse(t *testing.T) {
	for _, wrong := range []string{
		"brief: Build ${{ inputs.token }}.", `brief: x
    title: ${{ inputs.token }}`, `brief: x
    when: ${{ inputs.token != "" }}`, `brief: x
    context: ["${{ inputs.token }}"]`,
	} {
		text := strings.Replace(granted, "brief: Build ${{ inputs.goal }}.", wrong, 1)
		_, found := dsl.Load(workflowPath, grantedFiles(text), dsl.Settings{})
		require.Contains(t, codes(found), "WF215", wrong)
	}
	for _, wrong := range []string{"x ${{ inputs.token }}", "${{ upper(inputs.token) }}"} {
		text := strings.Replace(granted, `TOKEN: "${{ inputs.token }}"`, `TOKEN: "`+wrong+`"`, 1)
		_, found := dsl.Load(workflowPath, grantedFiles(text), dsl.Settings{})
		require.Contains(t, codes(found), "WF215", wrong)
	}
}

// The standing rules of the repository are sources of the plan where a role sees them. FILE-07, NAME-16
func TestStandingRules(t *testing.T) {
	kinds := func(text string) (out []string) {
		w, _ := dsl.Load(workflowPath, grantedFiles(text), dsl.Settings{})
		for _, s := range w.Sources {
			if s.Kind == "rules" {
				out = append(out, s.Path)
			}
		}
		return out
	}
	require.Empty(t, kinds(granted))
	require.Equal(t, []string{"AGENTS.md"}, kinds(strings.Replace(granted, "customisation: none", "customisation: repository", 1)))
}
