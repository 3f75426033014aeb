package run

import (
	"errors"
	"fmt"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// value evaluates a run-phase field of a ticket.
func (s *State) value(n *node, field, text string) (expr.Value, error) {
	t, err := expr.Reparse(text)
	if err != nil {
		return expr.Value{}, err
	}
	if t.IsLiteral() {
		return expr.Of(t.Literal()), nil
	}
	return expr.Value{}, errors.New("expressions are not built yet")
}

// text evaluates a field that is text.
func (s *State) text(n *node, field, text string) (string, error) {
	v, err := s.value(n, field, text)
	if err != nil {
		return "", err
	}
	out, ok := v.Text()
	if !ok {
		return "", fmt.Errorf("it is not text: %s", oneLine(v.String(), 60))
	}
	return out, nil
}

// when evaluates the ticket's condition: true where it has none.
func (s *State) when(n *node) (bool, error) {
	if n.plan.When == "" {
		return true, nil
	}
	v, err := s.value(n, "when", n.plan.When)
	if err != nil {
		return false, err
	}
	ok, isBool := v.Bool()
	if !isBool {
		return false, fmt.Errorf("it is not a bool: %s", oneLine(v.String(), 60))
	}
	return ok, nil
}

// gateEnv evaluates the values of a gate's environment.
func (s *State) gateEnv(n *node, g planner.Gate) (planner.Gate, error) {
	env := make([]planner.EnvVar, len(g.Env))
	for i, e := range g.Env {
		v, err := s.text(n, "env", e.Value)
		if err != nil {
			return g, fmt.Errorf("env %s: %w", e.Name, err)
		}
		env[i] = planner.EnvVar{Name: e.Name, Value: v}
	}
	if g.Env != nil {
		g.Env = env
	}
	return g, nil
}

// outputs evaluates the workflow's outputs; problem names those that could not be.
func (s *State) outputs() (expr.Value, string) {
	return expr.Value{}, ""
}
