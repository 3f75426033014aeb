// Package planner makes the Plan: everything a run may ever do, with bounds
// and reasons, as a pure function of its inputs.
//
// Enter with Make. The document is written and read by planfile, judged by
// policies, approved through approval and carried out by the materializer;
// none of them finds anything in it that the digest does not cover.
package planner

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// Format is the version of the plan document.
const Format = 1

// Money is an amount in micro-dollars: 2 USD is 2_000_000. No floats.
type Money int64

// USD is one dollar.
const USD Money = 1_000_000

// String gives the amount as people write it, to the cent where that is exact: "2.00 USD".
func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	if m%10_000 == 0 {
		return fmt.Sprintf("%s%d.%02d USD", sign, m/USD, m%USD/10_000)
	}
	return fmt.Sprintf("%s%d.%06d USD", sign, m/USD, m%USD)
}

// Plan is the document that a person approves.
type Plan struct {
	Format     int         `json:"plan"`
	Workflow   WorkflowRef `json:"workflow"`
	Repository string      `json:"repository"` // identity of the repository: from settings, else its root commits
	Base       Base        `json:"base"`
	Sources    []Source    `json:"sources"`
	Inputs     []Input     `json:"inputs"`
	Secrets    []Secret    `json:"secrets"` // secret inputs: names alone, no value
	Limits     Limits      `json:"limits"`
	Roles      []Role      `json:"roles"`
	Tickets    []Ticket    `json:"tickets"`  // in ID order
	Includes   []Include   `json:"includes"` // workflows that stand in the place of tickets, outer ones first
	Groups     []Group     `json:"groups"`   // plan-time fan-outs, also those of no entry
	Edges      []Edge      `json:"edges"`
	Agents     []Agent     `json:"agents"`
	Effects    []EffectUse `json:"effects"`
	Bounds     Bounds      `json:"bounds"`
	Conflicts  Conflicts   `json:"conflicts"`
	Protected  []string    `json:"protected"` // globs no unit may change, unless its ticket's may_change lifts them
	// ProtectedExisting are those of Protected under which new files are free:
	// tests, of which a unit may add more and may not weaken any.
	ProtectedExisting []string      `json:"protectedExisting"`
	Outputs           []Output      `json:"outputs"`
	Requirements      []Requirement `json:"requirements"`
	Notices           []Notice      `json:"notices"`
	Change            *Change       `json:"change,omitempty"` // with --base: against the same workflow there
	Policy            Judgement     `json:"policy"`
}

// WorkflowRef names what was planned.
type WorkflowRef struct {
	Name        string `json:"name"`
	Path        string `json:"path"`
	Description string `json:"description,omitempty"`
}

// Base is the commit that tickets without upstream start from.
type Base struct {
	Commit string `json:"commit"`
	Date   string `json:"date"` // committer date, RFC 3339 in UTC
}

// Source is a file that takes part, with its bytes, so that a plan needs no working tree.
type Source struct {
	Path        string `json:"path"`
	Kind        string `json:"kind"`   // workflow, include, role, instructions, script, settings, policy, operators
	Digest      string `json:"digest"` // "sha256:" and 64 hex digits
	Uncommitted bool   `json:"uncommitted"`
	Text        string `json:"text,omitempty"` // held for every kind the run reads again
}

// Input is a resolved input.
type Input struct {
	Name      string     `json:"name"`
	Type      expr.Type  `json:"type"`
	Value     expr.Value `json:"value"`
	Untrusted bool       `json:"untrusted,omitempty"`
	Origin    string     `json:"origin" enum:"default,environment,file,flag,with"`
}

// Secret is an input whose value is in no plan. What is given it says so.
type Secret struct {
	Name   string `json:"name"`
	Source string `json:"source"` // its name in the user's configuration
}

// MCPServer is a server whose tools a role may be allowed.
type MCPServer struct {
	Name string   `json:"name"`
	Argv []string `json:"argv,omitempty"`
	URL  string   `json:"url,omitempty"`
	Env  []string `json:"env"`
}

// Skill is instructions that a role may call up.
type Skill struct {
	Name   string `json:"name"`
	Path   string `json:"path"` // of its SKILL.md, a source
	Digest string `json:"digest"`
}

