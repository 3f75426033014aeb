// Package planfile defines the plan file: a Plan as canonical, versioned bytes
// under a digest.
//
// Enter with Encode and Read. Read gives whatever of a damaged file can still be
// shown, together with findings that say why it may not be applied.
package planfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

// The bytes of a plan file, all on one line that ends with a newline:
//
//	{"digest":"sha256:<64 hex digits>","plan":<the document>}
//	└──────────── 18 ┘└──────────── 64 ┘└─ 9 ┘               └ "}\n"
//
// The document is canonical JSON (see encoder), and the digest is the SHA-256 of
// exactly its bytes. So a reader checks a file by hashing a slice of it, before
// it parses anything, and one digest belongs to one plan: a document that is not
// spelled canonically is refused even when its own digest fits.
//
// Constraints: one file that travels through pull requests and CI; readable by
// jq, Rego and people; every cut and every changed byte is noticed; a file that
// is cut or of a later format can still be shown.
//
// Rejected: the digest as a member of the document, since what is hashed is then
// not what lies there; a digest on a second line, since a cut file looks like one
// that never had a digest, and two lines are no JSON; a digest in a file of its
// own, since the two get parted; a binary format, since reviewers and policies
// read JSON; white space for people, since `wf show` is for people.
const (
	head   = `{"digest":"sha256:`
	middle = `","plan":`
	tail   = "}\n"

	digits   = 2 * sha256.Size
	bodyFrom = len(head) + digits + len(middle)
)

// MaxBytes is the size beyond which a file is not read: the plan of a hundred
// thousand tickets is about a tenth of it.
const MaxBytes = 1 << 30

// Encode gives the bytes of the plan file. It fails where a text is not valid UTF-8.
func Encode(p *planner.Plan) ([]byte, error) {
	body, err := Document(p)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, bodyFrom+len(body)+len(tail))
	out = append(out, head...)
	out = append(out, sum(body)...)
	out = append(out, middle...)
	out = append(out, body...)
	return append(out, tail...), nil
}

// DigestOf gives the digest that a file made by Encode carries.
func DigestOf(file []byte) string {
	return "sha256:" + string(file[len(head):len(head)+digits])
}

// Document gives the canonical JSON of the plan alone: what the digest covers.
func Document(p *planner.Plan) ([]byte, error) {
	e := encoder{plans: map[reflect.Type][]column{}}
	if err := e.value(reflect.ValueOf(*p)); err != nil {
		return nil, fmt.Errorf("writing the plan of %s: %w", p.Workflow.Name, err)
	}
	return e.out, nil
}

// Unjudged gives the canonical JSON of the plan without what policies said of
// it: what policies judge.
func Unjudged(p *planner.Plan) ([]byte, error) {
	e := encoder{plans: map[reflect.Type][]column{}}
	t := reflect.TypeFor[planner.Plan]()
	var kept []column
	for _, c := range e.columns(t) {
		if c.name != judgementKey {
			kept = append(kept, c)
		}
	}
	e.plans[t] = kept
	if err := e.value(reflect.ValueOf(*p)); err != nil {
		return nil, fmt.Errorf("writing the plan of %s: %w", p.Workflow.Name, err)
	}
	return e.out, nil
}

const judgementKey = "policy"

// Digest gives "sha256:" and 64 hex digits: the plan's name towards approvals and runs.
func Digest(p *planner.Plan) (string, error) {
	body, err := Document(p)
	if err != nil {
		return "", err
	}
	return "sha256:" + sum(body), nil
}

func sum(body []byte) string {
	h := sha256.Sum256(body)
	return hex.EncodeToString(h[:])
}

// IsDigest reports whether the text is spelled as a digest.
func IsDigest(text string) bool {
	rest, ok := strings.CutPrefix(text, "sha256:")
	return ok && isHex(rest)
}

func isHex(s string) bool {
	if len(s) != digits {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
