package dsl

import (
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// nearestKey looks among the fields that are not written yet; exact names of
// other owners are not spelling mistakes.
func nearestKey(n *syntax.Node, name string, known []string) string {
	free := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return n.Get(k) != nil })
	if meant, ok := synonyms[strings.ToLower(name)]; ok {
		for _, m := range meant {
			if slices.Contains(free, m) {
				return m
			}
		}
	}
	if len(ownersOf(name)) == 0 {
		return nearest(name, free)
	}
	for _, k := range free {
		if k == name+"s" || k+"s" == name {
			return k
		}
	}
	return ""
}

// synonyms are words of other tools for our fields; the first that the owner has is meant.
var synonyms = map[string][]string{
	"prompt": {"brief", "instructions"}, "task": {"brief"}, "goal": {"brief"}, "instruction": {"instructions"},
	"if": {"when"}, "condition": {"when"}, "depends_on": {"needs"}, "depends-on": {"needs"}, "dependencies": {"needs"}, "after": {"needs"}, "requires": {"needs"},
	"foreach": {"for_each"}, "for-each": {"for_each"}, "with_items": {"for_each"}, "loop": {"for_each"},
	"command": {"run"}, "cmd": {"run"}, "script": {"run"}, "exec": {"run"},
	"jobs": {"tickets"}, "tasks": {"tickets"}, "steps": {"tickets"}, "nodes": {"tickets"}, "agents": {"roles"},
	"parameters": {"inputs"}, "params": {"inputs"}, "variables": {"inputs"}, "version": {"wf"}, "stages": {"pipeline", "pipelines"},
	"checks": {"gates"}, "criteria": {"acceptance"}, "paths": {"scope"}, "files": {"scope"}, "globs": {"scope"},
	"cwd": {"workdir"}, "working_directory": {"workdir"}, "working-directory": {"workdir"}, "dir": {"workdir"},
	"timeout_minutes": {"timeout"}, "timeout-minutes": {"timeout"}, "minutes": {"timeout"}, "max_cost": {"budget"}, "cost": {"budget"},
	"adapter": {"agent"}, "engine": {"agent"}, "parallelism": {"concurrency"}, "max_parallel": {"concurrency"}, "id": {"name", "stage"}, "name": {"stage"},
	"verdicts": {"verdict"}, "output": {"outputs"}, "returns": {"outputs"}, "enviroment": {"env"}, "environment": {"env"}, "allowed_tools": {"tools"},
	"desc": {"description"}, "required": {}, "default_value": {"default"}, "disallow": {"deny"}, "approve": {"hold"}, "approval": {"hold"},
}

// peek reads a field before its object is opened, misspelt or not; it says nothing.
func peek(owner string, n *syntax.Node, name string) *syntax.Node {
	if n == nil || n.Kind != syntax.Mapping {
		return nil
	}
	if have := n.Get(name); have != nil {
		return have
	}
	known := fieldNames(owner)
	for _, e := range n.Entries {
		if !slices.Contains(known, e.Key.Value) && nearestKey(n, e.Key.Value, known) == name {
			return e.Value
		}
	}
	return nil
}

// nearest is expr's, asked with a sorted list; a word that begins with a
// candidate (claude-code) means it too.
func nearest(word string, candidates []string) string {
	sorted := slices.Clone(candidates)
	slices.Sort(sorted)
	if near := expr.Nearest(word, sorted); near != "" {
		return near
	}
	i := slices.IndexFunc(sorted, func(c string) bool { return len(c) > 2 && strings.HasPrefix(word, c) })
	if i < 0 {
		return ""
	}
	return sorted[i]
}

func builtOf(owner string, known []string) []string {
	return slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		return fieldIndex()[fieldKey{owner, name}].State == Later
	})
}

func joinOwners(owners []string) string {
	parts := make([]string, 0, len(owners))
	for _, o := range owners {
		parts = append(parts, article(o))
	}
	return strings.Join(parts, " or to ")
}

func quoted(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, "`"+n+"`")
	}
	return out
}