// Service is a process that runs beside a ticket's units and gates.
type Service struct {
	Name           string   `json:"name"`
	Argv           []string `json:"argv"`
	Port           int      `json:"port"` // 0: a free one
	Ready          string   `json:"ready,omitempty"`
	Env            []EnvVar `json:"env,omitempty"`
	TimeoutSeconds int64    `json:"timeoutSeconds"`
	Workdir        string   `json:"workdir,omitempty"`
}

// Limits are the resolved hard limits and the width guideline.
type Limits struct {
	Budget         Money  `json:"budget"`
	Units          int    `json:"units"`
	Concurrency    int    `json:"concurrency"`
	Depth          int    `json:"depth"`
	Children       int    `json:"children"`
	Bounces        int    `json:"bounces"`
	Retries        int    `json:"retries"`
	Width          string `json:"width"`       // small, medium, large, unlimited, or a number
	WidthAgents    int    `json:"widthAgents"` // agents from which the guideline speaks up; 0: never
	TimeoutSeconds int64  `json:"timeoutSeconds"`

	Origins []LimitOrigin `json:"origins"` // sorted by limit
}

// LimitOrigin says where one limit comes from.
type LimitOrigin struct {
	Limit  string `json:"limit"`
	Origin string `json:"origin" enum:"default,workflow,settings,computed"`
}

// Role is a resolved role.
type Role struct {
	Name         string   `json:"name"`
	Mode         string   `json:"mode" enum:"chat,review,plan,orchestrate"`
	Adapter      string   `json:"adapter"`
	Model        string   `json:"model,omitempty"`
	Fallback     []string `json:"fallback,omitempty"`
	Allow        []string `json:"allow"` // tools, resolved against the mode's profile
	Deny         []string `json:"deny"`
	Network      []string `json:"network"` // none, model, open, or host names
	Reads        []string `json:"reads"`
	Env          []string `json:"env"`
	Budget       Money    `json:"budget"`                                 // ceiling of one unit
	Instructions string   `json:"instructions,omitempty"`                 // path of a source
	Script       string   `json:"script,omitempty"`                       // replay: path of a source
	Text         string   `json:"text,omitempty"`                         // instructions written in the workflow or an agent definition
	Sandbox      string   `json:"sandbox" enum:"none,landlock,namespace"` // floor its units need of a host
	Children     int      `json:"children"`                               // live subagents inside one session
	Inspector    string   `json:"inspector,omitempty"`                    // role that reads a stalled unit's transcript

	Secrets       []string    `json:"secrets"` // secret inputs, each as a variable of its name in capital letters
	MCP           []MCPServer `json:"mcp"`
	Skills        []Skill     `json:"skills"`
	Auth          string      `json:"auth" enum:"gateway,key,login"`             // how its program reaches the model
	Customisation string      `json:"customisation" enum:"none,repository,user"` // whose settings its program sees
}

