package run

import (
	"encoding/json"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// Ticket is what a run knows about one ticket. State gives copies out; a reader
// must not write into their lists.
type Ticket struct {
	ID      string     `json:"id"`
	Address string     `json:"address"`
	Name    string     `json:"name"`
	Parent  string     `json:"parent,omitempty"` // the template, of a child
	Key     string     `json:"key,omitempty"`
	Value   expr.Value `json:"value,omitzero"`  // each.value, of a child
	Index   int        `json:"index,omitempty"` // each.index, of a child
	Scope   []string   `json:"scope,omitempty"` // writable globs, of a child; else the plan's
	Narrow  []string   `json:"narrow,omitempty"`

	Status Status `json:"status"`
	Code   string `json:"code,omitempty"`   // of parked
	Reason string `json:"reason,omitempty"` // of held, blocked, parked, skipped, cancelled
	Opened bool   `json:"opened,omitempty"`
	Title  string `json:"title,omitempty"`
	Brief  string `json:"brief,omitempty"`

	Branched  bool     `json:"branched,omitempty"`
	Branch    string   `json:"branch,omitempty"`
	Start     string   `json:"start,omitempty"`     // commit the ticket started from
	StartTree string   `json:"startTree,omitempty"` // its tree, where the engine told it
	Head      string   `json:"head,omitempty"`      // accepted commit; Start before the first
	HeadTree  string   `json:"headTree,omitempty"`
	Merged    []string `json:"merged,omitempty"`
	Conflict  string   `json:"conflict,omitempty"` // why upstream branches do not merge

	Stage     string        `json:"stage,omitempty"` // the stage that works, or works next
	Round     int           `json:"round,omitempty"`
	Tries     int           `json:"tries,omitempty"`   // sessions of this stage, purpose and round
	Retries   int           `json:"retries,omitempty"` // of them, used up by crashes
	Diagnose  bool          `json:"diagnose,omitempty"`
	Diagnosis string        `json:"diagnosis,omitempty"` // of the first unit, for the next writing round
	Bounces   int           `json:"bounces,omitempty"`
	Grants    int           `json:"grants,omitempty"` // rounds that a person granted
	Units     int           `json:"units,omitempty"`  // sessions started
	Spent     planner.Money `json:"spent,omitempty"`
	Reserved  planner.Money `json:"reserved,omitempty"`
	Raised    planner.Money `json:"raised,omitempty"` // what a person added to its share
	Commits   int           `json:"commits,omitempty"`

	Current    *Unit       `json:"current,omitempty"`
	Carry      *Carry      `json:"carry,omitempty"`
	Step       *Step       `json:"step,omitempty"`
	Handoffs   []Handoff   `json:"handoffs,omitempty"` // one per unit that came to its end, in order
	Records    []Gated     `json:"records,omitempty"`
	Asked      []Asked     `json:"asked,omitempty"`
	Sections   []Section   `json:"sections,omitempty"` // of the ticket file, as last written
	Signatures []Signature `json:"signatures,omitempty"`
	Claims     []Claimed   `json:"claims,omitempty"` // the last few

	Outputs   expr.Value `json:"outputs,omitzero"`
	Due       expr.Value `json:"due,omitzero"` // outputs of the last accepted round that delivered any
	Rows      []Backed   `json:"rows,omitempty"`
	Delivery  string     `json:"delivery,omitempty"` // how it was asked to be delivered
	Delivered string     `json:"delivered,omitempty"`
	Outdated  bool       `json:"outdated,omitempty"` // an upstream was taken up again after this one used it
	Removed   []string   `json:"removed,omitempty"`
	Children  []string   `json:"children,omitempty"`
	Expanded  bool       `json:"expanded,omitempty"`
}

// Phase is how far a unit has come.
type Phase string

// The phases of a unit, in their order.
const (
	PhaseReserved Phase = "reserved" // paid for, not started
	PhaseLaunched Phase = "launched"
	PhaseEnded    Phase = "ended"    // its contracts are being checked
	PhaseIntended Phase = "intended" // its commit is being made
	PhaseBuilt    Phase = "built"    // its commit is being judged
)

// Unit is a session under way, or one whose contracts are being checked.
type Unit struct {
	ID        UnitID          `json:"id"`
	Role      string          `json:"role"`
	Reserve   planner.Money   `json:"reserve"`
	Phase     Phase           `json:"phase"`
	Commit    string          `json:"commit"` // where its worktree stands
	Ended     *Ended          `json:"ended,omitempty"`
	Intended  *Intended       `json:"intended,omitempty"`
	Candidate string          `json:"candidate,omitempty"`
	Tree      string          `json:"tree,omitempty"`
	Seq       int             `json:"seq,omitempty"` // order in which gates are served
	Process   json.RawMessage `json:"process,omitempty"`
}

// Carry is work that was refused, or interrupted by a question, after it had
// kept the first contracts. It is not on the branch; the next round goes on from it.
type Carry struct {
	Commit string   `json:"commit"`
	Tree   string   `json:"tree"`
	Paths  []string `json:"paths"` // changed against the branch's head
}

// Step is what was settled about a ticket and is not yet carried out.
type Step struct {
	To     string `json:"to"`               // stage, done, park
	Commit string `json:"commit,omitempty"` // the branch is to move there first
	Tree   string `json:"tree,omitempty"`
	Code   string `json:"code,omitempty"` // of park
	Reason string `json:"reason,omitempty"`
}

// Handoff is what one unit left for those after it.
type Handoff struct {
	Seq      int           `json:"seq"` // place among the run's events
	Unit     UnitID        `json:"unit"`
	Role     string        `json:"role"`
	Status   string        `json:"status"` // accepted, refused, rerun, blocked, parked
	Outcome  Outcome       `json:"outcome"`
	Contract Contract      `json:"contract,omitempty"` // what refused it
	Verdict  string        `json:"verdict,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	To       string        `json:"to,omitempty"`
	Commit   string        `json:"commit,omitempty"` // made, or judged
	Files    []string      `json:"files,omitempty"`  // changed; at most 50
	Cited    []string      `json:"cited,omitempty"`  // evidence that exists
	Cost     planner.Money `json:"cost"`             // charged
	Known    bool          `json:"known"`            // false: the whole reserve was charged
	Bounces  int           `json:"bounces"`          // after it
	Salvage  string        `json:"salvage,omitempty"`
}

// Asked is a question with its answer.
type Asked struct {
	Unit     UnitID `json:"unit"`
	ID       string `json:"id"` // empty: the unit said that it is blocked, without a question
	Text     string `json:"text"`
	Open     bool   `json:"open"`     // it was recorded as Blocked
	Answered bool   `json:"answered"` // by a person
	Answer   string `json:"answer,omitempty"`
	By       string `json:"by,omitempty"`
}

// Signature counts how often one and the same failure came.
type Signature struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
}

// node is a ticket with its place in the graph. Nothing in it but the Ticket is
// saved; the rest follows from the plan and the tickets.
type node struct {
	Ticket
	plan   *planner.Ticket
	order  uint64 // ID order: template or ticket, then child
	parent *node

	needs      []need
	dependants []*node
	rank       int // stages on the longest way after this ticket

	kids     kids       // of a template
	includes []*include // of a planned ticket: the workflows it is included by

	dirty   bool
	wants   []Command
	inWork  int // places in the heaps; -1: not in it
	inWrite int
	inGate  int
	inReady int
	readyAt int
}

// kids counts a template's children by their settled statuses.
type kids struct{ done, skipped, cancelled, parked int }

// need is an edge, seen from the ticket that waits.
type need struct {
	from     *node
	settled  bool
	optional bool
}

func (n *node) stage() *planner.Stage {
	for i := range n.plan.Stages {
		if n.plan.Stages[i].Name == n.Stage {
			return &n.plan.Stages[i]
		}
	}
	return nil
}

func (n *node) stageIndex(name string) int {
	for i := range n.plan.Stages {
		if n.plan.Stages[i].Name == name {
			return i
		}
	}
	return -1
}

func (n *node) isTemplate() bool { return n.plan.FanOut != nil && n.parent == nil }

// budgeted is the ticket whose share pays: a template pays for its children.
func (n *node) budgeted() *node {
	if n.parent != nil {
		return n.parent
	}
	return n
}

func (n *node) scope() []string {
	if n.parent != nil {
		return n.Ticket.Scope
	}
	return n.plan.Scope
}
