// Package replay is the embedded agent: it does what a script says, as a real
// process with real edits, so that demos, tests and CI need no account.
//
// A script lies beside its workflow (NAME.replay.yaml). ParseScript reads it,
// Script.For picks the steps of one unit, and Main is the process that carries
// them out (the hidden subcommand `wf __replay`).
package replay

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
	"github.com/seed9cc7a46e/wf/planner"
)

// Script is what the agents of one workflow do.
type Script struct {
	entries []entry
}

// entry is one selector with its steps.
type entry struct {
	address string // change["api"], change[*], survey
	part    string // stage or role, "" for any
	round   int    // 0: any
	try     int    // within the round; 0: any
	steps   []Step
	at      diag.Range
}

// Step is one thing the agent does. Fields that are set are done in the order
// they stand here.
type Step struct {
	DelayMillis int64         `json:"delayMillis,omitempty"`
	Says        string        `json:"says,omitempty"`
	Run         []string      `json:"run,omitempty"`     // argv, in the worktree
	Edit        []Edit        `json:"edit,omitempty"`    // whole files
	Unasked     []Edit        `json:"unasked,omitempty"` // edits behind the guard's back, as a program whose hook was skipped makes them
	Delete      []string      `json:"delete,omitempty"`  // paths
	Section     []Edit        `json:"section,omitempty"` // sections of the unit's ticket file: name, text
	Ask         string        `json:"ask,omitempty"`
	Blocked     string        `json:"blocked,omitempty"`
	Cost        planner.Money `json:"cost,omitempty"`
	Submit      *Submit       `json:"submit,omitempty"`
	Raw         string        `json:"raw,omitempty"` // printed to the stream as it is
	Exit        *int          `json:"exit,omitempty"`
	Crash       bool          `json:"crash,omitempty"` // SIGKILL to itself
	Hang        bool          `json:"hang,omitempty"`
}

// Edit is a path, or a section's name, with its new text. A path may be
// absolute or lead outside: liars do that.
type Edit struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Submit is the content of outputs.json.
type Submit struct {
	Verdict  string          `json:"verdict,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Evidence []string        `json:"evidence,omitempty"`
	Outputs  json.RawMessage `json:"outputs,omitempty"`
}

var (
	codeShape    = diag.Define("WF180", diag.Error, "replay script is not of the right shape")
	codeSelector = diag.Define("WF181", diag.Error, "replay script names a unit in a way that cannot be read")
)

// ParseScript reads a script. The steps of broken entries are left out.
func ParseScript(file string, data []byte) (Script, diag.Findings) {
	root, fs := syntax.Parse(file, data)
	var s Script
	if root == nil {
		return s, fs
	}
	agents := root.Get("agents")
	if agents == nil || agents.Kind != syntax.Mapping {
		return s, append(fs, codeShape.At(root.Range, "A replay script is a mapping with the key agents:, whose keys name units.", "write `agents:` and below it `TICKET.STAGE: {edit: …}`"))
	}
	for _, e := range root.Entries {
		if e.Key.Value != "agents" {
			fs = append(fs, codeShape.At(e.Key.Range, fmt.Sprintf("A replay script has no key %q; the one it has is agents.", e.Key.Value), "move it under agents: or take it out"))
		}
	}
	for _, e := range agents.Entries {
		ent, err := parseSelector(e.Key.Value)
		if err != nil {
			fs = append(fs, codeSelector.At(e.Key.Range, err.Error(), `write TICKET, TICKET.STAGE, TICKET["key"].STAGE, TICKET[*].STAGE, and #N behind it for one round, #N.M for one try of it`))
			continue
		}
		ent.at = e.Key.Range
		d := decoder{}
		ent.steps = d.steps(e.Value)
		fs = append(fs, d.findings...)
		s.entries = append(s.entries, ent)
	}
	return s, fs
}