// Ticket is one planned ticket, or the bounded template of a run-time fan-out.
// Texts keep their ${{ }}; plan-phase fields are already evaluated.
type Ticket struct {
	ID          string        `json:"id"`                                    // T-002; children of a template get T-002.1 … at run time
	Address     string        `json:"address"`                               // change, change["api"]; change[*] for a template
	Name        string        `json:"name"`                                  // as declared
	Kind        string        `json:"kind,omitempty" enum:"review,proposal"` // empty: work
	Title       string        `json:"title"`
	FanOut      *FanOut       `json:"fanOut,omitempty"`
	Key         string        `json:"key,omitempty"` // of a plan-time fan-out
	Each        expr.Value    `json:"each,omitzero"` // each.value of a plan-time fan-out
	Matrix      expr.Value    `json:"matrix,omitzero"`
	EachType    expr.Type     `json:"eachType,omitzero"`     // declared type of Each
	MatrixTypes []expr.Field  `json:"matrixTypes,omitempty"` // declared types of the axes
	Brief       string        `json:"brief"`
	When        string        `json:"when,omitempty"`
	Scope       []string      `json:"scope"`
	Narrow      []string      `json:"narrow,omitempty"`
	MayChange   []string      `json:"mayChange"`
	Protect     []string      `json:"protect,omitempty"` // globs protected beyond the plan's
	Context     []string      `json:"context,omitempty"`
	Keep        []string      `json:"keep,omitempty"` // globs of ignored files that stay between units
	Services    []Service     `json:"services,omitempty"`
	Acceptance  []Acceptance  `json:"acceptance"`
	Gates       []Gate        `json:"gates"`
	Stages      []Stage       `json:"stages"`
	Outputs     []OutputField `json:"outputs"`
	Hold        bool          `json:"hold"`
	Skipped     bool          `json:"skipped,omitempty"` // its when: is false for these inputs, or it needs such a ticket
	Deliver     string        `json:"deliver,omitempty"`
	Budget      Money         `json:"budget"`   // share of the run's budget this ticket can use; the run's where none was set
	MaxUnits    int           `json:"maxUnits"` // greatest number of sessions, all children of a template counted
	Review      *Review       `json:"review,omitempty"`
	Within      *Within       `json:"within,omitempty"`
	Base        string        `json:"base,omitempty"` // commit it starts from, where that is not the plan's
	Checkout    *Checkout     `json:"checkout,omitempty"`
	Generated   []string      `json:"generated,omitempty"` // globs that a gate regenerates
	Notify      *Notify       `json:"notify,omitempty"`
	Escalate    string        `json:"escalate,omitempty"`   // role that a blocked unit asks before the operator
	OnConflict  string        `json:"onConflict,omitempty"` // role that resolves a merge conflict
	Inspector   string        `json:"inspector,omitempty"`  // role that reads a stalled unit's transcript
	Workdir     string        `json:"workdir,omitempty"`
	File        string        `json:"file,omitempty"` // of an included ticket; the workflow's where left out
	Line        int           `json:"line"`
	Column      int           `json:"column"`
}

// Writes reports whether any stage of the ticket may change files: it then has a branch.
func (t Ticket) Writes() bool {
	for _, s := range t.Stages {
		if s.Writes != "none" {
			return true
		}
	}
	return false
}

// Accepts reports whether a verdict of a stage lets the ticket's work pass: it
// leads to done, or on to a stage that looks at the same commit. A verdict that
// leads back, to a stage that writes or to park refuses, whatever it is called;
// what no route names refuses too.
func (t *Ticket) Accepts(stage, verdict string) bool {
	at := slices.IndexFunc(t.Stages, func(s Stage) bool { return s.Name == stage })
	if at < 0 {
		return false
	}
	routes := t.Stages[at].Verdicts
	i := slices.IndexFunc(routes, func(r Route) bool { return r.Verdict == verdict })
	if i < 0 {
		return false
	}
	to := at + 1
	switch routes[i].To {
	case dsl.ToDone:
		return true
	case dsl.ToPark:
		return false
	case dsl.ToNext:
	default:
		to = slices.IndexFunc(t.Stages, func(s Stage) bool { return s.Name == routes[i].To })
	}
	return to > at && (to == len(t.Stages) || t.Stages[to].Writes == string(dsl.WritesNone))
}

// Include is a workflow that was included: the place its tickets have, and the
// limits of its own that they keep beside the run's.
type Include struct {
	Address     string   `json:"address"` // sub, sub["a"].inner
	Path        string   `json:"path"`
	Budget      Money    `json:"budget"`      // of all its tickets together
	Units       int      `json:"units"`       // sessions of all its tickets; 0: the run's
	Concurrency int      `json:"concurrency"` // sessions of all its tickets at the same time
	Bounces     int      `json:"bounces"`
	Retries     int      `json:"retries"`
	Children    int      `json:"children"`
	Tickets     []string `json:"tickets"` // IDs
}

// LimitsOf gives the limits that a ticket keeps by itself, bounces and retries
// among them: the run's, or the least of the workflows that it is included by.
func (p *Plan) LimitsOf(id string) Limits {
	l := p.Limits
	for _, in := range p.Includes {
		if slices.Contains(in.Tickets, id) {
			l.Bounces, l.Retries = min(l.Bounces, in.Bounces), min(l.Retries, in.Retries)
		}
	}
	return l
}

// Group is a fan-out whose list was known: its children in the order of the list.
type Group struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Children []string `json:"children"` // ticket IDs
	// Outputs are what each child delivers: the type of the list that others
	// see, also where there is no child.
	Outputs []OutputField `json:"outputs"`
}

