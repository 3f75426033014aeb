package policies

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// A guard rule is Tool, Tool(pattern) or Tool(param:value); the tool's name is
// exact, apart from mcp__server__*.
var guardForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]*\*?)(?:\((.+)\))?$`) })

// pinned are the verbs a unit must always have: without them it could neither
// deliver nor ask (law 7), whatever else is denied.
var pinned = []string{
	"submit_outputs", "ask_operator", "report", "submit_plan", "exit_plan_mode", "propose_orchestration",
	"add_review_node", "confirm_review_node", "finalize_review",
}

func guardTool(rule string) (tool, pattern string, ok bool) {
	m := guardForm().FindStringSubmatch(rule)
	if m == nil || strings.HasSuffix(m[1], "*") && !strings.HasPrefix(m[1], "mcp__") {
		return "", "", false
	}
	return m[1], m[2], true
}

// guardFinding says what is wrong with the text of a guard rule.
func guardFinding(rule string, at diag.Range) (diag.Finding, bool) {
	tool, pattern, ok := guardTool(rule)
	if !ok {
		return codeGuardRule.At(at, fmt.Sprintf("%q is not of the form Tool, Tool(pattern) or Tool(param:value).", rule), "Write it as in `Bash(git push --force*)`."), true
	}
	if near := dsl.MisspeltTool(tool); near != "" && !ofWf(tool) {
		return codeGuardTool.At(at, fmt.Sprintf("There is no tool %s, so that the rule would never hold.", tool), fmt.Sprintf("Did you mean %s?", near)), true
	}
	if err := badPath(tool, pattern); err != nil {
		return codeGuardRule.At(at, fmt.Sprintf("The pattern of %q cannot be read: %s.", rule, strings.TrimSuffix(err.Error(), ".")), "`*` stands for text in one segment, `**` for any segments."), true
	}
	if why := silences(rule); why != "" {
		return codeSilence.At(at, fmt.Sprintf("The rule %q is refused: %s.", rule, why), "Deny what the unit does, not how it delivers and asks."), true
	}
	return diag.Finding{}, false
}

// ofWf reports whether a tool is one of wf's own verbs.
func ofWf(tool string) bool { return slices.Contains(pinned, tool) }

// pathTools take a glob as their pattern.
var pathTools = []string{"Edit", "Glob", "Grep", "LS", "MultiEdit", "NotebookEdit", "Read", "Write"}

func badPath(tool, pattern string) error {
	if pattern == "" || !slices.Contains(pathTools, tool) {
		return nil
	}
	p := strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	if strings.HasSuffix(p, "/") {
		p += "**"
	}
	_, err := glob.Compile(p)
	return err
}

// silences says how the rule would take a pinned verb away; "" when it does not.
func silences(rule string) string {
	tool, pattern, _ := guardTool(rule)
	if strings.HasSuffix(tool, "*") {
		return silencedBy(strings.TrimSuffix(tool, "*"), strings.HasPrefix)
	}
	if why := silencedBy(tool, func(verb, t string) bool { return verb == t }); why != "" {
		return why
	}
	if tool == "Bash" && reachesUnitVerb(pattern) {
		return "it matches `wf unit`, by which units without MCP deliver and ask"
	}
	return ""
}

func silencedBy(tool string, match func(verb, tool string) bool) string {
	i := slices.IndexFunc(pinned, func(v string) bool { return match("mcp__wf__"+v, tool) || match(v, tool) })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("it matches %s, which no policy can take from a unit", pinned[i])
}

// reachesUnitVerb reports whether a command pattern matches `wf unit <verb>`.
// A pattern of a star alone is the tool itself, which a role may well be without.
func reachesUnitVerb(pattern string) bool {
	glob := strings.ReplaceAll(pattern, ":*", "*")
	if strings.Trim(glob, "*") == "" {
		return false
	}
	return slices.ContainsFunc(pinned, func(verb string) bool {
		for _, command := range []string{"wf unit " + verb, "wf unit " + verb + " {}"} {
			if ok, err := path.Match(glob, command); ok && err == nil {
				return true
			}
		}
		return false
	})
}
