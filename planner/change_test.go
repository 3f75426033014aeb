package planner

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// derived are the fields of a plan that follow from others which the difference
// speaks of, or that say where a thing stands and not what it is.
var derived = []string{
	"plan", "agents", "groups", "notices", "change", "policy", "edges[0].why", "limits.origins", "base.date",
	"sources[0].text", "sources[0].uncommitted", "tickets[0].line", "tickets[0].column", "inputs[0].origin",
	"effects[0].why", "conflicts.exact", "conflicts.pairs", "bounds.depth", "bounds.children", "bounds.seconds",
	"bounds.unitsLeast", "bounds.atOnceExact", "bounds.costAllUnits", "bounds.costLeast", "bounds.unitsPaid",
	"bounds.criticalPath", "bounds.disk", "bounds.criticalUnits", "bounds.widest", "tickets[0].id", "edges[0].from", "edges[0].to", "effects[0].tier",
	"limits.widthAgents", "requirements[0].kind", "includes[0].tickets",
}

// leaf is a value of a plan that a test can change, with its path in the document.
type leaf struct {
	path string
	v    reflect.Value
}

func leaves(path string, v reflect.Value, out *[]leaf) {
	switch v.Type() {
	case reflect.TypeFor[expr.Value](), reflect.TypeFor[expr.Type]():
		*out = append(*out, leaf{path, v})
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			leaves(strings.TrimPrefix(path+"."+name, "."), v.Field(i), out)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		leaves(path+"[0]", v.Index(0), out)
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*Change]() {
			v.Set(reflect.New(v.Type().Elem()))
			leaves(path, v.Elem(), out)
		}
	default:
		*out = append(*out, leaf{path, v})
	}
}

func (l leaf) set(n int) {
	switch l.v.Type() {
	case reflect.TypeFor[expr.Value]():
		l.v.Set(reflect.ValueOf(expr.Of(fmt.Sprint("v", n))))
		return
	case reflect.TypeFor[expr.Type]():
		l.v.Set(reflect.ValueOf(expr.Type{Kind: expr.Enum, Enum: []string{fmt.Sprint("E", n)}}))
		return
	}
	switch l.v.Kind() {
	case reflect.String:
		l.v.SetString(fmt.Sprint("w", n))
	case reflect.Bool:
		l.v.SetBool(n%2 == 1)
	case reflect.Float64:
		l.v.SetFloat(float64(n))
	default:
		l.v.SetInt(int64(n))
	}
}

// Whatever differs between two documents is in their difference: a field that
// somebody adds to a plan fails here until Diff speaks of it.
func TestEveryFieldOfAPlanIsCompared(t *testing.T) { // PLAN-11
	exempt := func(path string) bool {
		for _, d := range derived {
			if path == d || strings.HasPrefix(path, d+".") || strings.HasPrefix(path, d+"[") {
				return true
			}
		}
		return false
	}
	make := func() (*Plan, []leaf) {
		p, all := &Plan{}, []leaf(nil)
		leaves("", reflect.ValueOf(p).Elem(), &all)
		for i, l := range all {
			l.set(1000 + i)
		}
		p.Requirements = append([]Requirement{{Kind: "sandbox", Name: floorLandlock}}, p.Requirements...)
		// An edge and a use name a ticket of the plan.
		p.Edges[0].From, p.Edges[0].To = p.Tickets[0].ID, p.Tickets[0].ID
		return p, all
	}
	old, all := make()
	tested := 0
	for i, l := range all {
		if exempt(l.path) {
			continue
		}
		for _, n := range []int{1, 1000 + i + 1} {
			changed, mutable := make()
			mutable[i].set(n)
			if reflect.DeepEqual(old, changed) {
				continue // a flag that was so
			}
			tested++
			require.False(t, Diff(old, changed).Empty(), "%s: %v", l.path, mutable[i].v)
			require.False(t, Diff(changed, old).Empty(), "%s, the other way", l.path)
		}
	}
	require.Greater(t, tested, 100)
	same, _ := make()
	require.True(t, Diff(old, same).Empty())
}

