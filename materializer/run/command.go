package run

import "github.com/seed9cc7a46e/wf/planner"

// Command is something to be done. Decide gives the commands that a state
// calls for; an engine carries each out once and answers with events. Every
// command but StartUnit is idempotent: given again after a crash it finds its
// own work or does it anew, with the same result. A unit is never started
// without Reserved, and an engine that takes a run over first ends every unit
// without Ended by Ended{Outcome: Interrupted}.
type Command interface {
	// Key is the command's identity: two commands with one key are the same
	// work. An engine does not start a key that is under way.
	Key() string
}

// Record asks for an event that follows from the state alone: a ticket
// opened, skipped, expanded, accepted, refused, parked, finished.
type Record struct {
	Event Event
}

// Branch asks for a worktree at Base, with Upstream branches merged into it in this order.
type Branch struct {
	Ticket   string
	Branch   string     // "": detached
	Base     string     // commit
	Upstream []Upstream // in ID order
}

// Upstream is a ticket whose accepted work a dependant starts from.
type Upstream struct {
	Ticket string
	Commit string
}

// StartUnit asks for a session. The answer is Launched, then Ended.
type StartUnit struct {
	Unit    UnitID
	Role    string
	Reserve planner.Money
	Commit  string   // the worktree is reset to it first
	Writes  []string // globs the unit may change; empty: nothing
}

// BuildCandidate asks for a commit of the worktree on a private ref. The answers are Intended, then Built.
type BuildCandidate struct {
	Unit     UnitID
	Parent   string
	Paths    []string  // the changed paths to take, from Observed
	Message  string    // without trailers that need the journal's head; the engine adds it
	Intended *Intended // not nil: made before a crash; the same commit must come of it
}

// RunGate asks for one gate on one candidate. The answer is Gated.
type RunGate struct {
	Unit   UnitID
	Gate   planner.Gate // env values evaluated
	Record string
	Commit string
	Tree   string
	Start  string // the ticket's start commit: definitions, baseline
	Expect string // pass, or fail for a tests-first stage: Gated then says pass where the check failed
}

// Advance asks for the branch to move from Old to New by compare-and-swap. The answer is Moved.
type Advance struct {
	Ticket string
	Branch string
	Old    string
	New    string
}

// Deliver asks for a done ticket's work to be put where its deliver: says. The answer is Delivered.
type Deliver struct {
	Ticket string
	How    string
	Branch string
	Commit string
}

// Wait says that nothing can move without a decision: the engine stops with exit 4.
type Wait struct {
	Reasons []string
}

// Close says that the run is over: the engine records Closed with this exit and these outputs.
type Close struct {
	Event Closed
}