// parseSelector reads ADDRESS[.PART][#ROUND[.TRY]]. An address is one ticket, or
// of an included workflow several names joined by dots: sub.change["api"]. Keys
// may hold any text. Whether the last name is a part or still a ticket shows
// when the address of a unit is there to compare.
func parseSelector(text string) (entry, error) {
	e := entry{}
	rest := text
	for {
		end := strings.IndexAny(rest, ".#[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return e, fmt.Errorf("%q does not begin with the name of a ticket", text)
		}
		name, key := rest[:end], ""
		if rest = rest[end:]; strings.HasPrefix(rest, "[") {
			var err error
			if key, rest, err = cutKey(rest); err != nil {
				return e, fmt.Errorf("%q: %w", text, err)
			}
		}
		if e.address != "" {
			e.address += "."
		}
		more := strings.HasPrefix(rest, ".")
		if e.address != "" && !more && key == "" {
			e.address, e.part = strings.TrimSuffix(e.address, "."), name
			break
		}
		e.address += name + key
		if !more {
			break
		}
		rest = rest[1:]
	}
	if strings.HasPrefix(rest, "#") {
		if err := e.number(rest[1:]); err != nil {
			return e, fmt.Errorf("%q: %w", text, err)
		}
		rest = ""
	}
	if rest != "" {
		return e, fmt.Errorf("%q: what %q means there is not known", text, rest)
	}
	return e, nil
}

// fitsAddress compares a selector's address with that of a unit, where [*]
// stands for any key; exact says that no [*] was needed.
func fitsAddress(selector, address string) (exact, ok bool) {
	if selector == address {
		return true, true
	}
	for selector != "" && address != "" {
		if key, rest, found := strings.Cut(selector, "[*]"); found && strings.HasPrefix(address, key+"[") {
			_, tail, err := cutKey(address[len(key):])
			if err != nil {
				return false, false
			}
			selector, address = rest, tail
			continue
		}
		return false, selector == address
	}
	return false, selector == address
}

// withoutKeys gives the names of an address alone.
func withoutKeys(address string) string {
	out := ""
	for {
		at := strings.IndexByte(address, '[')
		if at < 0 {
			return out + address
		}
		_, rest, err := cutKey(address[at:])
		if err != nil {
			return out + address[:at]
		}
		out, address = out+address[:at], rest
	}
}

// number reads ROUND or ROUND.TRY.
func (e *entry) number(text string) (err error) {
	round, try, found := strings.Cut(text, ".")
	if e.round, err = strconv.Atoi(round); err != nil || e.round < 1 {
		return fmt.Errorf("the round behind # must be a number from 1")
	}
	if !found {
		return nil
	}
	if e.try, err = strconv.Atoi(try); err != nil || e.try < 1 {
		return fmt.Errorf("the try behind the round must be a number from 1")
	}
	return nil
}

// cutKey splits [*] or ["key"] from what follows.
func cutKey(text string) (key, rest string, err error) {
	if tail, ok := strings.CutPrefix(text, "[*]"); ok {
		return "[*]", tail, nil
	}
	quoted, err := strconv.QuotedPrefix(text[1:])
	if err != nil {
		return "", "", fmt.Errorf(`a key is written ["api"] or [*]`)
	}
	tail, ok := strings.CutPrefix(text[1+len(quoted):], "]")
	if !ok {
		return "", "", fmt.Errorf("the bracket behind key %s is not closed", quoted)
	}
	return "[" + quoted + "]", tail, nil
}

// For gives the steps of one unit: the most exact selector that fits wins, and
// among equals the first in the file.
func (s Script) For(address, stage, role string, first bool, round, try int) ([]Step, bool) {
	best, found := -1, entry{}
	for _, e := range s.entries {
		score, ok := e.fits(address, stage, role, first, round, try)
		if ok && score > best {
			best, found = score, e
		}
	}
	return found.steps, best >= 0
}

func (e entry) fits(address, stage, role string, first bool, round, try int) (score int, ok bool) {
	part := e.part
	exact, ok := fitsAddress(e.address, address)
	if !ok && part != "" {
		exact, ok = fitsAddress(e.address+"."+part, address)
		part = ""
	}
	if !ok {
		return 0, false
	}
	if exact {
		score += 4
	}
	switch {
	case part == "":
		if first {
			return 0, false
		}
	case first && (part == role || strings.HasSuffix(role, "."+part)), !first && part == stage:
		score += 2
	default:
		return 0, false
	}
	if e.round != 0 {
		if e.round != round {
			return 0, false
		}
		score++
	}
	if e.try != 0 {
		if e.try != try {
			return 0, false
		}
		score++
	}
	return score, true
}

// decoder turns the tree of one entry into steps.
type decoder struct{ findings diag.Findings }

func (d *decoder) bad(n *syntax.Node, format string, args ...any) {
	d.findings = append(d.findings, codeShape.At(n.Range, fmt.Sprintf(format, args...), "see docs/replay.md for what a step may hold"))
}

func (d *decoder) steps(n *syntax.Node) []Step {
	if n.Kind == syntax.Sequence {
		var out []Step
		for _, item := range n.Items {
			out = append(out, d.step(item))
		}
		return out
	}
	return []Step{d.step(n)}
}