const changeable = `wf: 1
name: try
description: A workflow in which every field says something.
limits: {budget: 100 USD, units: 90, concurrency: 3, depth: 1, children: 2, bounces: 2, retries: 1, width: medium, timeout: 2h}
protect: ["LICENSE"]
inputs:
  goal: {type: string, default: "go", min_length: 1}
  parts: {type: "list<string>", default: [a, b], untrusted: true}
  token: {type: string, secret: true, source: forge}
  other: {type: string, secret: true}
roles:
  w: {mode: chat, agent: claude, model: opus, fallback: [sonnet, haiku], budget: 1 USD, children: 1, env: [CI], network: [model], tools: {allow: [Edit, Write], deny: [Bash]}, sandbox: landlock, reads: [dict], secrets: [token], auth: gateway, customisation: repository}
  a: {mode: review, agent: claude, model: opus, budget: 1 USD}
  b: {mode: chat, agent: claude, model: sonnet, budget: 1 USD, inspector: a}
  c: {mode: review, agent: claude, model: opus, budget: 1 USD}
  d: {mode: plan, agent: claude, model: opus, budget: 1 USD}
pipelines:
  q:
    - {stage: write, role: b, writes: scope}
  r:
    - {stage: make, role: w, writes: scope, outputs: [one]}
    - {stage: look, reviewers: [a, c], verdict: {SHIP: next, HOLD: park, BLOCK: make}}
    - {stage: tell, role: a, when: "${{ inputs.goal == 'go' }}", outputs: [two]}
  p:
    - {stage: make, role: w, writes: scope, timeout: 10m, gates: [tests, words]}
    - {stage: qa, role: a, verdict: {PASS: next, FAIL: make}, on_bounce: {first: b}}
    - {stage: judge, role: b, mode: review, verdict: {PASS: done, FAIL: make}}
tickets:
  scout: {role: a, brief: Look around., outputs: {found: {type: "list<slug>", max_items: 3}}}
  change:
    for_each: ${{ tickets.scout.outputs.found }}
    key: ${{ each.value }}
    max: 3
    title: Change ${{ each.value }}
    pipeline: p
    brief: Do ${{ inputs.goal }}.
    needs: [scout]
    scope: ["src/**", "docs/**"]
    narrow: ["src/${{ each.value }}/**"]
    may_change: ["src/**/*_test.go"]
    protect: ["src/keep/**"]
    context: [README.md]
    workdir: src
    budget: 20 USD
    acceptance: [{what: The tests pass., by: tests}, {what: It is judged., by: judge}]
    gates:
      - {name: tests, run: go test ./..., min_tests: 3, count: go, timeout: 5m, workdir: src, network: [proxy.golang.org], env: {MODE: fast}}
      - {name: words, check: added_lines_must_not_match, pattern: ["TODO"], paths: ["src/**"]}
      - {name: small, check: max_diff_lines, max: 400}
  review:
    kind: review
    reviewers: [a, c]
    confirm: {at_least: P1}
    max_findings: 9
    brief: Review it.
    checkout: {ref: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, submodules: true, lfs: true, sparse: ["src/**"]}
    base: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    notify: {run: ./tell me, on: [parked], timeout: 10s, network: [example.com]}
    escalate: d
    inspector: d
    axes:
      build: {gated: true, run: make build}
  propose:
    kind: proposal
    role: d
    brief: Propose it.
    within: {roles: [b], pipelines: [q], scope: ["docs/**"], effects: [fs.write, model.call], budget: 2 USD, units: 3}
  more:
    pipeline: r
    scope: ["more/**"]
    on_conflict: b
    generated: ["more/gen/**"]
    brief: Do more.
    outputs: {one: string, two: string}
    gates:
      - {name: schema, check: json_schema, schema: s.json, paths: ["more/*.json"], proves: {tests: ["more/**/*_test.go"]}}
      - {name: up, check: http, url: "https://example.com/up", status: 201}
      - {name: scan, check: sarif, run: make scan, paths: [scan.sarif], level: warning, fresh: false}
  tell: {role: w, brief: Tell., when: "${{ inputs.goal != '' }}", hold: operator, deliver: branch, needs: [{ticket: change, until: settled}], scope: ["notes/**"], gates: [{name: vet, run: go vet ./...}]}
outputs: {found: "${{ tickets.scout.outputs.found }}"}
`

