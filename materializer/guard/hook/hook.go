// Package hook defines the question: what an agent program's hook asks the
// guard before a tool is used, and what it is told.
//
// Enter with Main, the whole of `wf hook`; Ask is the same for callers that
// have a question already. This package is all that a hook's process links: it
// imports the standard library alone, so that a cold start costs milliseconds.
//
// The protocol is one connection per question: one line of JSON each way. The
// client closes after the answer. Whatever goes wrong is a refusal.
package hook

import (
	"encoding/json"
	"fmt"
	"time"
)

// Version is the version of the protocol and of the guard's table.
const Version = 1

// Limits of one question.
const (
	MaxInput  = 1 << 20          // bytes of a hook's standard input, and of a line of the protocol
	MaxReason = 2000             // bytes of a reason
	Timeout   = 10 * time.Second // for the whole question
)

// Variable names the environment variable with the socket's path.
const Variable = "WF_GUARD"

// Exit statuses. Agent programs let a tool run on every status but 2.
const (
	ExitAllowed = 0
	ExitRefused = 2
)

// Event is the moment a hook is called at.
type Event string

// The events.
const (
	Pre  Event = "pre"  // before a tool use: the only one that decides
	Post Event = "post" // after it
	Stop Event = "stop" // the session says it is over
)

// Question is one line from the client.
type Question struct {
	Guard   int             `json:"guard"` // Version
	Event   Event           `json:"event"`
	ID      string          `json:"id,omitempty"`    // of the tool use
	Tool    string          `json:"tool,omitempty"`  // exact name
	Input   json.RawMessage `json:"input,omitempty"` // an object: the tool's parameters
	Session string          `json:"session,omitempty"`
	Agent   string          `json:"agent,omitempty"` // the program's id of a subagent, "" for the session itself
	Cwd     string          `json:"cwd,omitempty"`
	Mode    string          `json:"mode,omitempty"` // the program's own permission mode
}

// Answer is one line from the runner.
type Answer struct {
	Guard   int    `json:"guard"`
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"`
}

// input is what Claude Code writes to a hook (measured with 2.1.197). Names
// that are not listed are of no use here.
type input struct {
	Event   string          `json:"hook_event_name"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"tool_input"`
	ID      string          `json:"tool_use_id"`
	Session string          `json:"session_id"`
	Agent   string          `json:"agent_id"`
	Cwd     string          `json:"cwd"`
	Mode    string          `json:"permission_mode"`
}

// events are the program's names of what the arguments call pre, post, stop.
var events = map[Event][]string{
	Pre:  {"PreToolUse"},
	Post: {"PostToolUse", "PostToolUseFailure"},
	Stop: {"Stop", "SubagentStop"},
}

// Read turns a hook's standard input into a question. What is missing or of
// another kind is an error: a field that reads as empty would be judged as a
// harmless use. POL-06
func Read(event Event, data []byte) (Question, error) {
	var in input
	if len(data) > MaxInput {
		return Question{}, fmt.Errorf("the hook's input is longer than %d bytes", MaxInput)
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Question{}, fmt.Errorf("the hook's input cannot be read: %w", err)
	}
	q := Question{Guard: Version, Event: event, ID: in.ID, Tool: in.Tool, Input: in.Input, Session: in.Session, Agent: in.Agent, Cwd: in.Cwd, Mode: in.Mode}
	names, known := events[event]
	if !known {
		return Question{}, fmt.Errorf("there is no hook %q; there are pre, post and stop", event)
	}
	if in.Event != names[0] && in.Event != names[len(names)-1] {
		return Question{}, fmt.Errorf("the hook %s was called for the event %q", event, in.Event)
	}
	return q, q.Check()
}

// Check says what is wrong with a question.
func (q Question) Check() error {
	if q.Guard != Version {
		return fmt.Errorf("the question is of version %d, not %d", q.Guard, Version)
	}
	switch q.Event {
	case Stop:
		return nil
	case Pre, Post:
	default:
		return fmt.Errorf("there is no event %q", q.Event)
	}
	if q.Tool == "" || q.ID == "" {
		return fmt.Errorf("a tool use without a name or an id cannot be judged")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(q.Input, &fields); err != nil || fields == nil {
		return fmt.Errorf("the input of %s is not an object", q.Tool)
	}
	return nil
}