// FanOut is the template part of a ticket whose list is known only at run time.
type FanOut struct {
	ForEach string    `json:"forEach"` // expression text
	Key     string    `json:"key"`
	Max     int       `json:"max"`
	Elem    expr.Type `json:"elem"` // type of each.value
}

// Acceptance is a row checked at closing.
type Acceptance struct {
	What string `json:"what"`
	By   string `json:"by"` // a gate or a verdict stage
}

// OutputField is a value due from the ticket.
type OutputField struct {
	Name string    `json:"name"`
	Type expr.Type `json:"type"`
}

// Stage is a planned stage.
type Stage struct {
	Name           string   `json:"name"`
	Role           string   `json:"role"`
	Mode           string   `json:"mode" enum:"chat,review,plan,orchestrate"`
	Writes         string   `json:"writes" enum:"none,scope,globs"`
	WriteGlobs     []string `json:"writeGlobs,omitempty"`
	Verdicts       []Route  `json:"verdicts"` // empty: a working stage
	Gates          []string `json:"gates"`    // names of gates that run after it, in order
	ExpectFail     bool     `json:"expectFail,omitempty"`
	First          string   `json:"first,omitempty"`     // role that diagnoses a refusal before the next round
	OutputsDue     bool     `json:"outputsDue"`          // the ticket's outputs are delivered here
	Outputs        []string `json:"outputs,omitempty"`   // those that are, where not all
	Reviewers      []string `json:"reviewers,omitempty"` // in place of role: independent units on one commit
	When           string   `json:"when,omitempty"`      // expression text: whether the stage is entered
	TimeoutSeconds int64    `json:"timeoutSeconds"`
}

// Route is where a verdict leads: next, done, park, or a stage.
type Route struct {
	Verdict string `json:"verdict"`
	To      string `json:"to"`
}

// Gate is a planned gate.
type Gate struct {
	Name           string    `json:"name"`
	Argv           []string  `json:"argv,omitempty"`
	Shell          string    `json:"shell,omitempty"`
	Script         string    `json:"script,omitempty"`
	Check          string    `json:"check,omitempty"`
	Args           []GateArg `json:"args,omitempty"`
	Env            []EnvVar  `json:"env,omitempty"` // values may hold run-phase ${{ }}
	TimeoutSeconds int64     `json:"timeoutSeconds"`
	Workdir        string    `json:"workdir,omitempty"`
	MinTests       int       `json:"minTests"`
	Count          string    `json:"count,omitempty"`
	Network        []string  `json:"network"`          // none by default
	Reused         bool      `json:"reused,omitempty"` // its checkout is not new, and its record weak evidence
	Proves         []string  `json:"proves,omitempty"` // globs of tests that must fail on the base's sources
}

// GateArg is an argument of a built-in check.
type GateArg struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// EnvVar is a variable of a gate.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Secret is the secret input that it is, in place of a value.
	Secret string `json:"secret,omitempty"`
}

// Edge says that To waits for From. Both are ticket IDs.
type Edge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Settled  bool   `json:"settled"`  // skipped, parked and cancelled satisfy it too
	Optional bool   `json:"optional"` // skipped satisfies it
	Why      string `json:"why" enum:"needs,reference"`
}

// Agent is a role hired for one ticket.
type Agent struct {
	Name    string   `json:"name"` // builder@change["api"]
	Role    string   `json:"role"`
	Ticket  string   `json:"ticket"` // ID
	Stages  []string `json:"stages"`
	Count   int      `json:"count"` // 1, or max of a template
	Adapter string   `json:"adapter"`
	Model   string   `json:"model,omitempty"`
	Mode    string   `json:"mode" enum:"chat,review,plan,orchestrate"`
	Tools   []string `json:"tools"`
	Network []string `json:"network"`
	Units   int      `json:"units"`  // greatest number of sessions, all counts together
	Budget  Money    `json:"budget"` // ceiling of one unit
	Effects []string `json:"effects"`
}

// EffectUse is one effect and who can cause it.
type EffectUse struct {
	Effect string   `json:"effect"`
	Tier   string   `json:"tier" enum:"local,shared,external"`
	By     []string `json:"by"` // agents, and gates as T-002/gate/tests
	Why    string   `json:"why"`
	// Partial: the declared floor stops the usual way of it, not every way.
	Partial bool `json:"partial"`
}