// mutations change a workflow in one field each; the key is the field of the
// table. loose ones must be told as loosening.
var mutations = []struct {
	field, from, to string
	loose           bool
}{
	{"workflow.description", "every field says", "each field says", false},
	{"workflow.protect", `protect: ["LICENSE"]`, `protect: []`, true},
	{"workflow.outputs", `outputs: {found: "${{ tickets.scout.outputs.found }}"}`, `outputs: {list: "${{ tickets.scout.outputs.found }}"}`, false},
	{"input.type", `default: [a, b]`, `default: [a, b], max_items: 9`, false},
	{"input.default", `default: "go"`, `default: "stop"`, false},
	{"input.untrusted", `, untrusted: true`, ``, true},
	{"limits.budget", "budget: 100 USD", "budget: 200 USD", true},
	{"limits.units", "units: 90", "units: 91", true},
	{"limits.concurrency", "concurrency: 3", "concurrency: 4", true},
	{"limits.depth", "depth: 1", "depth: 2", true},
	{"limits.children", "children: 2, bounces", "children: 3, bounces", true},
	{"limits.bounces", "bounces: 2", "bounces: 3", true},
	{"limits.retries", "retries: 1", "retries: 2", true},
	{"limits.width", "width: medium", "width: large", true},
	{"limits.timeout", "timeout: 2h", "timeout: 3h", true},
	{"role.mode", "a: {mode: review, agent", "a: {mode: plan, agent", false},
	{"role.agent", "w: {mode: chat, agent: claude", "w: {mode: chat, agent: codex", false},
	{"role.model", "agent: claude, model: opus, fallback", "agent: claude, model: haiku, fallback", true},
	{"role.fallback", "fallback: [sonnet, haiku]", "fallback: [haiku, sonnet]", true},
	{"role.budget", "model: sonnet, budget: 1 USD", "model: sonnet, budget: 2 USD", true},
	{"role.children", "children: 1, env", "children: 2, env", true},
	{"input.secret", "other: {type: string, secret: true}", "other: {type: string, default: x}", false},
	{"input.source", "source: forge", "source: forj", false},
	{"role.secrets", "secrets: [token]", "secrets: [token, other]", true},
	{"role.auth", "auth: gateway", "auth: key", true},
	{"role.customisation", "customisation: repository", "customisation: user", true},
	{"role.env", "env: [CI]", "env: [CI, TOKEN]", true},
	{"role.network", "network: [model]", "network: [model, example.com]", true},
	{"role.reads", "reads: [dict]", "reads: [words]", true},
	{"role.sandbox", "sandbox: landlock", "sandbox: none", true},
	{"tools.allow", "allow: [Edit, Write]", "allow: [Edit, Write, WebFetch]", true},
	{"tools.deny", "deny: [Bash]", "deny: []", true},
	{"stage.stage", "{stage: qa,", "{stage: quality,", true},
	{"stage.role", "{stage: judge, role: b", "{stage: judge, role: a", true},
	{"stage.mode", "role: b, mode: review", "role: b, mode: plan", false},
	{"stage.writes", "writes: scope", `writes: ["src/**"]`, true},
	{"stage.verdict", "{PASS: next, FAIL: make}", "{PASS: next, FAIL: make, GOOD: done}", true},
	{"stage.gates", "gates: [tests, words]}", "gates: [tests]}", true},
	{"stage.gates", "timeout: 10m, gates: [tests, words]}", "timeout: 10m, gates: []}", true},
	{"stage.expect", "gates: [tests, words]}", "gates: [tests, words], expect: fail}", true},
	{"stage.on_bounce", ", on_bounce: {first: b}", "", false},
	{"on_bounce.first", "{first: b}", "{first: a}", false},
	{"stage.timeout", "timeout: 10m", "timeout: 11m", true},
	{"ticket.title", "title: Change", "title: Mend", false},
	{"ticket.role", "scout: {role: a", "scout: {role: b", true},
	{"ticket.brief", "brief: Do", "brief: Please do", false},
	{"ticket.when", "inputs.goal != ''", "inputs.goal != 'x'", false},
	{"ticket.needs", "{ticket: change, until: settled}", "{ticket: change, until: done}", false},
	{"need.until", "needs: [scout]", "needs: [{ticket: scout, until: settled}]", true},
	{"ticket.for_each", "for_each: ${{ tickets.scout.outputs.found }}", "for_each: ${{ sort(tickets.scout.outputs.found) }}", false},
	{"ticket.max", "    max: 3\n", "    max: 4\n", true},
	{"ticket.scope", `scope: ["src/**", "docs/**"]`, `scope: ["src/**", "docs/**", "cmd/**"]`, true},
	{"ticket.narrow", `    narrow: ["src/${{ each.value }}/**"]` + "\n", "", true},
	{"ticket.may_change", `may_change: ["src/**/*_test.go"]`, `may_change: ["src/**/*_test.go", "go.mod"]`, true},
	{"ticket.protect", `protect: ["src/keep/**"]`, `protect: []`, true},
	{"ticket.context", "context: [README.md]", "context: [LICENSE]", false},
	{"ticket.workdir", "workdir: src\n    budget", "workdir: docs\n    budget", false},
	{"ticket.budget", "budget: 20 USD", "budget: 25 USD", true},
	{"ticket.hold", "hold: operator, ", "", true},
	{"ticket.deliver", "deliver: branch, ", "", false},
	{"acceptance.what", "The tests pass.", "Some tests pass.", true},
	{"acceptance.by", "by: judge", "by: qa", true},
	{"ticket.acceptance", ", {what: It is judged., by: judge}", "", true},
	{"ticket.outputs", "max_items: 3", "max_items: 4", false},
	{"ticket.gates", "      - {name: small, check: max_diff_lines, max: 400}\n", "", true},
	{"gate.name", "name: small", "name: little", true},
	{"gate.run", "run: go vet ./...", "run: go vet ./cmd", true},
	{"gate.check", "check: max_diff_lines, max: 400", "check: clean_tree", true},
	{"gate.shell", "run: go vet ./...", "shell: sh, run: go vet ./...", true},
	{"gate.env", "MODE: fast", "MODE: slow", true},
	{"gate.timeout", "timeout: 5m", "timeout: 6m", true},
	{"gate.workdir", "timeout: 5m, workdir: src", "timeout: 5m, workdir: docs", true},
	{"gate.min_tests", "min_tests: 3", "min_tests: 2", true},
	{"gate.count", "count: go", "count: tap", true},
	{"gate.network", "network: [proxy.golang.org]", "network: [proxy.golang.org, example.com]", true},
	{"gate.pattern", `pattern: ["TODO"]`, `pattern: ["TODOX"]`, true},
	{"gate.paths", `paths: ["src/**"]}`, `paths: ["src/a/**"]}`, true},
	{"gate.max", "max: 400", "max: 500", true},
	{"gate.schema", "schema: s.json", "schema: t.json", true},
	{"gate.url", "example.com/up", "example.com/down", true},
	{"gate.status", "status: 201", "status: 202", true},
	{"gate.level", "level: warning", "level: error", true},
	{"gate.fresh", ", fresh: false", "", true},
	{"gate.proves", `, proves: {tests: ["more/**/*_test.go"]}`, "", true},
	{"proves.tests", `tests: ["more/**/*_test.go"]`, `tests: ["more/*_test.go"]`, true},
	{"role.inspector", ", inspector: a}", ", inspector: c}", true},
	{"stage.reviewers", "reviewers: [a, c], verdict", "reviewers: [a], verdict", true},
	{"stage.when", "inputs.goal == 'go'", "inputs.goal == 'on'", true},
	{"stage.outputs", "writes: scope, outputs: [one]", "writes: scope, outputs: [one, two]", true},
	{"ticket.reviewers", "reviewers: [a, c]\n", "reviewers: [a, c, d]\n", true},
	{"ticket.axes", "      build: {gated: true, run: make build}", "      build: {gated: true, run: make builds}", true},
	{"axis.gated", "gated: true", "gated: false", true},
	{"ticket.confirm", "    confirm: {at_least: P1}\n", "", true},
	{"confirm.at_least", "at_least: P1", "at_least: P0", true},
	{"ticket.max_findings", "max_findings: 9", "max_findings: 8", true},
	{"ticket.checkout", "lfs: true, sparse", "sparse", true},
	{"checkout.ref", "ref: aaaa", "ref: aaab", true},
	{"checkout.submodules", "submodules: true, ", "", true},
	{"checkout.lfs", "lfs: true", "lfs: false", true},
	{"checkout.sparse", `sparse: ["src/**"]`, `sparse: ["**"]`, true},
	{"ticket.base", "base: bbbb", "base: bbba", true},
	{"ticket.notify", "    notify: {run: ./tell me, on: [parked], timeout: 10s, network: [example.com]}\n", "", true},
	{"notify.run", "./tell me", "./tell you", true},
	{"notify.on", "on: [parked]", "on: [held]", true},
	{"notify.timeout", "timeout: 10s", "timeout: 11s", true},
	{"notify.network", "network: [example.com]}\n    escalate", "network: [example.org]}\n    escalate", true},
	{"ticket.escalate", "escalate: d", "escalate: c", true},
	{"ticket.inspector", "    inspector: d", "    inspector: c", true},
	{"ticket.on_conflict", "on_conflict: b", "on_conflict: w", true},
	{"ticket.generated", "more/gen/**", "more/made/**", true},
	{"ticket.within", "units: 3}", "units: 4}", true},
	{"within.roles", "within: {roles: [b]", "within: {roles: [b, w]", true},
	{"within.pipelines", "pipelines: [q]", "pipelines: []", true},
	{"within.scope", `scope: ["docs/**"], effects`, `scope: ["docs/*"], effects`, true},
	{"within.effects", "[fs.write, model.call]", "[fs.write]", true},
	{"within.budget", "budget: 2 USD, units: 3", "budget: 3 USD, units: 3", true},
	{"within.units", "units: 3}", "units: 2}", true},
}

