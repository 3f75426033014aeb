package approval

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
)

// Want is what an approval has to be of.
type Want struct {
	Digest     string
	Repository string
	Workflow   string   // not compared when empty
	Groups     []string // the groups that the plan's asks need; see MissingGroups for several approvals
	Now        time.Time
}

// Verdict is what Verify found. It counts when Refusal is empty.
type Verdict struct {
	Refusal  Refusal
	Approval Approval // filled as far as the signature vouches for it
}

// OK reports whether the approval counts.
func (v Verdict) OK() bool { return v.Refusal.OK() }

// Verify holds the text of a .wfsig file against the operators and what is
// wanted, and names the first reason that speaks against it: first whether the
// record is genuine, then whether it is about this plan, then whether it
// suffices.
func Verify(file []byte, ops Operators, want Want) Verdict {
	p, op, refusal := open[Payload](file, ops, want.Now)
	if !refusal.OK() {
		return Verdict{Refusal: refusal}
	}
	a := Approval{
		Kind: SSH, Digest: p.Digest, Repository: p.Repository, Workflow: p.Workflow, Nonce: p.Nonce, Groups: p.Groups,
		Expires: p.Expires, Signer: p.Signer, Key: Fingerprint(op.Key), Text: string(file),
	}
	return Verdict{Refusal: about(p, op, want), Approval: a}
}

func about(p Payload, op Operator, want Want) Refusal {
	switch {
	case p.Repository != want.Repository:
		return refuse(WrongRepository, "it approves a plan of the repository %s, and this one is %s", p.Repository, want.Repository)
	case want.Workflow != "" && p.Workflow != want.Workflow:
		return refuse(WrongWorkflow, "it approves the workflow %s, and this plan is of %s", p.Workflow, want.Workflow)
	case p.Digest != want.Digest:
		return refuse(AlteredPlan, "it approves the plan %s, and this one is %s: the plan changed after the approval, or is another", p.Digest, want.Digest)
	case p.Expires != "" && !before(want.Now, p.Expires):
		return refuse(Expired, "it was good until %s", p.Expires)
	}
	if g := firstNot(p.Groups, op.in); g != "" {
		return refuse(GroupNotHeld, "%s speaks for the group %s and is not in it", p.Signer, g)
	}
	if missing := lacking(want.Groups, p.Groups); len(missing) > 0 {
		return refuse(MissingGroup, "the plan asks for the approval of %s, and %s speaks for %s", strings.Join(missing, ", "), p.Signer, orNone(p.Groups))
	}
	return Refusal{}
}

// MissingGroups gives the groups among wanted that none of the approvals speaks
// for, sorted. Several people can meet the asks of one plan together.
func MissingGroups(approvals []Approval, wanted []string) []string {
	var have []string
	for _, a := range approvals {
		have = append(have, a.Groups...)
		if a.Kind == SSH {
			have = append(have, AnyOperator)
		}
	}
	return lacking(wanted, have)
}

func lacking(wanted, have []string) []string {
	var out []string
	for _, g := range wanted {
		if g != AnyOperator && !slices.Contains(have, g) {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func firstNot(list []string, ok func(string) bool) string {
	i := slices.IndexFunc(list, func(s string) bool { return !ok(s) })
	if i < 0 {
		return ""
	}
	return list[i]
}

func orNone(groups []string) string {
	if len(groups) == 0 {
		return "no group"
	}
	return strings.Join(groups, ", ")
}

func before(now time.Time, limit string) bool {
	t, err := parseTime(limit)
	return err == nil && now.Before(t)
}

// open checks that a record is genuine: readable, for its namespace, by an
// operator's key that may sign now, in that operator's name, unaltered.
func open[R record](file []byte, ops Operators, now time.Time) (R, Operator, Refusal) {
	var none R
	signed, sig, err := split(file)
	if err != nil {
		return none, Operator{}, refuse(Unreadable, "%s", err)
	}
	if sig.Namespace != none.namespace() {
		return none, Operator{}, refuse(WrongNamespace, "it is signed for %q, and %q is needed", sig.Namespace, none.namespace())
	}
	op, known := ops.ByKey(sig.PublicKey)
	if !known && ops.wasRevoked(sig.PublicKey) {
		return none, Operator{}, refuse(Revoked, "the key %s was an operator's at the plan's base commit, and the operators of HEAD no longer have it", Fingerprint(sig.PublicKey))
	}
	if !known {
		return none, Operator{}, refuse(UnknownSigner, "the key %s is no operator's", Fingerprint(sig.PublicKey))
	}
	if err := verifySignature(signed, sig, op, none.namespace()); err != nil {
		return none, Operator{}, refuse(Altered, "the signature does not fit the record: one of them was changed")
	}
	r, err := decode[R](signed)
	if err != nil {
		return none, Operator{}, refuse(Unreadable, "%s", err)
	}
	return r, op, mayNow(op, r.signer(), none.namespace(), sig, now)
}

func verifySignature(signed []byte, sig *sshsig.Signature, op Operator, namespace string) error {
	if sig.HashAlgorithm != sshsig.HashSHA512 && sig.HashAlgorithm != sshsig.HashSHA256 {
		return sshsig.ErrUnsupportedHashAlgorithm
	}
	return sshsig.Verify(bytes.NewReader(signed), sig, op.Key, sig.HashAlgorithm, namespace)
}

func mayNow(op Operator, signer, namespace string, sig *sshsig.Signature, now time.Time) Refusal {
	switch {
	case !slices.Contains(op.Names, signer):
		return refuse(UnknownSigner, "it is signed in the name of %s with the key of %s", signer, strings.Join(op.Names, ", "))
	case !op.allows(namespace):
		return refuse(KeyNotAllowed, "the key of %s may sign for %s and not for %s", signer, strings.Join(op.Namespaces, ", "), namespace)
	case !op.validAt(now):
		return refuse(KeyNotAllowed, "the key of %s is not valid at this time", signer)
	case !touched(sig):
		return refuse(KeyNotAllowed, "the security key of %s was not touched for this signature", signer)
	}
	return Refusal{}
}

// WantDecision is what a decision has to be about.
type WantDecision struct {
	Run  string
	Head string
	Now  time.Time
}

// VerifyDecision holds a decision record against the operators and the run.
// The Decision is filled only when it counts.
func VerifyDecision(file []byte, ops Operators, want WantDecision) (Decision, Refusal) {
	d, _, refusal := open[Decision](file, ops, want.Now)
	switch {
	case !refusal.OK():
	case d.Run != want.Run:
		refusal = refuse(WrongRun, "it decides in the run %s, and this one is %s", d.Run, want.Run)
	case d.Head != want.Head:
		refusal = refuse(WrongHead, "the run has moved on since %s decided", d.Signer)
	}
	if !refusal.OK() {
		return Decision{}, refusal
	}
	return d, Refusal{}
}
