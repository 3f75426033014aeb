// Package command is the adapter for any program: the prompt comes on standard
// input and lies in the exchange folder, and what the unit delivers is a file.
//
// The program is argv from the user's own configuration; a repository names
// only the adapter.
package command

import (
	"errors"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/agent"
)

// Adapter hires a program that knows nothing of wf.
type Adapter struct{}

// Name is the word in a workflow's agent: field.
func (Adapter) Name() string { return "command" }

// Capabilities of a program that wf cannot look into: nothing is enforced inside it.
func (Adapter) Capabilities() agent.Capabilities {
	return agent.Capabilities{HidesTools: agent.Hint, GatesCalls: agent.Hint, Budget: agent.Hint, NeedsModel: true}
}

// Prepare starts the configured program in the unit's worktree.
func (Adapter) Prepare(u agent.Unit) (agent.Launch, error) {
	if len(u.Program) == 0 {
		return agent.Launch{}, errors.New("no program is configured for the command adapter: set agents.command.program in your own wf configuration")
	}
	return agent.Launch{Argv: u.Program, Stdin: u.Prompt}, nil
}

// Open reads the program's output as prose; what counts is outputs.json.
func (Adapter) Open() agent.Stream { return &stream{} }

type stream struct{ began bool }

// Line takes every line as something the program says.
func (s *stream) Line(data []byte) []agent.Event {
	var out []agent.Event
	if !s.began {
		s.began = true
		out = append(out, agent.Event{Kind: agent.Began})
	}
	return append(out, agent.Event{Kind: agent.Says, Text: strings.ToValidUTF8(string(data), "\uFFFD")})
}
