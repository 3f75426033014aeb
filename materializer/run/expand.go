package run

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// open gives the event that takes a ticket out of waiting, now that its needs
// are met: opened, skipped by its when, expanded, or parked where something in
// it cannot be evaluated. An error is never false.
func (s *State) open(n *node) Event {
	if ok, err := s.when(n); err != nil {
		return unevaluated(n, "when", err)
	} else if !ok {
		return Skipped{Ticket: n.ID, Reason: "its when is false"}
	}
	if n.isTemplate() {
		children, err := s.children(n)
		if err != nil {
			return unevaluated(n, "for_each", err)
		}
		return Expanded{Ticket: n.ID, Children: children}
	}
	brief, err := s.text(n, "brief", n.plan.Brief)
	if err != nil {
		return unevaluated(n, "brief", err)
	}
	title, err := s.text(n, "title", n.plan.Title)
	if err != nil {
		return unevaluated(n, "title", err)
	}
	return Opened{Ticket: n.ID, Brief: brief, Title: oneLine(title, 200)}
}

func unevaluated(n *node, field string, err error) Event {
	return Parked{Ticket: n.ID, Code: ParkEvaluation, Reason: field + ": " + oneLine(err.Error(), 600)}
}

// children works out a template's list. A list that is longer than its bound
// parks the template: nothing is cut off in silence.
func (s *State) children(n *node) ([]Child, error) {
	f := n.plan.FanOut
	source, err := s.value(n, "for_each", f.ForEach, expr.Type{})
	if err != nil {
		return nil, err
	}
	items, err := elements(source)
	if err != nil {
		return nil, err
	}
	if len(items) > f.Max {
		return nil, fmt.Errorf("the list has %d elements, the plan's max is %d", len(items), f.Max)
	}
	out := make([]Child, len(items))
	used := map[string]int{}
	for i, it := range items {
		if out[i], err = s.oneChild(n, i, it); err != nil {
			return nil, err
		}
		if first, twice := used[out[i].Key]; twice {
			return nil, fmt.Errorf("elements %d and %d have the same key %s", first+1, i+1, strconv.Quote(out[i].Key))
		}
		used[out[i].Key] = i
	}
	return out, nil
}

// elements gives a list's items, or a map's entries sorted by key.
func elements(source expr.Value) ([]expr.Entry, error) {
	if list, ok := source.List(); ok {
		out := make([]expr.Entry, len(list))
		for i, v := range list {
			out[i].Value = v
		}
		return out, nil
	}
	if entries, ok := source.Map(); ok {
		return entries, nil
	}
	return nil, fmt.Errorf("it is neither a list nor a map: %s", oneLine(source.String(), 60))
}

func (s *State) oneChild(n *node, i int, it expr.Entry) (Child, error) {
	c := Child{ID: childID(n, i), Key: it.Key, Value: it.Value}
	probe := s.child(n, i)
	probe.Key, probe.Value = it.Key, it.Value
	if n.plan.FanOut.Key != "" {
		key, err := s.scalar(probe, "key", n.plan.FanOut.Key)
		if err != nil {
			return c, fmt.Errorf("the key of element %d: %w", i+1, err)
		}
		c.Key = key
	} else if it.Key == "" {
		c.Key, _ = it.Value.Text()
	}
	if why := badKey(c.Key); why != "" {
		return c, fmt.Errorf("the key of element %d %s: %s", i+1, why, strconv.Quote(oneLine(c.Key, 60)))
	}
	c.Address = n.Name + "[" + strconv.Quote(c.Key) + "]"
	probe.Key = c.Key
	var err error
	c.Scope, c.Narrow, err = s.narrowed(probe)
	if err != nil {
		return c, fmt.Errorf("element %d, %s: %w", i+1, strconv.Quote(c.Key), err)
	}
	return c, nil
}

const maxKey = 100

// badKey says why a key cannot stand in an address, a branch or a path.
func badKey(key string) string {
	switch {
	case key == "":
		return "is empty"
	case len(key) > maxKey:
		return fmt.Sprintf("is longer than %d bytes", maxKey)
	case strings.HasPrefix(key, "-") || strings.HasPrefix(key, "/") || key == "." || key == ".." || strings.Contains(key, "../") || strings.HasSuffix(key, "/.."):
		return "is not a safe name"
	}
	for _, r := range key {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar || r == '\\' || r == '"' {
			return "has characters that no name may have"
		}
	}
	return ""
}

// narrowed works out a child's writable globs. narrow may only shrink the scope:
// a path must match both, and what cannot match anything of the scope is refused.
func (s *State) narrowed(n *node) (scope, narrow []string, err error) {
	if len(n.plan.Narrow) == 0 {
		return n.plan.Scope, nil, nil
	}
	for _, text := range n.plan.Narrow {
		v, err := s.text(n, "narrow", text)
		if err != nil {
			return nil, nil, fmt.Errorf("narrow: %w", err)
		}
		narrow = append(narrow, v)
	}
	outer, err := glob.CompileSet(n.plan.Scope)
	if err != nil {
		return nil, nil, fmt.Errorf("scope: %w", err)
	}
	inner, err := glob.CompileSet(narrow)
	if err != nil {
		return nil, nil, fmt.Errorf("narrow: %w", err)
	}
	for _, in := range inner {
		scope = append(scope, intersect(in, outer)...)
	}
	if len(scope) == 0 {
		return nil, nil, fmt.Errorf("narrow leaves nothing writable: %s is outside the scope", quoteList(narrow))
	}
	return scope, narrow, nil
}

// intersect gives globs for the paths of in that outer has too; where neither
// holds the other the narrower list is told, and the contract checks both.
func intersect(in glob.Pattern, outer glob.Set) []string {
	var out []string
	for _, o := range outer {
		switch {
		case glob.Within(in, o):
			return []string{in.String()}
		case glob.Within(o, in):
			out = append(out, o.String())
		default:
			if _, ok := glob.Intersects(in, o); ok {
				out = append(out, in.String())
			}
		}
	}
	return out
}
