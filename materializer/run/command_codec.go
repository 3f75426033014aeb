package run

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A command travels to a worker of another engine as {"command": type,
// "work": fields}; a Record carries its event as Marshal writes it. Nothing is
// kept in this form, so that it may change with the rules version.

type wireCommand struct {
	Command string          `json:"command"`
	Work    json.RawMessage `json:"work"`
}

// commandReaders is the closed set of commands, by the names on the wire.
var commandReaders = map[string]func([]byte) (Command, error){
	"branch":  readCommand[Branch],
	"unit":    readCommand[StartUnit],
	"build":   readCommand[BuildCandidate],
	"gate":    readCommand[RunGate],
	"advance": readCommand[Advance],
	"deliver": readCommand[Deliver],
	"wait":    readCommand[Wait],
	"close":   readCommand[Close],
	"record":  readRecord,
}

func readCommand[C Command](raw []byte) (Command, error) {
	var c C
	d := json.NewDecoder(bytes.NewReader(raw))
	// What a worker does not know it cannot carry out: a field passed over
	// here could be a limit.
	d.DisallowUnknownFields()
	err := d.Decode(&c)
	return c, err
}

func readRecord(raw []byte) (Command, error) {
	ev, err := Unmarshal(raw)
	return Record{ev}, err
}

func commandName(c Command) string {
	switch c.(type) {
	case Branch:
		return "branch"
	case StartUnit:
		return "unit"
	case BuildCandidate:
		return "build"
	case RunGate:
		return "gate"
	case Advance:
		return "advance"
	case Deliver:
		return "deliver"
	case Wait:
		return "wait"
	case Close:
		return "close"
	case Record:
		return "record"
	}
	return ""
}

// MarshalCommand gives a command's bytes, for an engine whose workers run elsewhere.
func MarshalCommand(c Command) ([]byte, error) {
	name := commandName(c)
	if name == "" {
		return nil, fmt.Errorf("there is no command %T", c)
	}
	var work []byte
	var err error
	if r, ok := c.(Record); ok {
		work, err = Marshal(r.Event)
	} else {
		work, err = json.Marshal(c)
	}
	if err != nil {
		return nil, fmt.Errorf("command %s: %w", name, err)
	}
	return json.Marshal(wireCommand{name, work})
}

// UnmarshalCommand reads what MarshalCommand wrote. A command or a field it
// does not know is an error.
func UnmarshalCommand(raw []byte) (Command, error) {
	var w wireCommand
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("a command that is not JSON: %w", err)
	}
	read, ok := commandReaders[w.Command]
	if !ok {
		return nil, fmt.Errorf("there is no command of type %q", w.Command)
	}
	c, err := read(w.Work)
	if err != nil {
		return nil, fmt.Errorf("command %s: %w", w.Command, err)
	}
	return c, nil
}
