package planner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// head is a workflow up to its tickets; roles a (replay, reads), w (replay, writes).
const headText = `wf: 1
name: try
limits: {budget: 100 USD, width: unlimited}
roles:
  a: {mode: review, agent: replay, budget: 1 USD}
  w: {mode: chat, agent: replay, budget: 2 USD}
`

func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		inputs []string
		code   string
		says   []string // parts of detail and hint
		line   int
	}{
		"input missing":  {"inputs: {goal: string}\ntickets: {x: {role: a, brief: hi}}\n", nil, "WF400", []string{"goal", "--input goal="}, 7},
		"input unknown":  {"inputs: {goal: {type: string, default: x}}\ntickets: {x: {role: a, brief: hi}}\n", []string{"gaol=1"}, "WF401", []string{`Did you mean "goal"`}, 0},
		"input type":     {"inputs: {n: int}\ntickets: {x: {role: a, brief: hi}}\n", []string{"n=two"}, "WF402", []string{"int", "two"}, 7},
		"input in list":  {"inputs: {n: {type: \"list<int>\"}}\ntickets: {x: {role: a, brief: hi}}\n", []string{"n=1,two"}, "WF402", []string{"[1]"}, 7},
		"ref unresolved": {"inputs: {head: ref}\ntickets: {x: {role: a, brief: hi}}\n", []string{"head=no-such"}, "WF403", []string{"no-such"}, 7},
		"same key":       {"inputs: {n: {type: \"list<string>\"}}\ntickets: {x: {for_each: \"${{ inputs.n }}\", role: a, brief: hi}}\n", []string{`n=["a","b","a"]`}, "WF407", []string{"Entries 1 and 3", `"a"`}, 8},
		"over max":       {"inputs: {n: {type: \"list<string>\"}}\ntickets: {x: {for_each: \"${{ inputs.n }}\", max: 2, role: a, brief: hi}}\n", []string{"n=a,b,c"}, "WF410", []string{"3 entries", "max is 2"}, 8},
		"least units":    {"tickets: {x: {role: a, brief: hi}, y: {role: a, brief: hi}}\n", nil, "WF424", []string{"need 2 units", "limit is 1"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			head := headText
			if c.code == "WF424" {
				head = strings.Replace(head, "width: unlimited", "width: unlimited, units: 1", 1)
			}
			found := refuse(t, head+c.text, c.inputs...)
			require.Equal(t, c.code, found[0].Code, texts(found))
			for _, part := range c.says {
				require.Contains(t, found[0].Detail+" "+found[0].Hint, part)
			}
			require.Equal(t, c.line, found[0].Range.Start.Line)
		})
	}
}

func TestCycleIsAPathWithPlaces(t *testing.T) { // PLAN-01
	req := request(t, headText+`tickets:
  one: {role: a, brief: hi}
  two: {role: a, brief: hi, needs: [one]}
  three: {role: a, brief: hi, needs: [two]}
`)
	// The rules of the language refuse a circle; the planner does not trust them.
	req.Workflow.Tickets[0].Needs = append(req.Workflow.Tickets[0].Needs, req.Workflow.Tickets[2].Needs[0])
	req.Workflow.Tickets[0].Needs[0].Ticket = "three"
	p, found := Make(req)
	require.Nil(t, p)
	require.Equal(t, []string{"WF405"}, codes(found))
	require.Contains(t, found[0].Detail, "one → three → two → one")
	require.Len(t, found[0].Related, 2)
	for _, r := range found[0].Related {
		require.NotZero(t, r.Range.Start.Line)
	}
}