// told are the fields of the table that need no mutation, and why.
var told = map[string]string{
	"workflow.wf": "one version", "workflow.name": "another workflow is no change of this one", "workflow.types": "seen in the types of inputs and outputs",
	"workflow.inputs": "field by field", "workflow.limits": "field by field", "workflow.roles": "field by field", "workflow.pipelines": "field by field", "workflow.tickets": "field by field",
	"input.description": "for the person who gives it; the file's digest differs", "type.fields": "seen in the types", "type.description": "for readers; the file's digest differs",
	"output.type": "ticket.outputs", "output.description": "for agents; the file's digest differs", "role.tools": "tools.allow and tools.deny",
	"role.uses": "what the definition says is compared", "role.instructions": "a source; compared by digest", "ticket.kind": "another kind has other fields", "confirm.by": "one word", "ticket.pipeline": "its stages are compared",
	"ticket.key": "one key a type here", "ticket.matrix": "other addresses", "need.ticket": "ticket.needs", "ticket.uses": "its tickets are compared", "role.mcp": "compared as one", "role.skills": "compared as one", "ticket.services": "compared as one", "ticket.with": "the inputs are compared", "ticket.keep": "compared with the plan's fields",
}

// unrun are owners below a field that is planned and not run yet, whose parts
// are compared as one. Who builds one takes it out.
var unrun = []string{
	"mcp server", "service",
}

