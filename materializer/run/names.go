// Package run is the rules of a run: what an approved plan's tickets may do
// next, given everything that has happened.
//
// Enter with New, which gives a State out of a plan; Fold puts an Event into it;
// Decide says which Commands it calls for. Nothing here does anything: no I/O,
// no clock, no goroutine. An engine (run/local) carries commands out and folds
// what came of them; the journal is the list of the folded events.
//
// The rules an engine keeps: it writes an event before it acts on it; it folds
// what Unmarshal(Marshal(event)) gives, so that a replay folds the same; it folds
// all Records of one Decide, in their order, before any other event, or drops
// them and decides again; it asks Admissible before it writes a Decided.
package run

import (
	"strconv"
	"strings"
)

// Rules is the version of the rules in this package. A journal that was begun
// under another version is refused: its facts would mean something else.
const Rules = 1

// Status is where a ticket stands, and who owns the next step.
type Status string

// The first three belong to the runner, the next three to the operator, the last three are final.
const (
	Waiting   Status = "waiting"
	Ready     Status = "ready"
	Running   Status = "running"
	Held      Status = "held"
	Blocks    Status = "blocked"
	Parks     Status = "parked"
	Done      Status = "done"
	Skips     Status = "skipped"
	Cancelled Status = "cancelled"
)

// Final reports whether nothing moves a ticket of this status any more.
func (s Status) Final() bool { return s == Done || s == Skips || s == Cancelled }

// Settled reports whether `until: settled` is content with the status.
func (s Status) Settled() bool { return s.Final() || s == Parks }

// Codes of Parked.
const (
	ParkBounces    = "bounces"
	ParkGate       = "broken-gate"
	ParkVerdict    = "verdict"
	ParkTampering  = "tampering"
	ParkBudget     = "budget"
	ParkUnits      = "units"
	ParkConflict   = "conflict"
	ParkCrash      = "crash"
	ParkEvaluation = "evaluation"
	ParkSignature  = "signature"
	ParkOperator   = "operator"
)

// Where a verdict or an accepted stage leads, apart from the name of a stage.
const (
	toNext = "next"
	toDone = "done"
	toPark = "park"
)

// PurposeFirst marks the diagnosing unit of on_bounce.
const PurposeFirst = "first"

// Round names a unit's place without its try: T-003/implement/1, or
// T-003/implement.first/2 for a diagnosing unit. Evidence is filed under it.
func (u UnitID) RoundName() string {
	stage := u.Stage
	if u.Purpose != "" {
		stage += "." + u.Purpose
	}
	return u.Ticket + "/" + stage + "/" + strconv.Itoa(u.Round)
}

// String is RoundName, with the try where it is not the first: T-003/implement/1.2.
func (u UnitID) String() string {
	if u.Try <= 1 {
		return u.RoundName()
	}
	return u.RoundName() + "." + strconv.Itoa(u.Try)
}

// ParseUnitID reads what UnitID.String writes.
func ParseUnitID(text string) (UnitID, bool) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		return UnitID{}, false
	}
	stage, purpose, _ := strings.Cut(parts[1], ".")
	round, try, hasTry := strings.Cut(parts[2], ".")
	u := UnitID{Ticket: parts[0], Stage: stage, Purpose: purpose, Try: 1}
	var err error
	if u.Round, err = strconv.Atoi(round); err != nil {
		return UnitID{}, false
	}
	if hasTry {
		if u.Try, err = strconv.Atoi(try); err != nil {
			return UnitID{}, false
		}
	}
	return u, u.String() == text
}

// Key of each command: see Command.

func (c Record) Key() string         { return "record " + eventKey(c.Event) }
func (c Branch) Key() string         { return "branch " + c.Ticket }
func (c StartUnit) Key() string      { return "unit " + c.Unit.String() }
func (c BuildCandidate) Key() string { return "candidate " + c.Unit.String() }
func (c RunGate) Key() string        { return "gate " + c.Record + " " + c.Commit }
func (c Advance) Key() string        { return "advance " + c.Ticket + " " + c.New }
func (c Deliver) Key() string        { return "deliver " + c.Ticket + " " + c.How }
func (c Wait) Key() string           { return "wait" }
func (c Close) Key() string          { return "close" }

// eventKey names what a Record asks for: the type and the ticket or unit it is about.
func eventKey(e Event) string {
	subject := ""
	switch e := e.(type) {
	case Skipped:
		subject = e.Ticket
	case Expanded:
		subject = e.Ticket
	case Opened:
		subject = e.Ticket
	case Parked:
		subject = e.Ticket
	case Blocked:
		subject = e.Ticket + " " + e.Question.ID
	case Finished:
		subject = e.Ticket
	case Reserved:
		subject = e.Unit.String()
	case Accepted:
		subject = e.Unit.String()
	case Refused:
		subject = e.Unit.String()
	case Rerun:
		subject = e.Unit.String()
	}
	return e.Type() + " " + subject
}
