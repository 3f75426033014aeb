package run

import (
	"encoding/json"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// Event is a fact about a run. Events are the only way a State changes; they
// are written to the journal before anything is done because of them.
//
// The set is closed: each has a stable Type name in the journal (see codec.go)
// and only gains fields. Times are never part of a rule; where an event has
// At (RFC 3339, UTC, from the engine), it is for readers alone.
type Event interface{ Type() string }

// UnitID names one agent session: a ticket, a stage, a round, and the try
// within the round. Purpose "first" marks the diagnosing unit of on_bounce.
type UnitID struct {
	Ticket  string `json:"ticket"` // ID: T-003, T-002.1
	Stage   string `json:"stage"`
	Purpose string `json:"purpose,omitempty"` // "" or "first"
	Round   int    `json:"round"`             // 1-based
	Try     int    `json:"try"`               // 1-based; grows by retries, reruns and interruptions
}

// Started opens a run.
type Started struct {
	Run       string `json:"run"` // digest, 8 hex digits, "-" and the attempt
	Plan      string `json:"plan"`
	Attempt   int    `json:"attempt"`
	Rules     int    `json:"rules"`               // version of this package's rules
	Approval  string `json:"approval"`            // ssh, tty, auto
	Approved  string `json:"approved,omitempty"`  // "sha256:" and the digest of the approval's record beside the run
	Authority string `json:"authority,omitempty"` // who authorised
	Executor  string `json:"executor,omitempty"`  // who ran apply; for readers
	At        string `json:"at"`
}

// HostFacts records the preflight. It changes no state.
type HostFacts struct {
	Facts []HostFact `json:"facts"`
}

// HostFact is one thing found on this host.
type HostFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Resumed says that another process took the run over, and what it had to end.
type Resumed struct {
	Reaped int    `json:"reaped"` // processes of the old run that were ended
	At     string `json:"at"`
}

// Skipped ends a ticket whose when: was false or whose needs can never be met.
type Skipped struct {
	Ticket string `json:"ticket"`
	Reason string `json:"reason"`
}

// Expanded gives the children of a run-time fan-out.
type Expanded struct {
	Ticket   string  `json:"ticket"` // the template
	Children []Child `json:"children"`
}

// Child is one ticket of a run-time fan-out.
type Child struct {
	ID      string     `json:"id"`
	Address string     `json:"address"`
	Key     string     `json:"key"`
	Value   expr.Value `json:"value"`
	Scope   []string   `json:"scope"` // the template's, narrowed
	Narrow  []string   `json:"narrow,omitempty"`
}

// Opened says that a ticket's needs are met: it is ready, or held where it has hold: operator.
type Opened struct {
	Ticket string `json:"ticket"`
	Brief  string `json:"brief"` // evaluated
	Title  string `json:"title"`
}

// Branched says that the ticket's branch and worktree stand.
type Branched struct {
	Ticket string   `json:"ticket"`
	Branch string   `json:"branch,omitempty"` // "": a read-only ticket on a detached worktree
	Base   string   `json:"base"`             // commit the ticket starts from
	Merged []string `json:"merged,omitempty"` // tickets whose branches are in Base
	Tree   string   `json:"tree,omitempty"`   // of Base: tells a commit that changes nothing
}

// Conflicted says that upstream branches do not merge.
type Conflicted struct {
	Ticket string   `json:"ticket"`
	With   string   `json:"with"` // the ticket whose branch did not merge
	Files  []string `json:"files"`
}

// Reserved takes a unit's ceiling out of its ticket's and the run's budget. The unit starts after it.
type Reserved struct {
	Unit    UnitID        `json:"unit"`
	Role    string        `json:"role"`
	Reserve planner.Money `json:"reserve"`
}

// Launched records the process of a unit.
type Launched struct {
	Unit    UnitID          `json:"unit"`
	Process json.RawMessage `json:"process"` // process.Identity
	Commit  string          `json:"commit"`  // the commit its worktree stood at
	At      string          `json:"at"`
}

// Outcome is how a unit's session ended, before anything it says is looked at.
type Outcome string

// Outcomes. Only Exited is looked at further; Interrupted says that wf itself went away.
const (
	Exited      Outcome = "exited"      // exit status 0
	Failed      Outcome = "failed"      // another status, or a signal
	Stalled     Outcome = "stalled"     // no first event, or silence past the ladder
	TimedOut    Outcome = "timed_out"   // the stage's timeout
	VendorError Outcome = "vendor"      // the model's service refused or was overloaded
	Interrupted Outcome = "interrupted" // wf was stopped or killed
	NotStarted  Outcome = "not_started" // the program could not be started
)

// Ended closes a unit with what the runner saw and what the agent submitted.
type Ended struct {
	Unit      UnitID        `json:"unit"`
	Outcome   Outcome       `json:"outcome"`
	Exit      int           `json:"exit"`
	Signal    string        `json:"signal,omitempty"`
	Detail    string        `json:"detail,omitempty"` // redacted, escaped, bounded
	Cost      planner.Money `json:"cost"`
	CostKnown bool          `json:"costKnown"`
	Tokens    int64         `json:"tokens,omitempty"`
	Submitted *Submission   `json:"submitted,omitempty"` // nil: no outputs.json that could be read
	SubmitBad string        `json:"submitBad,omitempty"` // why outputs.json could not be read
	Observed  Observed      `json:"observed"`
	Asked     []Question    `json:"asked,omitempty"`
	Blocked   string        `json:"blocked,omitempty"` // the unit's own word that it cannot go on
	Salvage   string        `json:"salvage,omitempty"` // ref that keeps interrupted work
	At        string        `json:"at"`
}

// Submission is what submit_outputs delivered: a claim until it is checked.
type Submission struct {
	Verdict  string     `json:"verdict,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Evidence []string   `json:"evidence,omitempty"` // path:line, artifact names
	Outputs  expr.Value `json:"outputs,omitzero"`   // a record
}

// Question is one ask_operator.
type Question struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Observed is what the runner measured around a unit.
type Observed struct {
	Changes    []Change  `json:"changes"`              // against the commit the unit started from
	Tampered   []string  `json:"tampered,omitempty"`   // git metadata, state, another unit's folder
	Outside    []string  `json:"outside,omitempty"`    // links that lead out of the tree
	TicketFile []string  `json:"ticketFile,omitempty"` // why the unit's copy of the ticket file is broken
	Uses       int       `json:"uses"`                 // tool uses in the stream
	Unguarded  []string  `json:"unguarded,omitempty"`  // tool uses without a guard record
	Denied     []string  `json:"denied,omitempty"`     // what the guard refused
	Cited      []string  `json:"cited,omitempty"`      // entries of Evidence that exist, as the runner checked
	Leftover   int       `json:"leftover,omitempty"`   // processes that had to be ended
	Plan, Log  string    `json:"-"`
	Sections   []Section `json:"sections,omitempty"` // what the unit wrote in the ticket file
}

// Section is a part of a ticket file that a unit wrote.
type Section struct {
	Name string `json:"name"` // Plan, Log, Verdicts
	Text string `json:"text"`
}

// Change is one path that differs from the commit.
type Change struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // added, modified, deleted, type
}

// Intended records a commit before it is made, so that a replay makes the same one.
type Intended struct {
	Unit    UnitID   `json:"unit"`
	Tree    string   `json:"tree"`
	Parents []string `json:"parents"`
	Date    string   `json:"date"` // RFC 3339, UTC, whole seconds
	Message string   `json:"message"`
}

// Built says that the candidate commit exists on its private ref.
type Built struct {
	Unit   UnitID `json:"unit"`
	Commit string `json:"commit"`
	Tree   string `json:"tree"`
}

// GateOutcome is what a gate said.
type GateOutcome string

// A gate that could not run, or ran too few tests, is Broken; Broken is never green.
const (
	Pass   GateOutcome = "pass"
	Fail   GateOutcome = "fail"
	Broken GateOutcome = "broken"
)

// Gated is the record of one gate on one commit.
type Gated struct {
	Unit    UnitID      `json:"unit"` // the unit whose candidate was judged
	Gate    string      `json:"gate"`
	Record  string      `json:"record"` // T-003/implement/1/tests
	Outcome GateOutcome `json:"outcome"`
	Commit  string      `json:"commit"`
	Tree    string      `json:"tree"`
	Exit    int         `json:"exit"`
	Tests   int         `json:"tests"` // executed; -1 where not counted
	Summary string      `json:"summary,omitempty"`
	Digest  string      `json:"digest"` // of the record's file
	Millis  int64       `json:"millis"`
	Sandbox string      `json:"sandbox"` // backend it ran in
}

// Accepted says that a unit kept all five contracts: its stage is passed.
type Accepted struct {
	Unit    UnitID     `json:"unit"`
	Commit  string     `json:"commit"` // the branch's new head, or the judged commit
	Verdict string     `json:"verdict,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	To      string     `json:"to"` // next stage, done, or park
	Outputs expr.Value `json:"outputs,omitzero"`
}

// Contract is one of the five checks after a unit, in their order, or the verdict it gave.
type Contract string

// The five contracts, the word of a verdict unit, and the unit that could not be run to its end.
const (
	ContractScope   Contract = "scope"
	ContractTicket  Contract = "ticket-file"
	ContractTrace   Contract = "trace"
	ContractGate    Contract = "gate"
	ContractClosing Contract = "closing"
	ByVerdict       Contract = "verdict"
)

// Refused sends a ticket back. It counts one bounce.
type Refused struct {
	Unit      UnitID   `json:"unit"`
	Contract  Contract `json:"contract"`
	Verdict   string   `json:"verdict,omitempty"`
	Reason    string   `json:"reason"`
	To        string   `json:"to"`      // the stage that works next
	Bounces   int      `json:"bounces"` // after this one
	Signature string   `json:"signature"`
}

// Rerun repeats a unit without a bounce: crash, stall, vendor error, interruption, a stale verdict.
type Rerun struct {
	Unit   UnitID `json:"unit"` // the one that did not count
	Reason string `json:"reason"`
	Free   bool   `json:"free"` // true: wf went away, not the unit; no retry is used up
}

// Parked stops a ticket until a person decides.
type Parked struct {
	Ticket string `json:"ticket"`
	Code   string `json:"code"` // bounces, broken-gate, verdict, tampering, budget, units, conflict, crash, evaluation, signature
	Reason string `json:"reason"`
	Stage  string `json:"stage,omitempty"`
}

// Blocked says that a ticket waits for an answer, without a slot.
type Blocked struct {
	Ticket   string   `json:"ticket"`
	Reason   string   `json:"reason"`
	Question Question `json:"question,omitzero"`
}

// Moved says that the ticket's branch stands at the accepted commit.
type Moved struct {
	Ticket string `json:"ticket"`
	Commit string `json:"commit"`
}

// Finished ends a ticket as done, with its outputs and the rows that back it.
type Finished struct {
	Ticket  string     `json:"ticket"`
	Commit  string     `json:"commit"`
	Outputs expr.Value `json:"outputs,omitzero"`
	Rows    []Backed   `json:"rows,omitempty"`
}

// Backed is an acceptance row with what backs it.
type Backed struct {
	What   string `json:"what"`
	By     string `json:"by"`
	Record string `json:"record"` // gate record, or unit ID of the verdict
}

// Decided is a person's word during a run.
type Decided struct {
	Kind      string        `json:"kind"` // approve, reject, answer, unpark, retry, raise, deliver, stop
	Ticket    string        `json:"ticket,omitempty"`
	Question  string        `json:"question,omitempty"`
	Text      string        `json:"text,omitempty"`
	Stage     string        `json:"stage,omitempty"`
	Amount    planner.Money `json:"amount,omitempty"`
	By        string        `json:"by"`
	How       string        `json:"how"`                 // ssh, tty
	Signature string        `json:"signature,omitempty"` // armored, over run, head hash and choice
	At        string        `json:"at"`
}

// Claimed is an agent's or a hook's word, kept as such.
type Claimed struct {
	Unit UnitID `json:"unit"`
	Kind string `json:"kind"` // says, blocked, progress
	Text string `json:"text"`
}

// Alarm is something that fits nothing: shown first.
type Alarm struct {
	Text string `json:"text"`
}

// Delivered says that a ticket's work is where it was to go.
type Delivered struct {
	Ticket string `json:"ticket"`
	How    string `json:"how"` // branch
	Ref    string `json:"ref"`
	Commit string `json:"commit"`
}

// Removed says that wf clean took a ticket's worktree away.
type Removed struct {
	Ticket string `json:"ticket"`
	What   string `json:"what"` // worktree, branch
}

// Stopped says that this process leaves the run open.
type Stopped struct {
	Reason string `json:"reason"` // operator, waiting, timeout
	At     string `json:"at"`
}

// Closed ends a run: every ticket is final or parked and nothing can move without a decision.
type Closed struct {
	Exit    int        `json:"exit"`              // 0; 8 where tickets are parked; 1 where an output could not be worked out
	Problem string     `json:"problem,omitempty"` // of the outputs
	Outputs expr.Value `json:"outputs,omitzero"`
	At      string     `json:"at"`
}
