package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Namespaces of the signatures. A signature made for one is refused for any other.
const (
	PlanNamespace     = "wf-plan"
	DecisionNamespace = "wf-decision"
)

// Format is the version of both records.
const Format = 1

// Payload is what an operator signs to approve a plan.
//
// Its bytes are canonical JSON: keys sorted, two spaces of indent, one line feed
// at the end, no other form accepted. Reading and writing again gives the same
// bytes, so that no two texts mean the same approval.
type Payload struct {
	Digest     string   `json:"digest"`            // of the plan
	Expires    string   `json:"expires,omitempty"` // RFC 3339 in UTC, to the second; empty: never
	Format     int      `json:"format"`
	Groups     []string `json:"groups"` // groups it speaks for, sorted, each once; [] for none
	Nonce      string   `json:"nonce"`  // 16 to 64 of 0-9 a-f; makes it usable once
	Repository string   `json:"repository"`
	Signer     string   `json:"signer"` // principal in policies/operators
	Workflow   string   `json:"workflow"`
}

// Decision is what an operator signs during a run.
//
// Head is the hash of the journal's last record when the person decided: a
// decision about a state that has moved on does not count.
type Decision struct {
	Choice string `json:"choice"` // approve, reject, answer, unpark, retry, raise, deliver
	Format int    `json:"format"`
	Head   string `json:"head"` // journal head hash
	Nonce  string `json:"nonce"`
	Run    string `json:"run"`
	Signer string `json:"signer"`
	Target string `json:"target,omitempty"` // what is decided: a ticket ID, a question
	Text   string `json:"text,omitempty"`   // the answer or the reason
}

// record is either of the two.
type record interface {
	Payload | Decision
	kind() string
	namespace() string
	signer() string
	check() error
}

func (Payload) kind() string       { return "wf approval 1" }
func (Payload) namespace() string  { return PlanNamespace }
func (p Payload) signer() string   { return p.Signer }
func (Decision) kind() string      { return "wf decision 1" }
func (Decision) namespace() string { return DecisionNamespace }
func (d Decision) signer() string  { return d.Signer }

var (
	digestForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })
	nonceForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{16,64}$`) })
	groupForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`) })
	choices    = []string{"approve", "reject", "answer", "unpark", "retry", "raise", "deliver"}
)

func (p Payload) check() error {
	switch {
	case p.Format != Format:
		return fmt.Errorf("format is %d, and this wf reads %d", p.Format, Format)
	case !digestForm().MatchString(p.Digest):
		return errors.New("digest is not sha256: and 64 hex digits")
	case !nonceForm().MatchString(p.Nonce):
		return errors.New("nonce is not 16 to 64 hex digits")
	case p.Repository == "" || p.Workflow == "":
		return errors.New("repository or workflow is missing")
	case p.Groups == nil || !slices.IsSorted(p.Groups) || len(slices.Compact(slices.Clone(p.Groups))) != len(p.Groups):
		return errors.New("groups are not a sorted list, each once")
	}
	if i := slices.IndexFunc(p.Groups, func(g string) bool { return !groupForm().MatchString(g) }); i >= 0 {
		return fmt.Errorf("group %q is not lower-case letters, digits, - and _", p.Groups[i])
	}
	if p.Expires != "" {
		if _, err := parseTime(p.Expires); err != nil {
			return err
		}
	}
	return checkSigner(p.Signer)
}

func (d Decision) check() error {
	switch {
	case d.Format != Format:
		return fmt.Errorf("format is %d, and this wf reads %d", d.Format, Format)
	case !slices.Contains(choices, d.Choice):
		return fmt.Errorf("choice is %q, not one of %s", d.Choice, strings.Join(choices, ", "))
	case d.Head == "" || d.Run == "":
		return errors.New("head or run is missing")
	case !nonceForm().MatchString(d.Nonce):
		return errors.New("nonce is not 16 to 64 hex digits")
	}
	return checkSigner(d.Signer)
}

func checkSigner(s string) error {
	if !principalForm().MatchString(s) {
		return fmt.Errorf("signer %q is not the name of a person", s)
	}
	return nil
}

// parseTime reads the one spelling of a moment: RFC 3339, UTC, whole seconds.
func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.UTC().Format(time.RFC3339) != s {
		return time.Time{}, fmt.Errorf("%q is not a time in UTC such as 2027-01-31T00:00:00Z", s)
	}
	return t, nil
}

// encode gives the signed bytes: the kind's line, then the canonical JSON.
func encode[R record](r R) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	body, err := json.MarshalIndent(r, "", "  ") // field order is alphabetical, as declared above
	if err != nil {
		return nil, err
	}
	return append(append([]byte(r.kind()+"\n"), body...), '\n'), nil
}

// decode is the inverse of encode and accepts nothing else.
func decode[R record](signed []byte) (R, error) {
	var r, none R
	body, ok := strings.CutPrefix(string(signed), r.kind()+"\n")
	if !ok {
		return none, fmt.Errorf("it does not begin with %q", r.kind())
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return none, fmt.Errorf("reading its JSON: %w", err)
	}
	again, err := encode(r)
	if err != nil {
		return none, err
	}
	if string(again) != string(signed) {
		return none, errors.New("it is not in canonical form")
	}
	return r, nil
}
