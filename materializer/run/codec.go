package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxEvent bounds the bytes of one event: a journal line is read into memory.
const maxEvent = 16 << 20

// Types lists the journal's names of all events, in the order of their declaration.
func Types() []string {
	names := make([]string, len(codecs))
	for i, c := range codecs {
		names[i] = c.name
	}
	return names
}

// codec joins a type's name in the journal to its reader.
type codec struct {
	name string
	read func([]byte) (Event, error)
}

// codecs is the closed set of events. A name, once written, stays.
var codecs = []codec{
	reader[Started](), reader[HostFacts](), reader[Resumed](), reader[Skipped](), reader[Expanded](),
	reader[Opened](), reader[Branched](), reader[Conflicted](), reader[Reserved](), reader[Launched](),
	reader[Ended](), reader[Intended](), reader[Built](), reader[Gated](), reader[Accepted](), reader[Refused](),
	reader[Rerun](), reader[Parked](), reader[Blocked](), reader[Moved](), reader[Finished](), reader[Decided](),
	reader[Claimed](), reader[Alarm](), reader[Delivered](), reader[Removed](), reader[Stopped](), reader[Closed](),
	reader[Repaired](),
}

func (Started) Type() string    { return "started" }
func (HostFacts) Type() string  { return "host_facts" }
func (Resumed) Type() string    { return "resumed" }
func (Skipped) Type() string    { return "skipped" }
func (Expanded) Type() string   { return "expanded" }
func (Opened) Type() string     { return "opened" }
func (Branched) Type() string   { return "branched" }
func (Conflicted) Type() string { return "conflicted" }
func (Reserved) Type() string   { return "reserved" }
func (Launched) Type() string   { return "launched" }
func (Ended) Type() string      { return "ended" }
func (Intended) Type() string   { return "intended" }
func (Built) Type() string      { return "built" }
func (Gated) Type() string      { return "gated" }
func (Accepted) Type() string   { return "accepted" }
func (Refused) Type() string    { return "refused" }
func (Rerun) Type() string      { return "rerun" }
func (Parked) Type() string     { return "parked" }
func (Blocked) Type() string    { return "blocked" }
func (Moved) Type() string      { return "moved" }
func (Finished) Type() string   { return "finished" }
func (Decided) Type() string    { return "decided" }
func (Claimed) Type() string    { return "claimed" }
func (Alarm) Type() string      { return "alarm" }
func (Delivered) Type() string  { return "delivered" }
func (Removed) Type() string    { return "removed" }
func (Stopped) Type() string    { return "stopped" }
func (Closed) Type() string     { return "closed" }

func reader[E Event]() codec {
	var zero E
	return codec{zero.Type(), func(raw []byte) (Event, error) {
		var e E
		err := json.Unmarshal(raw, &e)
		return e, err
	}}
}

var byName = func() map[string]codec {
	m := make(map[string]codec, len(codecs))
	for _, c := range codecs {
		m[c.name] = c
	}
	return m
}()

// Marshal gives an event's canonical bytes, one line without its end: the type
// first, then the fields in the order of their declaration.
func Marshal(e Event) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Type(), err)
	}
	head := `{"type":"` + e.Type() + `"`
	out := make([]byte, 0, len(head)+len(body)+1)
	out = append(out, head...)
	if len(body) > 2 { // not {}
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
}

// Unmarshal reads an event. A type it does not know is an error: a fact that
// cannot be understood must not be passed over. A field it does not know is
// passed over: events only gain fields.
func Unmarshal(raw []byte) (Event, error) {
	if len(raw) > maxEvent {
		return nil, fmt.Errorf("an event of %d bytes; the most is %d", len(raw), maxEvent)
	}
	name, err := typeName(raw)
	if err != nil {
		return nil, err
	}
	c, ok := byName[name]
	if !ok {
		return nil, fmt.Errorf("there is no event of type %q", name)
	}
	e, err := c.read(raw)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", name, err)
	}
	return e, nil
}

var typePrefix = []byte(`{"type":"`)

// typeName reads the type without decoding the rest where the bytes are as Marshal writes them.
func typeName(raw []byte) (string, error) {
	if rest, ok := bytes.CutPrefix(raw, typePrefix); ok {
		if end := bytes.IndexAny(rest, `"\`); end >= 0 && rest[end] == '"' {
			return string(rest[:end]), nil
		}
	}
	var head struct {
		Type *string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return "", fmt.Errorf("an event that is not JSON: %w", err)
	}
	if head.Type == nil {
		return "", errors.New("an event without a type")
	}
	return *head.Type, nil
}