func TestIDsAndAddresses(t *testing.T) {
	p, _ := plan(t, headText+`inputs: {names: {type: "list<string>"}}
tickets:
  first: {role: a, brief: hi}
  each:
    for_each: ${{ inputs.names }}
    role: w
    scope: ["${{ each.value }}/**"]
    brief: Work on ${{ each.value }}
  grid:
    matrix: {os: [linux, mac], go: ["1.25", "1.26"], exclude: [{os: mac, go: "1.25"}], include: [{os: win, go: "1.26"}]}
    role: a
    brief: ${{ matrix.os }} ${{ matrix.go }}
  last: {role: a, needs: [each, grid], brief: hi}
`, `names=["b","a","c\"d"]`)
	var got []string
	for _, t := range p.Tickets {
		got = append(got, t.ID+" "+t.Address)
	}
	require.Equal(t, []string{
		"T-001 first", `T-002.1 each["b"]`, `T-002.2 each["a"]`, `T-002.3 each["c\"d"]`,
		`T-003.1 grid["os=linux,go=1.25"]`, `T-003.2 grid["os=linux,go=1.26"]`, `T-003.3 grid["os=mac,go=1.26"]`, `T-003.4 grid["os=win,go=1.26"]`,
		"T-004 last",
	}, got)
	require.Equal(t, []string{"a/**"}, ticket(t, p, `each["a"]`).Scope)
	require.Len(t, p.Edges, 7, "the consumer waits for every child")
	require.Equal(t, []string{"T-002.1", "T-002.2", "T-002.3"}, p.Groups[0].Children)
	require.Equal(t, "string", ticket(t, p, `each["a"]`).EachType.String())
	require.Equal(t, "os", ticket(t, p, `grid["os=win,go=1.26"]`).MatrixTypes[0].Name)
}

func TestEmptyFanOutIsKnown(t *testing.T) {
	p, found := plan(t, headText+"inputs: {names: {type: \"list<string>\"}}\ntickets:\n  each: {for_each: \"${{ inputs.names }}\", role: a, brief: hi}\n  last: {role: a, brief: \"${{ len(tickets.each) }} done\"}\n", "names=[]")
	require.Contains(t, codes(found), "WF416")
	require.Equal(t, []Group{{ID: "T-001", Name: "each", Children: []string{}, Outputs: []OutputField{}}}, p.Groups)
	require.Len(t, p.Tickets, 1)
}

func TestSkippedTicketsCostNothing(t *testing.T) {
	p, found := plan(t, headText+`inputs: {deep: {type: bool, default: false}}
tickets:
  look: {role: a, when: "${{ inputs.deep }}", brief: hi}
  after: {role: w, needs: [look], scope: ["a/**"], brief: hi}
  always: {role: a, needs: [{ticket: look, until: settled}], brief: hi}
`)
	require.True(t, ticket(t, p, "look").Skipped)
	require.True(t, ticket(t, p, "after").Skipped)
	require.False(t, ticket(t, p, "always").Skipped)
	require.Len(t, p.Agents, 1)
	require.Equal(t, int64(5), p.Bounds.Units.Value)
	require.Contains(t, codes(found), "WF415")
	p, _ = plan(t, headText+"inputs: {deep: {type: bool, default: false}}\ntickets:\n  look: {role: a, when: \"${{ inputs.deep }}\", brief: hi}\n", "deep=true")
	require.False(t, ticket(t, p, "look").Skipped)
}

func TestMoney(t *testing.T) { // BUD-01
	two := "tickets:\n  x: {role: a, budget: %s, brief: hi}\n  y: {role: a, budget: %s, brief: hi}\n"
	budget := func(head, sum string) string { return strings.Replace(head, "100 USD", sum, 1) }
	found := refuse(t, budget(headText, "3 USD")+fmt.Sprintf(two, "2 USD", "2 USD"))
	require.Equal(t, "WF422", found[0].Code, "children that sum above their parent")
	found = refuse(t, budget(headText, "1.50 USD")+"tickets: {x: {role: a, brief: hi}, y: {role: a, brief: hi}}\n")
	require.Equal(t, "WF421", found[0].Code)
	require.Contains(t, found[0].Detail, "2.00 USD")
	found = refuse(t, headText+fmt.Sprintf(two, "0.50 USD", "2 USD"))
	require.Equal(t, "WF423", found[0].Code)
	p, notes := plan(t, budget(headText, "5 USD")+"tickets: {x: {role: a, brief: hi}, y: {role: a, brief: hi}}\n")
	require.Contains(t, codes(notes), "WF426")
	require.Equal(t, 5, p.Bounds.UnitsPaid)
	require.Equal(t, Bound{int64(5 * USD), "enforced"}, p.Bounds.Cost)
	require.Equal(t, 10*USD, p.Bounds.CostAllUnits)
	require.Equal(t, 2*USD, p.Bounds.CostNoBounce)
	found = refuse(t, "wf: 1\nname: try\nlimits: {budget: 5 USD}\nroles: {a: {mode: review, agent: claude}}\ntickets: {x: {role: a, brief: hi}}\n")
	require.Equal(t, "WF420", found[0].Code)
}