// Bound is one number a run cannot pass, and how it is kept.
type Bound struct {
	Value int64  `json:"value"`
	Kept  string `json:"kept" enum:"enforced,metered,declared"`
}

// Bounds are what a run can use at most.
type Bounds struct {
	Tickets       Bound    `json:"tickets"`
	Agents        Bound    `json:"agents"`
	Units         Bound    `json:"units"`
	UnitsLeast    int      `json:"unitsLeast"` // one per stage, no bounce, smallest fan-out
	AtOnce        Bound    `json:"atOnce"`     // greatest number of sessions at the same time
	AtOnceExact   bool     `json:"atOnceExact"`
	Depth         Bound    `json:"depth"`
	Children      Bound    `json:"children"`
	Cost          Bound    `json:"cost"`         // micro-dollars: min(limit, sum of unit budgets)
	CostAllUnits  Money    `json:"costAllUnits"` // sum of all unit budgets in the worst case
	CostNoBounce  Money    `json:"costNoBounce"` // every fan-out full, no bounce, no retry
	CostLeast     Money    `json:"costLeast"`
	UnitsPaid     int      `json:"unitsPaid"`    // "pays for k of n units in the worst case"
	CriticalPath  []string `json:"criticalPath"` // ticket IDs
	CriticalUnits int      `json:"criticalUnits"`
	Seconds       Bound    `json:"seconds"`
	Widest        []string `json:"widest"` // ticket IDs of the widest place
	// Disk is what the worktrees of writing tickets take in bytes, as far as the
	// base commit tells: builds and caches come on top.
	Disk Bound `json:"disk"`
}

// Conflicts are pairs of tickets that can write the same path at the same time.
type Conflicts struct {
	Total int        `json:"total"`
	Exact bool       `json:"exact"` // false: there are at least Total
	Pairs []Conflict `json:"pairs"` // capped
}

// Conflict is one pair, with a path both could write.
type Conflict struct {
	A       string `json:"a"`
	B       string `json:"b"`
	Witness string `json:"witness"`
}

// Output is a value of the workflow: expression text over ticket outputs.
type Output struct {
	Name string `json:"name"`
	Expr string `json:"expr"`
}

// Requirement is what the plan needs of a host, and of the wf that carries it
// out: a feature is a part of the language that is planned and may not run yet.
// Facts about a host are never in a plan.
type Requirement struct {
	Kind  string `json:"kind" enum:"adapter,model,sandbox,program,feature"`
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// Notice is something the planner says beside the plan: a warning by code.
type Notice struct {
	Code    string `json:"code"`
	Level   string `json:"level" enum:"warning,note"`
	Message string `json:"message"`
	Ticket  string `json:"ticket,omitempty"`
	Line    int    `json:"line,omitempty"`
}

// Judgement is what the policy layers say. Policies themselves see the plan without it.
type Judgement struct {
	Layers  []Layer  `json:"layers"`
	Denials []Ruling `json:"denials"`
	Asks    []Ruling `json:"asks"`
	Warns   []Ruling `json:"warns"`
	Guards  []Guard  `json:"guards"`
}

// Layer is one policy layer that was evaluated.
type Layer struct {
	Name   string   `json:"name"` // built-in, organisation, project, package
	Files  []string `json:"files"`
	Digest string   `json:"digest"`
	Rules  int      `json:"rules"`
}

// Ruling is one deny, ask or warn.
type Ruling struct {
	Layer string `json:"layer"`
	Rule  string `json:"rule"` // package and rule: wf.width.warn
	Msg   string `json:"msg"`
	Code  string `json:"code,omitempty"`
	Level string `json:"level,omitempty"` // hard, soft
	Node  string `json:"node,omitempty"`  // address
	From  string `json:"from,omitempty"`  // ask: the group whose approval is needed
	// Approvers: ask: how many different people of the group; 0 means 1.
	Approvers int    `json:"approvers,omitempty"`
	File      string `json:"file,omitempty"` // of the rule
	Line      int    `json:"line,omitempty"`
}

// Guard is a rule that every unit's guard table gets.
type Guard struct {
	Layer    string `json:"layer"`
	Rule     string `json:"rule"` // Bash(git push --force*)
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}