func (d *decoder) step(n *syntax.Node) Step {
	var s Step
	if n.Kind != syntax.Mapping {
		d.bad(n, "A step is a mapping such as {edit: {path: text}}, not a %s.", n.Kind)
		return s
	}
	var sub Submit
	submits := false
	for _, e := range n.Entries {
		switch key, v := e.Key.Value, e.Value; key {
		case "delay":
			s.DelayMillis = d.duration(v).Milliseconds()
		case "says":
			s.Says = v.Value
		case "run":
			s.Run = d.list(v)
		case "edit":
			s.Edit = d.edits(v)
		case "unasked":
			s.Unasked = d.edits(v)
		case "section":
			s.Section = d.edits(v)
		case "delete":
			s.Delete = d.list(v)
		case "ask":
			s.Ask = v.Value
		case "blocked":
			s.Blocked = v.Value
		case "cost":
			s.Cost = d.money(v)
		case "raw":
			s.Raw = v.Value
		case "exit":
			code, err := strconv.Atoi(v.Value)
			if err != nil {
				d.bad(v, "exit: is an exit status, a whole number.")
			}
			s.Exit = &code
		case "crash":
			s.Crash = v.Value == "true"
		case "hang":
			s.Hang = v.Value == "true"
		case "verdict":
			sub.Verdict, submits = v.Value, true
		case "reason":
			sub.Reason, submits = v.Value, true
		case "evidence":
			sub.Evidence, submits = d.list(v), true
		case "outputs":
			sub.Outputs, submits = d.json(v), true
		default:
			d.bad(e.Key, "A step has no key %q.", key)
		}
	}
	if submits {
		s.Submit = &sub
	}
	return s
}

func (d *decoder) list(n *syntax.Node) []string {
	if n.Kind == syntax.Scalar {
		return []string{n.Value}
	}
	var out []string
	for _, item := range n.Items {
		if item.Kind != syntax.Scalar {
			d.bad(item, "Only text may stand in this list.")
			continue
		}
		out = append(out, item.Value)
	}
	return out
}

func (d *decoder) edits(n *syntax.Node) []Edit {
	if n.Kind == syntax.Mapping {
		var out []Edit
		for _, e := range n.Entries {
			out = append(out, Edit{Path: e.Key.Value, Text: e.Value.Value})
		}
		return out
	}
	if n.Kind != syntax.Null {
		d.bad(n, "This wants a mapping of names to texts.")
	}
	return nil
}

func (d *decoder) duration(n *syntax.Node) time.Duration {
	out, err := time.ParseDuration(n.Value)
	if err != nil || out < 0 {
		d.bad(n, "%q is not a duration such as 200ms or 2s.", n.Value)
	}
	return out
}

// money reads "0.30 USD" without floats.
func (d *decoder) money(n *syntax.Node) planner.Money {
	whole, fraction, _ := strings.Cut(strings.TrimSuffix(n.Value, " USD"), ".")
	digits := whole + (fraction + "000000")[:6]
	out, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || len(fraction) > 6 || out < 0 {
		d.bad(n, "%q is not an amount such as 0.30 USD.", n.Value)
		return 0
	}
	return planner.Money(out)
}

// json turns a tree into JSON by YAML's core schema: bare numbers and booleans keep their kind.
func (d *decoder) json(n *syntax.Node) json.RawMessage {
	var b strings.Builder
	d.writeJSON(&b, n)
	return json.RawMessage(b.String())
}

func (d *decoder) writeJSON(b *strings.Builder, n *syntax.Node) {
	switch n.Kind {
	case syntax.Mapping:
		b.WriteByte('{')
		for i, e := range n.Entries {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, e.Key.Value)
			b.WriteByte(':')
			d.writeJSON(b, e.Value)
		}
		b.WriteByte('}')
	case syntax.Sequence:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			d.writeJSON(b, item)
		}
		b.WriteByte(']')
	case syntax.Null:
		b.WriteString("null")
	case syntax.Scalar:
		if n.Style == syntax.Plain && (n.Value == "true" || n.Value == "false" || json.Valid([]byte(n.Value))) {
			b.WriteString(n.Value)
			return
		}
		writeString(b, n.Value)
	}
}

func writeString(b *strings.Builder, s string) {
	quoted, err := json.Marshal(s)
	if err != nil { // a string always marshals
		quoted = []byte(`""`)
	}
	b.Write(quoted)
}