func TestWidthOnlyWarns(t *testing.T) { // PLAN-14, BUD-06
	text := strings.Replace(headText, "width: unlimited", "width: small", 1) + "tickets:\n"
	for i := range 6 {
		text += fmt.Sprintf("  t%d: {role: a, brief: hi}\n", i)
	}
	p, found := plan(t, text)
	require.Contains(t, codes(found), "WF425")
	i := slices.IndexFunc(found, func(f diag.Finding) bool { return f.Code == "WF425" })
	require.Contains(t, found[i].Detail, "6 agents")
	require.Contains(t, found[i].Detail, "fewer than 5")
	require.Contains(t, found[i].Hint, "width: medium")
	require.Equal(t, int64(4), p.Bounds.AtOnce.Value, "concurrency caps the antichain")
	require.Len(t, p.Bounds.Widest, 6)
}

func TestConflictsAreShownWithAPath(t *testing.T) {
	text := headText + `tickets:
  one: {role: w, scope: ["src/**"], brief: hi}
  two: {role: w, scope: ["src/api/**"], brief: hi}
  three: {role: w, scope: ["src/**"], needs: [one, two], brief: hi}
  four: {role: w, scope: ["doc/**"], brief: hi}
`
	req := request(t, text)
	req.Tracked = []string{"README.md", "src/api/server.go"}
	p, found := Make(req)
	require.Empty(t, errorsOf(found))
	require.Equal(t, Conflicts{Total: 1, Exact: true, Pairs: []Conflict{{A: "T-001", B: "T-002", Witness: "src/api/server.go"}}}, p.Conflicts)
	require.Contains(t, codes(found), "WF430")
}

func TestPathsAreOfTheRoot(t *testing.T) {
	file := "services/a[1]/workflows/try.wf.yaml"
	req := requestAt(t, file, fstest.MapFS{file: {Data: []byte(headText + `tickets:
  x: {role: w, scope: ["src/**"], may_change: ["go.mod"], workdir: sub, brief: hi, gates: [{name: g, run: go test ./...}]}
`)}})
	p, found := Make(req)
	require.Empty(t, errorsOf(found))
	x := ticket(t, p, "x")
	require.Equal(t, []string{`services/a\[1\]/src/**`}, x.Scope)
	require.Equal(t, []string{`services/a\[1\]/go.mod`}, x.MayChange)
	require.Equal(t, "services/a[1]/sub", x.Workdir)
	require.Equal(t, "services/a[1]", x.Gates[0].Workdir)
}

