// Package dsl defines the Workflow: one YAML file of a team, parsed, resolved
// and type-checked, with the place of every part.
//
// Enter with Load: bytes in, a Workflow and findings out. What a Workflow
// holds has passed every rule of this package; what a run will do with it is
// the planner's to say.
package dsl

import (
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// Scalar is a field's value: a literal or text with ${{ }} in it, checked
// against the type and phase of its field.
type Scalar struct {
	Template expr.Template
	Checked  expr.Checked
	Type     expr.Type // what the field wants
	Range    diag.Range
	Set      bool        // false: the author left it out; Template is then the default, where the field has one
	Known    bool        // the value depends on nothing, and is Value
	Value    expr.Value  // in normal form, where Known
	Scope    *expr.Scope // the names, phase and taint it was checked in; shared, read only; nil for a default
}

// Workflow is one file, and what it includes by name.
type Workflow struct {
	File        string // slash-separated, relative to the repository's root
	Folder      string // that holds workflows/; the workflow's paths and globs are relative to it; "" at the root
	Settings    Settings
	Format      int // the value of wf:, 1 today
	Name        string
	Description string
	Types       []NamedType
	Inputs      []Input
	Limits      Limits
	Roles       []Role
	Pipelines   []Pipeline
	Tickets     []Ticket
	Shapes      []expr.TicketShape // what tickets see of each other, in the order of Tickets
	Outputs     []Output
	Rules       []string  // AGENTS.md and CLAUDE.md from the root to the workflow's folder
	Protect     []Scalar  // globs added to the default protected paths
	Sources     []Source  // every file that was read, the workflow first
	Features    []Feature // parts of the language it uses that are planned and not carried out yet, in file order
	Range       diag.Range
}

// Source is a file whose bytes take part in the workflow.
type Source struct {
	Path string // slash-separated, relative to the repository's root
	Kind string // workflow, role, instructions, script, settings
	Data []byte
}

// Feature is a use of a part of the language that wf plans and does not carry out yet.
type Feature struct {
	Name  string // as plans require it: services
	Range diag.Range
}

// NamedType is a record under types:.
type NamedType struct {
	Name  string
	Type  expr.Type
	Range diag.Range
}

// Input is a value that a plan is made for.
type Input struct {
	Name        string
	Type        expr.Type
	Default     expr.Value
	HasDefault  bool
	Description string
	Untrusted   bool
	Secret      bool   // no value of the workflow: given to units and gates, and in no plan
	Source      string // of a secret: its name in the user's configuration
	Range       diag.Range
}

// Limits are the bounds an author sets. Unset ones have the defaults of the language.
type Limits struct {
	Budget, Units, Concurrency, Depth, Children, Bounces, Retries, Width, Timeout Scalar
	Range                                                                         diag.Range
}

// Mode is what a role may do at most; it names a capability profile.
type Mode string

// The four modes. There is no fifth.
const (
	Chat        Mode = "chat"
	Review      Mode = "review"
	PlanMode    Mode = "plan"
	Orchestrate Mode = "orchestrate"
)

// Role is what an agent is hired as.
type Role struct {
	Name          string
	Uses          string // path of an agent definition (.claude/agents/qa.md), where given
	Mode          Mode
	ModeSet       bool
	Agent         Scalar // adapter
	Model         Scalar
	Fallback      []Scalar
	Allow         []Scalar // tools
	Deny          []Scalar
	AllowSet      bool
	Network       []Scalar // none | model | open | host names
	Reads         []Scalar
	Env           []string // names of variables passed on
	Budget        Scalar   // ceiling of one unit
	Children      Scalar
	Sandbox       string   // least confinement of the host: landlock, none; "" where the settings decide
	Instructions  string   // path of the instructions file, "" where inline or none
	Text          string   // the instructions themselves
	Secrets       []string // names of secret inputs
	MCP           []MCPServer
	Skills        []Skill
	Auth          string // gateway, key, login; "" for gateway
	Customisation string // none, repository, user; "" for repository
	Inspector     string // the role that reads a stalled unit's transcript; a ticket's own goes before it
	Range         diag.Range

	InspectorRange diag.Range
	Folder         *string   // of an included role: its paths are relative to it; nil: the workflow's
	Within         *Settings // that hold for an included role; nil: the workflow's
}

// MCPServer is a server whose tools a role may be allowed.
type MCPServer struct {
	Name  string
	Argv  []Scalar // a program, or
	URL   Scalar   // somewhere else
	Env   []string
	Range diag.Range
}

// Skill is a folder with a SKILL.md.
type Skill struct {
	Name  string
	File  string // its SKILL.md
	Range diag.Range
}

// Service is a process that runs beside the units and gates of a ticket.
type Service struct {
	Name    string
	Argv    []Scalar
	Port    Scalar
	Ready   Scalar
	Env     []EnvVar
	Timeout Scalar
	Workdir Scalar
	Range   diag.Range
}

// Pipeline is an ordered list of stages.
type Pipeline struct {
	Name   string
	Stages []Stage
	Range  diag.Range
}

// Writes says what a stage may change.
type Writes string

// A stage writes nothing, the ticket's scope, or its own globs within that scope.
const (
	WritesNone  Writes = "none"
	WritesScope Writes = "scope"
	WritesGlobs Writes = "globs"
)

// Stage is one step of a pipeline.
type Stage struct {
	Name       string
	Role       string
	Mode       Mode // "" where the role's holds; otherwise tighter than it
	Writes     Writes
	WriteGlobs []Scalar
	Verdict    []Route  // empty: a stage that works and does not judge
	Gates      []string // names of the ticket's gates; meaningful when GatesSet
	GatesSet   bool
	ExpectFail bool     // tests-first: its gates must fail
	First      string   // on_bounce.first: the role that diagnoses a refusal
	Reviewers  []string // in place of Role: independent units on one commit
	Outputs    []string // the ticket\'s outputs that are due here; meaningful when OutputsSet
	OutputsSet bool
	When       Scalar
	Timeout    Scalar
	Range      diag.Range
	RoleRange  diag.Range
	FirstRange diag.Range
	GateRanges []diag.Range // of Gates, one each

	ReviewerRanges []diag.Range // of Reviewers
	OutputRanges   []diag.Range // of Outputs
}

// Targets of a route that are no stage.
const (
	ToNext = "next"
	ToDone = "done"
	ToPark = "park"
)

// Route sends a verdict somewhere: next, done, park, or a stage of the same pipeline.
type Route struct {
	Verdict string
	To      string
	Range   diag.Range
}

// Need is an edge an author wrote.
type Need struct {
	Ticket  string
	Settled bool // until: settled, which also accepts skipped, parked and cancelled
	// Optional: skipped satisfies it too. No author writes it: a planner does, of
	// a ticket of an included workflow that has a condition.
	Optional bool
	Range    diag.Range
}

// Ticket is one piece of work as declared; a fan-out stands for many.
type Ticket struct {
	Name       string
	Kind       string // "" for work; KindWorkflow where Include is set; KindReview, KindProposal; deliberation is refused until built
	Include    *Include
	Title      Scalar
	Role       string // where it has no pipeline
	Pipeline   string
	Brief      Scalar
	When       Scalar
	Needs      []Need
	ForEach    Scalar
	Key        Scalar
	Max        Scalar
	Matrix     *Matrix
	Scope      []Scalar
	Narrow     []Scalar
	MayChange  []Scalar
	Protect    []Scalar
	Context    []Scalar
	Acceptance []Acceptance
	Gates      []Gate
	Outputs    []OutputField
	Hold       bool
	Deliver    string // "", branch, pull_request, merge
	Budget     Scalar
	Workdir    Scalar
	Keep       []Scalar // ignored files that stay between units
	Generated  []Scalar // globs that a gate regenerates
	Base       Scalar   // ref; unset: HEAD
	Checkout   *Checkout
	Services   []Service
	Notify     *Notify
	Review     *ReviewParts // of a review
	Within     *Within      // of a proposal
	Escalate   RoleUse      // asked by a blocked unit before the operator
	OnConflict RoleUse      // resolves a merge conflict
	Inspector  RoleUse      // reads the transcript of a stalled unit
	Range      diag.Range

	Each          *expr.EachShape // of a for_each: the types of each.key, each.value
	RoleRange     diag.Range
	PipelineRange diag.Range
	Folder        *string // of an included ticket: its paths are relative to it; nil: the workflow's
}

// Include is another workflow that stands in the place of a ticket. Its tickets
// get addresses under that of the ticket: sub.change["a"].
type Include struct {
	Workflow *Workflow // nil where it cannot be used; findings say why
	With     []EnvVar  // its inputs; each Type is that of the input
	Range    diag.Range
}

// The kinds of tickets that are not plain work.
const (
	KindWorkflow = "workflow"
	KindReview   = "review"
	KindProposal = "proposal"
)

// RoleUse names a role outside of stages; Name is "" where there is none.
type RoleUse struct {
	Name  string
	Range diag.Range
}

// ReviewParts are what a review ticket has of its own.
type ReviewParts struct {
	Reviewers   []RoleUse
	Axes        []ReviewAxis
	Confirm     *Confirm
	MaxFindings Scalar
}

// ReviewAxis is a check of a review. A gated one that fails blocks, and holds where it could not run.
type ReviewAxis struct {
	Gate  Gate
	Gated bool
}

// Confirm says that findings from a priority on need another reviewer.
type Confirm struct {
	By      string // any_other
	AtLeast string // P0 … P3: of this priority and graver
	Range   diag.Range
}

// Within bounds what a proposal may ask for.
type Within struct {
	Roles      []RoleUse
	Pipelines  []RoleUse
	Scope      []Scalar
	Effects    []string // nil: those of its roles
	EffectsSet bool
	Budget     Scalar
	Units      Scalar
	Range      diag.Range
}

// Notify is a command that hears of a ticket's statuses.
type Notify struct {
	Argv    []Scalar
	On      []string // blocked, parked, held, done
	Timeout Scalar
	Network []Scalar
	Range   diag.Range
}

// Checkout is what a ticket sees in place of its base.
type Checkout struct {
	Ref        Scalar
	Submodules bool
	LFS        bool
	Sparse     []Scalar
	Range      diag.Range
}

// FansOut reports whether the ticket stands for a list of tickets.
func (t Ticket) FansOut() bool { return t.ForEach.Set || t.Matrix != nil }

// Matrix is a plan-time product of named lists.
type Matrix struct {
	Axes    []Axis
	Include []MatrixRow
	Exclude []MatrixRow
	Range   diag.Range
}

// Axis is one dimension of a matrix.
type Axis struct {
	Name   string
	Values Scalar // a list
}

// MatrixRow gives a value to some axes.
type MatrixRow struct {
	Cells []MatrixCell
	Range diag.Range
}

// MatrixCell is one axis' value in a row.
type MatrixCell struct {
	Axis  string
	Value Scalar
	Range diag.Range // of the axis' name
}

// Acceptance is one row that must be backed by a gate or a verdict stage.
type Acceptance struct {
	What    Scalar
	By      string
	Range   diag.Range
	ByRange diag.Range
}

// OutputField is a typed value that a ticket must deliver.
type OutputField struct {
	Name  string
	Type  expr.Type
	Range diag.Range
}

// Output is a value of the whole workflow.
type Output struct {
	Name  string
	Value Scalar
	Range diag.Range
}

// Gate is a check that the runner executes itself.
type Gate struct {
	Name     string
	Argv     []Scalar // run: split into words, no shell
	Shell    string   // the interpreter where shell: is given; Script holds the text
	Script   string
	Check    string // built-in check, where run: is not given
	Args     []GateArg
	Env      []EnvVar
	Timeout  Scalar
	Workdir  Scalar
	MinTests Scalar
	Reused   bool     // fresh: false: its checkout is not new, and its record weak evidence
	Proves   []Scalar // tests that must fail on the base's sources
	Count    string   // go | junit:PATH | tap | pattern:RE; "" where inferred or none
	Network  []Scalar
	Range    diag.Range

	CheckRange diag.Range // of check:, shell: or count: a rule points there
	CountRange diag.Range
	RunRange   diag.Range
}

// GateArg is an argument of a built-in check: pattern, paths, max, …
type GateArg struct {
	Name   string
	Values []Scalar
	Range  diag.Range // of the name
}

// EnvVar is one variable of a gate's environment.
type EnvVar struct {
	Name   string
	Value  Scalar     // not set where Secret is
	Secret string     // the secret input that it is
	Range  diag.Range // of the name
}
