package verb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/materializer/agent"
	"github.com/seed9cc7a46e/wf/materializer/agent/command"
	"github.com/seed9cc7a46e/wf/materializer/agent/replay"
	"github.com/seed9cc7a46e/wf/materializer/evidence"
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/planner"
)

// adapters are the agent programs that wf can hire, by the word of agent:.
func adapters() map[string]agent.Adapter {
	return map[string]agent.Adapter{"replay": replay.Adapter{}, "command": command.Adapter{}}
}

// HostLack is one need of a plan that this host does not meet.
type HostLack struct {
	Need string `json:"need"`
	Why  string `json:"why"`
	Fix  string `json:"fix"`
	code diag.Code
}

// featureKind is the requirement of a part of the language that plans may use
// before wf runs it. The planner names it only where no run exists yet, so that
// a plan with one is refused by this wf, and made again by a later one.
const featureKind = "feature"

// preflight compares a plan's requirements with this host. Its facts are
// recorded in the journal and never enter a plan.
type preflight struct {
	facts sandbox.Facts
	lacks []HostLack
}

func (e Env) preflight(ctx context.Context, plan *planner.Plan, program []string) preflight {
	p := preflight{facts: sandbox.Probe(ctx, e.Self)}
	for _, r := range plan.Requirements {
		switch r.Kind {
		case "adapter":
			p.adapter(r.Name, program)
		case "sandbox":
			p.sandbox(r)
		case "program":
			p.program(r.Name, e.Environ)
		case featureKind:
			p.feature(r.Name)
		}
	}
	p.script(plan)
	return p
}

// unmet are the needs that are the same on every host: what this wf plans and
// does not carry out, and a script where agents follow one. They are looked at
// before an approval is used up.
func unmet(plan *planner.Plan) []HostLack {
	var p preflight
	for _, r := range plan.Requirements {
		if r.Kind == featureKind {
			p.feature(r.Name)
		}
	}
	p.script(plan)
	return p.lacks
}

// script finds replay agents that have nothing to follow: each of their units
// would fail at its start, and its ticket park.
func (p *preflight) script(plan *planner.Plan) {
	word := replay.Adapter{}.Name()
	if !slices.ContainsFunc(plan.Roles, func(r planner.Role) bool { return r.Adapter == word && r.Script == "" }) {
		return
	}
	file := strings.TrimSuffix(plan.Workflow.Path, dsl.Suffix) + scriptSuffix
	p.lacks = append(p.lacks, HostLack{"a script for its replay agents", file + " is not there", "write it, or hire a program instead: `agent: command` in wf.yaml for all roles that name none", codeNoScript})
}

func (p *preflight) feature(name string) {
	p.lacks = append(p.lacks, HostLack{"a wf that runs " + name, "this one plans it and does not carry it out yet", "review the plan today; to apply, remove " + name + " and plan again", codeUnrun})
}

func (p *preflight) adapter(name string, program []string) {
	if _, ok := adapters()[name]; !ok {
		p.lacks = append(p.lacks, HostLack{"adapter " + name, "this version of wf plans for it and cannot start it yet", "use agent: replay to rehearse the workflow, or agent: command for a program of your own", codeHost})
	}
	if name == "command" && len(program) == 0 {
		p.lacks = append(p.lacks, HostLack{"adapter command", "no program is configured", "set agents.command.program in your own wf configuration", codeHost})
	}
}

// program looks for what a gate starts; a path inside the repository is the candidate's to have.
func (p *preflight) program(name string, environ []string) {
	if strings.Contains(name, "/") {
		return
	}
	if _, err := process.LookPath(name, "", environ); err != nil {
		p.lacks = append(p.lacks, HostLack{"program " + name, "it is not in PATH", "install it, or run where it is installed", codeHost})
	}
}

func (p *preflight) sandbox(r planner.Requirement) {
	want := sandbox.Floor(r.Name)
	if r.Value != "" {
		want = sandbox.Floor(r.Value)
	}
	if !p.facts.Floor.Meets(want) {
		p.lacks = append(p.lacks, HostLack{"sandbox " + string(want), fmt.Sprintf("this host offers %s", p.facts.Floor), "run on a host with " + string(want) + ", or lower `sandbox:` in wf.yaml, which the plan then shows", codeHost})
	}
}

func (p preflight) journal() run.HostFacts {
	f := p.facts
	facts := []run.HostFact{
		{Name: "system", Value: runtime.GOOS + "/" + runtime.GOARCH},
		{Name: "sandbox", Value: string(f.Backend)},
		{Name: "floor", Value: string(f.Floor)},
		{Name: "network none", Value: string(f.Network(sandbox.None))},
	}
	for _, n := range f.Notes {
		facts = append(facts, run.HostFact{Name: "note", Value: n})
	}
	return run.HostFacts{Facts: facts}
}

// gateHost is what gates get of this host: the caller's PATH, the toolchains it
// leads to, and module caches, all read-only; no network, no credentials.
func (e Env) gateHost(ctx context.Context, facts sandbox.Facts, scratch string) evidence.Host {
	h := evidence.Host{Self: e.Self, Sandbox: facts, Path: e.Getenv("PATH"), Scratch: scratch, Now: e.Now}
	h.Env = []string{"LANG=C.UTF-8", "TZ=UTC", "CI=true", "GOPROXY=off", "GOTOOLCHAIN=local", "GOTELEMETRY=off"}
	modules, builds := e.goCaches(ctx)
	if modules != "" {
		h.Reads = append(h.Reads, modules)
		h.Env = append(h.Env, "GOMODCACHE="+modules)
	}
	h.GoCache = builds
	h.Reads = append(h.Reads, toolchains(e.Getenv("PATH"))...)
	return h
}

// goCaches are where the user's own go keeps modules and what it has built; ""
// without go, and where there is no such folder.
func (e Env) goCaches(ctx context.Context) (modules, builds string) {
	result, err := process.Run(ctx, process.Spec{Argv: []string{"go", "env", "GOMODCACHE", "GOCACHE"}, Env: e.Environ, Dir: e.TempDir, OutputCap: 8192})
	if err != nil || result.Exit != 0 {
		return "", ""
	}
	modules, builds, _ = strings.Cut(strings.TrimSpace(string(result.Stdout)), "\n")
	return folder(modules), folder(builds)
}

func folder(path string) string {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return ""
	}
	return path
}

// toolchains are the folders that PATH leads to and the system's own do not
// cover: bin and what lies beside it, as compilers and interpreters need.
func toolchains(path string) []string {
	var out []string
	for _, dir := range filepath.SplitList(path) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(real) {
			continue
		}
		if filepath.Base(real) == "bin" && strings.Count(real, string(filepath.Separator)) > 2 {
			real = filepath.Dir(real)
		}
		if real != string(filepath.Separator) && !slices.Contains(out, real) && !private(real) {
			out = append(out, real)
		}
	}
	return out
}

// private folders hold more than programs; only their bin is worth reading, and
// a PATH through them is left to the sandbox's own grants.
func private(dir string) bool {
	base := filepath.Base(dir)
	parent := filepath.Dir(dir)
	return parent == "/home" || dir == "/root" || base == ".local" || parent == "/Users"
}
