package planner

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/expr"
)

const areaWorkflow = `wf: 1
name: area
limits: {budget: 5 USD, units: 9, bounces: 1, concurrency: 2}
inputs:
  goal: string
  folder: {type: path, default: src}
  names: {type: list<slug>, default: [a, b]}
roles:
  dev: {mode: chat}
  judge: {mode: review}
pipelines:
  build:
    - {stage: implement, role: dev, writes: scope}
    - {stage: judge, role: judge, verdict: {CONFIRMED: done, REJECTED: implement}}
tickets:
  survey:
    role: judge
    brief: Read for ${{ inputs.goal }}.
    outputs: {text: string}
  change:
    for_each: ${{ inputs.names }}
    pipeline: build
    scope: ["${{ inputs.folder }}/**"]
    brief: Build ${{ each.value }} as ${{ tickets.survey.outputs.text }} says.
    outputs: {summary: string}
outputs:
  text: ${{ tickets.survey.outputs.text }}
  all: ${{ join(map(tickets.change, .outputs.summary ?? ""), ", ") }}
  both: "${{ tickets.survey.outputs.text }} for ${{ inputs.goal }}"
`

const mainWorkflow = `wf: 1
name: try
limits: {budget: 40 USD, concurrency: 4}
inputs:
  goal: string
  parts: {type: list<slug>, default: [x, y]}
roles:
  dev: {mode: chat}
tickets:
  first:
    role: dev
    brief: First.
    outputs: {text: string}
  sub:
    uses: ./area.wf.yaml
    needs: [first]
    with: {goal: "${{ inputs.goal }} now", names: [one, "two"]}
  each:
    uses: workflows/area.wf.yaml
    for_each: ${{ inputs.parts }}
    with: {goal: "${{ each.value }}", folder: lib}
  last:
    role: dev
    needs: [each]
    brief: Sum up ${{ tickets.sub.outputs.text }} and ${{ tickets.sub.outputs.both }} ${{ toJSON(tickets.each) }} ${{ tickets.sub.status }}.
outputs:
  all: ${{ tickets.sub.outputs.all }}
`

func included(t *testing.T, main, area string, inputs ...string) *Plan {
	files := fstest.MapFS{workflowPath: {Data: []byte(main)}, "workflows/area.wf.yaml": {Data: []byte(area)}}
	p, found := Make(requestAt(t, workflowPath, files, inputs...))
	require.Empty(t, texts(errorsOf(found)))
	return p
}

// An included workflow is expanded: its tickets are tickets of the plan.
func TestInclude(t *testing.T) {
	p := included(t, mainWorkflow, areaWorkflow, "goal=ship")
	var addresses []string
	for _, tk := range p.Tickets {
		addresses = append(addresses, tk.Address)
	}
	require.Equal(t, []string{
		"first", "sub.survey", `sub.change["one"]`, `sub.change["two"]`,
		`each["x"].survey`, `each["x"].change["a"]`, `each["x"].change["b"]`, `each["y"].survey`, `each["y"].change["a"]`, `each["y"].change["b"]`, "last",
	}, addresses)
	survey := ticket(t, p, "sub.survey")
	require.Equal(t, `Read for ${{ inputs["sub.goal"] }}.`, survey.Brief)
	require.Equal(t, "workflows/area.wf.yaml", survey.File)
	require.Equal(t, []string{"lib/**"}, ticket(t, p, `each["y"].change["b"]`).Scope)
	require.Equal(t, `Build ${{ each.value }} as ${{ tickets["sub.survey"].outputs.text }} says.`, ticket(t, p, `sub.change["one"]`).Brief)
	values := map[string]string{}
	for _, in := range p.Inputs {
		values[in.Name+" "+in.Origin] = in.Value.String()
	}
	require.Equal(t, `"ship now"`, values["sub.goal with"])
	require.Equal(t, `["one","two"]`, values["sub.names with"])
	require.Equal(t, `"y"`, values[`each["y"].goal with`])
	edges := map[string]bool{}
	id := map[string]string{}
	for _, tk := range p.Tickets {
		id[tk.ID] = tk.Address
	}
	for _, e := range p.Edges {
		edges[id[e.From]+" → "+id[e.To]+" "+e.Why] = true
	}
	for _, want := range []string{
		"first → sub.survey needs", `sub.survey → sub.change["one"] reference`, `each["x"].change["a"] → last needs`, "sub.survey → last reference",
	} {
		require.True(t, edges[want], "%s in %v", want, edges)
	}
	require.False(t, edges[`first → sub.change["one"] needs`])
	require.Contains(t, ticket(t, p, "last").Brief, `${{ (tickets["sub.survey"].outputs.text) }}`)
	for _, tk := range p.Tickets { // what a run will read can be read
		_, err := expr.Reparse(tk.Brief)
		require.NoError(t, err, tk.Brief)
	}
	require.Equal(t, Include{Address: "sub", Path: "workflows/area.wf.yaml", Budget: 5 * USD, Units: 9, Concurrency: 2, Bounces: 1, Retries: 1, Children: 5, Tickets: []string{"T-002", "T-003.1", "T-003.2"}}, p.Includes[0])
	require.Len(t, p.Includes, 3)
	require.Equal(t, 1, p.LimitsOf("T-003.1").Bounces)
	require.Equal(t, 2, p.LimitsOf("T-001").Bounces)
}