func TestEffects(t *testing.T) {
	for name, c := range map[string]struct {
		role, settings string
		want           []string
		partial        bool
	}{
		"replay edits":         {"{mode: chat, agent: replay, tools: {allow: [Edit, Write]}}", "", []string{"fs.write"}, false},
		"replay has a shell":   {"{mode: chat, agent: replay}", "", []string{"fs.write", "process.exec"}, false},
		"replay has a network": {"{mode: chat, agent: replay, network: open}", "", []string{"fs.write", "process.exec", "package.install", "network.egress"}, false},
		"edits only":           {`{mode: chat, agent: claude, budget: 1 USD, tools: {allow: [Edit]}}`, "", []string{"fs.write", "model.call"}, false},
		"a pattern is a shell": {`{mode: chat, agent: claude, budget: 1 USD, tools: {allow: ["Bash(go test:*)"]}}`, "", []string{"fs.write", "process.exec", "network.egress", "model.call"}, true},
		"a shell offline":      {`{mode: chat, agent: claude, budget: 1 USD, network: none, tools: {allow: ["Bash(go test:*)"]}}`, "", []string{"fs.write", "process.exec", "model.call"}, false},
		"network":              {`{mode: chat, agent: claude, budget: 1 USD, network: [example.com]}`, "", []string{"fs.write", "process.exec", "package.install", "network.egress", "model.call"}, false},
		"credential":           {`{mode: chat, agent: claude, budget: 1 USD, network: [example.com], env: [GITHUB_TOKEN]}`, "", []string{"fs.write", "process.exec", "package.install", "secret.read", "git.push", "pr.create", "pr.publish", "sync.write", "network.egress", "model.call"}, false},
		"harmless variable":    {`{mode: chat, agent: claude, budget: 1 USD, tools: {allow: [Edit]}, env: [LANG]}`, "", []string{"fs.write", "model.call"}, false},
		"no floor": {`{mode: chat, agent: claude, budget: 1 USD}`, "sandbox: none\n", []string{
			"fs.write", "process.exec", "fs.delete", "git.commit", "workspace.restructure", "package.install", "secret.read", "audit.writable",
			"fs.write_outside", "git.push", "pr.create", "pr.publish", "sync.write", "rig.control", "network.egress", "model.call",
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{workflowPath: {Data: []byte("wf: 1\nname: try\nlimits: {budget: 100 USD}\nroles:\n  w: " + c.role + "\ntickets: {x: {role: w, scope: [\"a/**\"], brief: hi}}\n")}}
			if c.settings != "" {
				files["wf.yaml"] = &fstest.MapFile{Data: []byte(c.settings)}
			}
			p, found := Make(requestAt(t, workflowPath, files))
			require.Empty(t, texts(errorsOf(found)))
			require.Equal(t, c.want, p.Agents[0].Effects)
			for _, e := range p.Effects {
				require.Equal(t, c.partial && e.Effect == "network.egress", e.Partial)
				require.NotEmpty(t, e.Why)
			}
		})
	}
}

func TestReadOnlyModesCauseNothing(t *testing.T) {
	for _, mode := range []string{"review", "plan"} {
		p, _ := plan(t, "wf: 1\nname: try\nlimits: {budget: 9 USD}\nroles: {r: {mode: "+mode+", agent: claude, budget: 1 USD}}\npipelines: {p: [{stage: look, role: r}]}\ntickets: {x: {pipeline: p, brief: hi}}\n")
		require.Equal(t, []string{"model.call"}, p.Agents[0].Effects, mode)
		require.Equal(t, []string{"Glob", "Grep", "Read"}, p.Agents[0].Tools)
	}
}

func TestEffectListIsClosedAndExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range EffectList {
		require.False(t, seen[e.Name])
		seen[e.Name] = true
		require.Contains(t, []string{"local", "shared", "external"}, e.Tier)
		require.NotEmpty(t, e.Meaning)
		require.NotEmpty(t, e.Derived)
	}
	for _, name := range slices.Concat(unconfined, unconfinedEdits, withCredential) {
		require.True(t, seen[name], name)
	}
}

func TestGateEffects(t *testing.T) {
	p, _ := plan(t, headText+`tickets:
  x:
    role: w
    scope: ["a/**"]
    brief: hi
    gates:
      - {name: run, run: go test ./...}
      - {name: net, run: curl x, network: [example.com]}
      - {name: built-in, check: tests_not_weakened}
`)
	by := map[string][]string{}
	for _, e := range p.Effects {
		by[fmt.Sprint(e.Effect, e.Partial)] = append(by[fmt.Sprint(e.Effect, e.Partial)], e.By...)
	}
	require.Equal(t, []string{"T-001/gate/run", "T-001/gate/net", "w@x"}, by["process.execfalse"])
	require.Equal(t, []string{"T-001/gate/net"}, by["network.egressfalse"])
	require.Empty(t, by["network.egresstrue"], "network none is kept whole by the floor landlock")
	require.Contains(t, p.Requirements, Requirement{Kind: "program", Name: "go"})
	require.Contains(t, p.Requirements, Requirement{Kind: "sandbox", Name: "landlock"})
}

