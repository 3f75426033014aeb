package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// ToolNames are the tools whose names are known, sorted: those that wf itself
// speaks of, and further ones of agent programs. Names of mcp__ tools are free.
var ToolNames = []string{
	"Agent", "ApplyPatch", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "KillBash", "KillShell", "LS",
	"ListMcpResourcesTool", "MultiEdit", "NotebookEdit", "NotebookRead", "Read", "ReadMcpResourceTool", "Shell", "Skill", "SlashCommand", "Task", "TaskOutput",
	"TaskStop", "TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write",
}

// MisspeltTool gives the tool that a rule such as Bash(go test:*) most probably
// means where its name is no known one and near to one; "" otherwise. A wrong
// name among denied tools would deny nothing.
func MisspeltTool(rule string) string {
	name := toolOf(rule)
	if knownTool(name) {
		return ""
	}
	if i := slices.IndexFunc(ToolNames, func(t string) bool { return strings.EqualFold(t, name) }); i >= 0 {
		return ToolNames[i]
	}
	return expr.Nearest(name, ToolNames)
}

func toolOf(rule string) string {
	name, _, _ := strings.Cut(rule, "(")
	return strings.TrimSpace(name)
}

func knownTool(name string) bool {
	return strings.HasPrefix(name, "mcp__") || slices.Contains(ToolNames, name)
}

// ruleToolNames: what a role allows or denies is a tool.
func ruleToolNames(f *facts) diag.Findings {
	var out diag.Findings
	for _, r := range f.w.Roles {
		for _, s := range slices.Concat(r.Allow, r.Deny) {
			if text, ok := s.Value.Str(); ok && s.Known {
				out = append(out, toolName(text, s.Range, s.Range.File != f.w.File)...)
			}
		}
	}
	return out
}

// toolName judges one rule. An agent definition is not wf's file: what is odd in
// it is told and stops nothing.
func toolName(rule string, at diag.Range, foreign bool) diag.Findings {
	name := toolOf(rule)
	if knownTool(name) || name == "" {
		return nil
	}
	if near := MisspeltTool(rule); near != "" && !foreign {
		f := codeToolMisspelt.At(at, fmt.Sprintf("there is no tool `%s`.", name), fmt.Sprintf("Did you mean `%s`?", near))
		if rest, whole := strings.CutPrefix(rule, name); whole {
			f.Edit = &diag.Edit{Range: at, NewText: near + rest}
		}
		return diag.Findings{f}
	}
	return diag.Findings{codeToolUnknown.At(at, fmt.Sprintf("no tool `%s` is known, so it counts as one that reaches beyond the machine.", name), useOneOf(ToolNames))}
}
