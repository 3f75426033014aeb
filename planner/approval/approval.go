// Package approval defines the Approval: an operator's signed word over one
// plan digest, usable once.
//
// A person signs a Payload with Sign, which gives the text of a .wfsig file;
// apply holds that text with Verify against the operators of the base commit
// (ParseOperators) and gets a Verdict that names its reason. Decisions during a
// run are records of the same make in a namespace of their own. The package
// reads no clock, file or socket: all are passed in.
package approval

import "fmt"

// Kind is how an approval came to be.
type Kind string

// An approval is signed with an SSH key, given at the controlling terminal where
// the base commit names no operators, or given by --auto-approve.
const (
	SSH  Kind = "ssh"
	TTY  Kind = "tty"
	Auto Kind = "auto"
)

// Approval is what the journal records: who approved which digest, how, until when.
type Approval struct {
	Kind       Kind     `json:"kind"`
	Digest     string   `json:"digest"`     // of the plan, "sha256:" and 64 hex digits
	Repository string   `json:"repository"` // identity of the repository
	Workflow   string   `json:"workflow"`
	Nonce      string   `json:"nonce"`             // consumed when the run starts
	Groups     []string `json:"groups"`            // the groups it speaks for, sorted
	Expires    string   `json:"expires,omitempty"` // RFC 3339 in UTC; empty: never
	Signer     string   `json:"signer"`            // principal; for tty the user at the terminal, for auto "auto"
	Key        string   `json:"key,omitempty"`     // SHA256 fingerprint of the key
	Text       string   `json:"text,omitempty"`    // the whole .wfsig file, so that the record proves itself
	// Also are the approvals of others, where the plan asks for more than one person or group.
	Also []Approval `json:"also,omitempty"`
}

// All gives an approval and those beside it.
func (a Approval) All() []Approval { return append([]Approval{a}, a.Also...) }

// Reason says why an approval or a decision does not count. Empty: it counts.
type Reason string

// The reasons.
const (
	Unreadable       Reason = "unreadable"        // not a file this package writes
	Altered          Reason = "altered"           // bytes of the record or its signature changed
	WrongNamespace   Reason = "wrong-namespace"   // signed for something else
	UnknownSigner    Reason = "unknown-signer"    // the key is no operator's, or the name is another's
	KeyNotAllowed    Reason = "key-not-allowed"   // the operator's key is not meant for this, or not now
	AlteredPlan      Reason = "altered-plan"      // it approves another digest
	Revoked          Reason = "revoked"           // the key was an operator's at the base commit, and is none any more
	TooFew           Reason = "too-few"           // an ask needs more people than approved
	WrongRepository  Reason = "wrong-repository"  // it approves a plan of another repository
	WrongWorkflow    Reason = "wrong-workflow"    // it names another workflow
	Expired          Reason = "expired"           // its time is over
	GroupNotHeld     Reason = "group-not-held"    // it claims a group its signer is not in
	MissingGroup     Reason = "missing-group"     // an ask of the plan needs a group it does not speak for
	WrongRun         Reason = "wrong-run"         // a decision about another run
	WrongHead        Reason = "wrong-head"        // a decision about another state of the journal
	TerminalRefused  Reason = "terminal-refused"  // operators exist, so a terminal is not enough
	AutomaticRefused Reason = "automatic-refused" // the plan is more than --auto-approve covers
)

// Refusal is a reason with its words: what is wrong and what to do.
type Refusal struct {
	Reason Reason
	Detail string
}

func refuse(r Reason, format string, args ...any) Refusal {
	return Refusal{Reason: r, Detail: fmt.Sprintf(format, args...)}
}

// OK reports whether nothing was refused.
func (r Refusal) OK() bool { return r.Reason == "" }
