package replay

import (
	"encoding/json"
	"fmt"

	"github.com/seed9cc7a46e/wf/materializer/agent"
	"github.com/seed9cc7a46e/wf/planner"
)

// Subcommand is the hidden subcommand of wf that Main serves.
const Subcommand = "__replay"

// stepsFile is where a unit finds its steps, below its exchange folder.
const stepsFile = "replay.json"

// Adapter hires the replay agent.
type Adapter struct{}

// Name is the word in a workflow's agent: field.
func (Adapter) Name() string { return "replay" }

// Capabilities of the replay agent: it asks the guard before each use and calls no model.
func (Adapter) Capabilities() agent.Capabilities {
	return agent.Capabilities{HidesTools: agent.Hidden, GatesCalls: agent.Gated, Budget: agent.Gated, ReportsCost: true}
}

// Prepare picks the unit's steps out of the script. A unit without steps is an
// error: an agent that does nothing by default would look like one that works.
func (Adapter) Prepare(u agent.Unit) (agent.Launch, error) {
	script, findings := ParseScript(u.Role.Script, u.Script)
	if findings.HasErrors() {
		return agent.Launch{}, fmt.Errorf("replay script %s: %s", u.Role.Script, findings[0].Detail)
	}
	steps, ok := script.For(u.Ticket, u.Stage, u.Role.Name, u.Purpose == "first", u.Round, u.Try)
	if !ok {
		return agent.Launch{}, fmt.Errorf("the replay script says nothing for %s.%s in round %d (role %s)", u.Ticket, u.Stage, u.Round, u.Role.Name)
	}
	data, err := json.Marshal(steps)
	if err != nil {
		return agent.Launch{}, fmt.Errorf("steps of %s: %w", u.ID, err)
	}
	return agent.Launch{
		Argv:  []string{u.Self, Subcommand, stepsFile},
		Stdin: u.Prompt,
		Files: []agent.File{{Path: stepsFile, Data: data}},
	}, nil
}

// Open reads the stream that Main writes.
func (Adapter) Open() agent.Stream { return stream{} }

type stream struct{}

// line is one line of the replay agent's stream.
type line struct {
	Event  agent.Kind `json:"event"`
	ID     string     `json:"id,omitempty"`
	Tool   string     `json:"tool,omitempty"`
	Text   string     `json:"text,omitempty"`
	Cost   int64      `json:"cost,omitempty"` // micro-dollars
	Known  bool       `json:"known,omitempty"`
	Failed bool       `json:"failed,omitempty"`
}

// Line reads one event; anything else is unparsed.
func (stream) Line(data []byte) []agent.Event {
	var l line
	if err := json.Unmarshal(data, &l); err != nil || l.Event == "" {
		return []agent.Event{{Kind: agent.Unparsed, Text: string(data)}}
	}
	return []agent.Event{l.event()}
}

func (l line) event() agent.Event {
	return agent.Event{Kind: l.Event, ID: l.ID, Tool: l.Tool, Text: l.Text, Cost: planner.Money(l.Cost), Known: l.Known, Failed: l.Failed}
}