// A workflow is changed in every field of the language, and every change is in
// the difference; what loosens is told as loosening.
func TestEveryFieldOfTheLanguageShowsInTheDifference(t *testing.T) { // PLAN-11
	old, _ := plan(t, changeable)
	covered := map[string]bool{}
	for _, m := range mutations {
		covered[m.field] = true
		t.Run(m.field, func(t *testing.T) {
			require.Contains(t, changeable, m.from)
			changed, _ := plan(t, strings.Replace(changeable, m.from, m.to, 1))
			c := Diff(old, changed)
			var said []Delta
			for _, list := range [][]Delta{c.Powers, c.Money, c.Gates, c.Limits, c.Tickets, c.Rest} {
				for _, d := range list {
					if d.Kind != "workflow" || d.Where != "" || d.Name != workflowPath { // the file itself differs always
						said = append(said, d)
					}
				}
			}
			require.NotEmpty(t, said)
			if m.loose {
				require.NotEmpty(t, c.Looser(), "%+v", said)
			}
		})
	}
	for _, f := range dsl.Fields() {
		name := f.Owner + "." + f.Name
		if f.State == dsl.Later || f.Owner == "settings" || f.Owner == "organisation" || f.Owner == "agent definition" || f.Owner == "axis" && f.Name != "gated" {
			continue // an axis is compared as the gate it is
		}
		if slices.Contains(unrun, f.Owner) {
			continue
		}
		require.True(t, covered[name] || told[name] != "", "no mutation of %s", name)
	}
}

func TestARenamedTicketShowsWhatNoLongerChecksIt(t *testing.T) {
	old, _ := plan(t, changeable)
	text := strings.ReplaceAll(changeable, "  tell: {role: w", "  say: {role: w")
	changed, _ := plan(t, strings.Replace(text, ", gates: [{name: vet, run: go vet ./...}]", "", 1))
	c := Diff(old, changed)
	require.Contains(t, c.Tickets, Delta{Sign: "-", Kind: "ticket", Where: "tell", Old: "tell (checked by vet)"})
	require.Contains(t, c.Tickets, Delta{Sign: "+", Kind: "ticket", Where: "say", New: "say (checked by nothing)", Looser: true})
}

// What is inserted before a ticket moves its ID; nothing else of it changes.
func TestAnInsertedTicketIsTheOnlyDifference(t *testing.T) {
	old, _ := plan(t, changeable)
	changed, _ := plan(t, strings.Replace(changeable, "tickets:\n", "tickets:\n  first: {role: a, brief: Read the code.}\n", 1))
	c := Diff(old, changed)
	require.Empty(t, c.Powers)
	require.Empty(t, c.Gates)
	for _, d := range c.Tickets {
		require.Equal(t, "first", d.Where, "%+v", d)
	}
}