// generated writes a random workflow: a DAG of tickets with roles, stages, fan-outs.
func generated(r *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString(strings.Replace(headText, "100 USD", "100000 USD, bounces: %d, retries: %d", 1))
	b.WriteString("inputs: {names: {type: \"list<string>\", default: [p, q, r]}}\npipelines:\n  p:\n    - {stage: make, role: w, writes: scope, on_bounce: {first: a}}\n    - {stage: qa, role: a, verdict: {PASS: done, FAIL: make}}\ntickets:\n")
	for i := range n {
		fmt.Fprintf(&b, "  t%d:\n    brief: hi\n    scope: [\"d%d/**\"]\n", i, r.IntN(4))
		if r.IntN(2) == 0 {
			b.WriteString("    role: w\n")
		} else {
			b.WriteString("    pipeline: p\n")
		}
		if r.IntN(4) == 0 {
			b.WriteString("    for_each: ${{ inputs.names }}\n")
		}
		var needs []string
		for j := range i {
			if r.IntN(4) == 0 {
				needs = append(needs, fmt.Sprintf("t%d", j))
			}
		}
		if len(needs) > 0 {
			fmt.Fprintf(&b, "    needs: [%s]\n", strings.Join(needs, ", "))
		}
	}
	return b.String()
}

func TestBoundsGrowWithTheirLimits(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 11))
		text := generated(r, 2+r.IntN(10))
		var last *Plan
		for _, limits := range [][2]int{{1, 0}, {2, 0}, {2, 1}, {3, 1}} {
			p, _ := plan(t, fmt.Sprintf(text, limits[0], limits[1]))
			b := p.Bounds
			require.LessOrEqual(t, int64(b.UnitsLeast), b.Units.Value)
			require.LessOrEqual(t, b.CostLeast, b.CostNoBounce)
			require.LessOrEqual(t, b.CostNoBounce, b.CostAllUnits)
			require.LessOrEqual(t, int64(b.UnitsPaid), b.Units.Value)
			sum := 0
			for _, a := range p.Agents {
				sum += a.Units
			}
			require.Equal(t, b.Units.Value, int64(sum), "agents and tickets count the same units")
			if last != nil {
				require.GreaterOrEqual(t, b.Units.Value, last.Bounds.Units.Value)
				require.GreaterOrEqual(t, b.CostAllUnits, last.Bounds.CostAllUnits)
				require.Equal(t, last.Bounds.CostNoBounce, b.CostNoBounce)
				require.Equal(t, last.Bounds.Agents.Value <= b.Agents.Value, true)
			}
			last = p
		}
	}
}

func TestSamePlanAHundredTimes(t *testing.T) { // PLAN-08
	r := rand.New(rand.NewPCG(1, 12))
	text := fmt.Sprintf(generated(r, 12), 2, 1)
	text = strings.Replace(text, "inputs: {", "inputs: {z: {type: string, default: z}, y: {type: int, default: 1}, ", 1)
	inputs := []string{"names=a,b", "y=3", "z=x"}
	first, _ := plan(t, text, inputs...)
	for range 100 {
		r.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
		again, _ := plan(t, text, inputs...)
		require.Equal(t, first, again)
	}
}

func TestFactsStayOutOfThePlan(t *testing.T) {
	req := request(t, headText+"tickets: {x: {role: a, brief: hi}}\n")
	clean, _ := Make(req)
	req.Facts = Facts{Dirty: []string{"main.go", "b"}, Unpushed: 2}
	dirty, found := Make(req)
	require.Equal(t, clean, dirty)
	require.Contains(t, codes(found), "WF450")
	require.Contains(t, codes(found), "WF451")
}
