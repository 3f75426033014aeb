package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// File is what was read. Plan is never nil; of a damaged file it holds the
// members that could be read, for showing alone.
type File struct {
	Plan   *planner.Plan
	Digest string // as the file says; "" where it does not say
}

// Read reads a plan file; name is what findings call it. Without error findings
// the file is exactly what Encode wrote, and may be approved and applied.
func Read(name string, data []byte) (File, diag.Findings) {
	at := diag.Range{File: name}
	file := File{Plan: &planner.Plan{}}
	if len(data) > MaxBytes {
		return file, diag.Findings{codeTooLarge.At(at, fmt.Sprintf("It has %d bytes; at most %d are read.", len(data), MaxBytes), "Plan a smaller workflow.")}
	}
	if !bytes.HasPrefix(data, []byte(head)) {
		return file, diag.Findings{notPlan(at, data)}
	}
	if len(data) < bodyFrom {
		return file, diag.Findings{cutShort(at, len(data))}
	}
	stated := string(data[len(head) : len(head)+digits])
	if !isHex(stated) || string(data[len(head)+digits:bodyFrom]) != middle {
		return file, diag.Findings{codeNotPlan.At(at, "Its first line does not begin with a digest and a plan.", planAgain)}
	}
	file.Digest = "sha256:" + stated
	body, whole := bytes.CutSuffix(data[bodyFrom:], []byte(tail))
	found := read(at, file.Plan, body, stated, whole)
	return file, found
}

const planAgain = "Make it again: wf plan NAME -o FILE"

func read(at diag.Range, p *planner.Plan, body []byte, stated string, whole bool) diag.Findings {
	actual := sum(body)
	if whole && actual == stated {
		return sound(at, p, body)
	}
	if complete := salvage(body, p); complete && whole {
		return diag.Findings{codeDigest.At(at, fmt.Sprintf("It says sha256:%.12s…, and its bytes give sha256:%.12s….", stated, actual), planAgain)}
	}
	return diag.Findings{cutShort(at, bodyFrom+len(body))}
}

// sound reads a document whose digest fits: it is what somebody wrote, though not surely what this wf writes.
func sound(at diag.Range, p *planner.Plan, body []byte) diag.Findings {
	var version struct {
		Format json.Number `json:"plan"`
	}
	if err := json.Unmarshal(body, &version); err != nil || version.Format.String() != fmt.Sprint(planner.Format) {
		salvage(body, p)
		return diag.Findings{codeFormat.At(at, fmt.Sprintf("The plan is of format %s; this wf reads format %d.", orNone(version.Format.String()), planner.Format), "Make the plan again with this wf, or apply it with the wf that made it.")}
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		*p = planner.Plan{}
		salvage(body, p)
		return diag.Findings{unreadable(at, err)}
	}
	again, err := Document(p)
	if err != nil || !bytes.Equal(again, body) {
		return diag.Findings{codeSpelling.At(at, fmt.Sprintf("From byte %d on it is spelled otherwise than wf writes it.", bodyFrom+common(again, body)), planAgain)}
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func unreadable(at diag.Range, err error) diag.Finding {
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return codeUnknownField.At(at, fmt.Sprintf("This wf knows no field %s in a plan of format %d.", name, planner.Format), "Make the plan again with this wf, or apply it with the wf that made it.")
	}
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) {
		return codeSpelling.At(at, fmt.Sprintf("%s is %s at byte %d, and that does not fit.", typed.Field, typed.Value, bodyFrom+int(typed.Offset)), planAgain)
	}
	return codeSpelling.At(at, fmt.Sprintf("It cannot be read: %v.", err), planAgain)
}

func notPlan(at diag.Range, data []byte) diag.Finding {
	if bytes.HasPrefix([]byte(head), data) {
		return cutShort(at, len(data))
	}
	return codeNotPlan.At(at, fmt.Sprintf("A plan file begins with %s, this one with %q.", head, data[:min(len(data), 24)]), planAgain)
}

func cutShort(at diag.Range, n int) diag.Finding {
	return codeCut.At(at, fmt.Sprintf("It has %d bytes and does not end where the plan ends.", n), "Copy it again, or "+strings.ToLower(planAgain[:1])+planAgain[1:])
}

func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// salvage reads the members of a damaged document that are whole, each for
// itself. It reports whether the document is one whole JSON object.
func salvage(body []byte, p *planner.Plan) (complete bool) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return false
		}
		var member json.RawMessage
		if err := dec.Decode(&member); err != nil {
			return false
		}
		keep(p, name, member)
	}
	if _, err := dec.Token(); err != nil {
		return false
	}
	_, err := dec.Token()
	return errors.Is(err, io.EOF)
}

// keep sets one member where it fits, and leaves the plan as it was where it does not.
func keep(p *planner.Plan, name string, member json.RawMessage) {
	key, err := json.Marshal(name)
	if err != nil {
		return
	}
	one := append(append(append([]byte{'{'}, key...), ':'), member...)
	trial := *p
	if json.Unmarshal(append(one, '}'), &trial) == nil {
		*p = trial
	}
}