// The same plan, whatever the order in which anything is kept: LAW-02.
func TestIncludeIsDeterministic(t *testing.T) {
	first := included(t, mainWorkflow, areaWorkflow, "goal=ship")
	for range 20 {
		require.Equal(t, first, included(t, mainWorkflow, areaWorkflow, "goal=ship"))
	}
}

// Includes within includes, conditions, holds, folders of their own, limits that
// tighten from the outside and the inside.
func TestNestedIncludes(t *testing.T) {
	files := fstest.MapFS{
		"workflows/top.wf.yaml": {Data: []byte(`wf: 1
name: top
limits: {budget: 9 USD, bounces: 3}
inputs: {on: {type: bool, default: true}}
roles: {dev: {mode: chat}}
tickets:
  gate: {role: dev, brief: x, outputs: {go: bool}}
  mid:
    uses: services/api/workflows/mid.wf.yaml
    when: ${{ inputs.on && tickets.gate.outputs.go }}
    hold: operator
    budget: 2 USD
    with: {deep: true}
  last: {role: dev, brief: "${{ tickets.mid.outputs.text ?? 'none' }}", needs: [mid]}
`)},
		"services/api/workflows/mid.wf.yaml": {Data: []byte(`wf: 1
name: mid
limits: {budget: 3 USD, bounces: 2}
inputs: {deep: bool}
roles: {dev: {mode: chat}}
tickets:
  in:
    uses: ./leaf.wf.yaml
    when: ${{ inputs.deep }}
  end:
    role: dev
    scope: ["src/**"]
    needs: [in]
    brief: After ${{ tickets.in.status }}.
    outputs: {text: string}
outputs: {text: "${{ tickets.end.outputs.text }}"}
`)},
		"services/api/workflows/leaf.wf.yaml": {Data: []byte(`wf: 1
name: leaf
limits: {budget: 4 USD, bounces: 1}
roles: {dev: {mode: chat}}
tickets:
  a: {role: dev, scope: ["lib/**"], brief: A.}
  b: {role: dev, needs: [a], when: "${{ 1 > 2 }}", brief: B.}
`)},
	}
	p, found := Make(requestAt(t, "workflows/top.wf.yaml", files))
	require.Empty(t, texts(errorsOf(found)))
	a, end := ticket(t, p, "mid.in.a"), ticket(t, p, "mid.end")
	require.Equal(t, []string{"services/api/lib/**"}, a.Scope)
	require.Equal(t, []string{"services/api/src/**"}, end.Scope)
	require.True(t, a.Hold)
	require.False(t, end.Hold, "it does not begin the included workflow")
	require.Equal(t, `${{ (inputs.on && tickets.gate.outputs.go) and (true) }}`, a.When)
	require.Equal(t, `${{ inputs.on && tickets.gate.outputs.go }}`, end.When)
	require.Equal(t, 1, p.LimitsOf(a.ID).Bounces)
	require.Equal(t, 2, p.LimitsOf(end.ID).Bounces)
	budgets := map[string]Money{}
	for _, in := range p.Includes {
		budgets[in.Address] = in.Budget
	}
	require.Equal(t, map[string]Money{"mid": 2 * USD, "mid.in": 4 * USD}, budgets)
	id := map[string]string{}
	for _, tk := range p.Tickets {
		id[tk.ID] = tk.Address
	}
	got := map[string]bool{}
	for _, e := range p.Edges {
		if !e.Settled {
			got[id[e.From]+" → "+id[e.To]] = e.Optional
		}
	}
	require.Contains(t, got, "gate → mid.in.a")
	require.Contains(t, got, "mid.in.b → mid.end")
	require.True(t, got["mid.in.b → mid.end"], "a ticket with a condition of its own may be skipped")
	require.Contains(t, got, "mid.end → last")

	// decided now: all of it is skipped
	p, _ = Make(requestAt(t, "workflows/top.wf.yaml", files, "on=false"))
	require.NotNil(t, p)
	text := map[string]string{}
	for _, tk := range p.Tickets {
		text[tk.Address] = tk.Brief
	}
	_, err := expr.Reparse(text["mid.end"])
	require.NoError(t, err, text["mid.end"])
}
