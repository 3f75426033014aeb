// Package agent defines the adapter: what turns one unit into a process of an
// agent program, and that program's output into events.
//
// An adapter decides nothing. It says what to start and what a line of output
// means; the runner starts it in the sandbox, and what counts afterwards is
// what the runner saw. Adapters live in folders beside this file; agenttest
// holds the one conformance suite that all of them pass.
package agent

import (
	"github.com/seed9cc7a46e/wf/planner"
)

// Names below a unit's exchange folder, $WF_UNIT.
const (
	OutputsFile = "outputs.json" // what submit_outputs delivers: a run.Submission
	TicketFile  = "ticket.md"    // the unit's copy of its ticket file
	PromptFile  = "prompt.md"
	NotesDir    = "notes"
	ArtifactDir = "artifacts"
)

// Unit is one session to be started. All paths are absolute.
type Unit struct {
	ID       string // T-003/implement/1; the identity that travels in WF_UNIT_ID
	Ticket   string // address
	Stage    string
	Purpose  string // "" or "first"
	Round    int
	Try      int // within the round, from 1: after a crash, an answer, an interruption
	Role     planner.Role
	Reserve  planner.Money
	Prompt   []byte
	Exchange string // $WF_UNIT: the folder the unit may write in every mode
	Worktree string
	Script   []byte   // replay: bytes of the script source
	Program  []string // command adapter: argv from user configuration, never from a repository
	Self     string   // path of the wf binary
	Guard    string   // path of the guard's socket, "" where there is none
	Home     string   // the unit's private home
}

// Launch is what to start.
type Launch struct {
	Argv  []string
	Env   []string // what the program needs beyond the unit's own environment
	Stdin []byte
	Files []File // written before the start, under the exchange folder
}

// File is a file of a launch, below the exchange folder.
type File struct {
	Path string // slash-separated, relative
	Data []byte
}

// Kind says what an event of a unit's stream is.
type Kind string

// The kinds of events. Whatever an agent says is a claim.
const (
	Began    Kind = "began"    // the first sign of life; identity in Text
	Says     Kind = "says"     // prose
	Use      Kind = "use"      // a tool use: ID, Tool, Text is its input in short
	Denied   Kind = "denied"   // the program says a use was refused
	Spent    Kind = "spent"    // cost so far, in Cost
	Asks     Kind = "asks"     // a question for the operator
	Stuck    Kind = "stuck"    // the unit says it is blocked
	Vendor   Kind = "vendor"   // the model's service refused or is overloaded
	Ended    Kind = "ended"    // the program's own word about its end; Cost where known
	Unparsed Kind = "unparsed" // a line that is not of the program's format
)

// Event is one thing read from a unit's stream.
type Event struct {
	Kind   Kind
	ID     string // of a tool use
	Tool   string
	Text   string
	Cost   planner.Money
	Known  bool // Cost means something
	Failed bool // Ended: the program itself calls its session failed
}

// Stream reads a unit's standard output line by line. It keeps what it needs
// between lines and is used by one goroutine.
type Stream interface {
	// Line gives the events of one line, without its newline. The bytes are
	// the caller's after the call.
	Line(line []byte) []Event
}

// Capabilities is what an adapter can enforce on its program, per kind of rule.
type Capabilities struct {
	HidesTools  Strength
	GatesCalls  Strength
	Budget      Strength
	ReportsCost bool
	NeedsModel  bool // its sessions call a paid model
}

// Strength is how far a rule holds inside a program.
type Strength string

// Strengths, strongest first.
const (
	Hidden     Strength = "hidden"     // the tool is not there
	Gated      Strength = "gated"      // each call is asked for before it runs
	Reconciled Strength = "reconciled" // each call is compared with the guard's record afterwards
	Hint       Strength = "hint only"
)

// Adapter is one agent program.
type Adapter interface {
	Name() string
	Capabilities() Capabilities
	// Prepare says what to start for a unit. An error is about this unit and
	// names what is missing; nothing was started.
	Prepare(Unit) (Launch, error)
	// Open gives a reader for one unit's stream.
	Open() Stream
}
