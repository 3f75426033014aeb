package guard

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// ruleForm is the same as of policies: Tool, Tool(pattern), Tool(param:value).
// The name is exact apart from mcp__server__*. POL-07
var ruleForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]*\*?)(?:\((.+)\))?$`) })

var paramForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*):(.*)$`) })

// rule is a Rule read.
type rule struct {
	text    string
	tool    string
	pattern string // "" holds for every use
	param   string // of Tool(param:value); value is then in pattern
	known   bool   // of param: the tool has it
	globs   []glob.Pattern
	words   commandPattern
}

// tools whose parameters are known: first the one a bare pattern is about.
var toolParams = map[string][]string{
	"Bash":         {"command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox"},
	"Read":         {"file_path", "offset", "limit", "pages"},
	"Edit":         {"file_path", "old_string", "new_string", "replace_all"},
	"MultiEdit":    {"file_path", "edits"},
	"Write":        {"file_path", "content"},
	"NotebookEdit": {"notebook_path", "cell_id", "cell_type", "edit_mode", "new_source"},
	"Grep":         {"path", "pattern", "glob", "type", "output_mode", "head_limit"},
	"Glob":         {"path", "pattern"},
	"LS":           {"path", "ignore"},
	"WebFetch":     {"url", "prompt", "domain"},
	"WebSearch":    {"query", "allowed_domains", "blocked_domains"},
	"Agent":        {"subagent_type", "prompt", "description", "model", "mode", "run_in_background", "isolation", "name"},
	"Task":         {"subagent_type", "prompt", "description", "model", "mode", "run_in_background", "isolation", "name"},
	"TodoWrite":    {"todos"},
}

// writers change the file they name; readers look at it.
var (
	writers  = []string{"Edit", "MultiEdit", "NotebookEdit", "Write"}
	readers  = []string{"Glob", "Grep", "LS", "Read"}
	spawners = []string{"Agent", "Task"}
)

func isPathTool(tool string) bool {
	return slices.Contains(writers, tool) || slices.Contains(readers, tool)
}

func parseRule(text string) (rule, error) {
	m := ruleForm().FindStringSubmatch(text)
	if m == nil || strings.HasSuffix(m[1], "*") && !strings.HasPrefix(m[1], "mcp__") {
		return rule{}, fmt.Errorf("rule %q is not of the form Tool, Tool(pattern) or Tool(param:value)", text)
	}
	r := rule{text: text, tool: m[1], pattern: m[2]}
	if r.pattern == "" {
		return r, nil
	}
	if r.asParam() {
		return r, nil
	}
	var err error
	switch {
	case r.tool == "Bash":
		r.words = parseCommandPattern(r.pattern)
	case isPathTool(r.tool):
		r.globs, err = pathGlobs(r.pattern)
	}
	if err != nil {
		return rule{}, fmt.Errorf("rule %q: %w", text, err)
	}
	return r, nil
}

// asParam reads param:value. Of Bash, `npm run:*` and `npm:*` are the prefix
// form; only the names of its own parameters make a parameter rule.
func (r *rule) asParam() bool {
	m := paramForm().FindStringSubmatch(r.pattern)
	if m == nil {
		return false
	}
	params, listed := toolParams[r.tool]
	known := slices.Contains(params, m[1])
	if (r.tool == "Bash" || isPathTool(r.tool)) && (!known || m[2] == "*") {
		return false
	}
	r.param, r.pattern, r.known = m[1], m[2], known || !listed
	return true
}

// names reports whether the rule is about a tool.
func (r rule) names(tool string) bool {
	if prefix, ok := strings.CutSuffix(r.tool, "*"); ok {
		return strings.HasPrefix(tool, prefix)
	}
	return r.tool == tool
}

// wild matches text against a value with stars, each for any text.
func wild(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		at := strings.Index(text, p)
		if at < 0 {
			return false
		}
		text = text[at+len(p):]
	}
	return strings.HasSuffix(text, last)
}

// pathGlobs reads a path pattern: relative to the worktree, or absolute. A
// trailing slash means the folder's content.
func pathGlobs(pattern string) ([]glob.Pattern, error) {
	p := strings.TrimPrefix(pattern, "./")
	if strings.HasSuffix(p, "/") {
		p += "**"
	}
	p = strings.TrimPrefix(p, "/")
	g, err := glob.Compile(p)
	if err != nil {
		return nil, err
	}
	deep := g
	if !strings.HasPrefix(p, "**/") && !strings.HasPrefix(pattern, "/") {
		if deep, err = glob.Compile("**/" + p); err != nil {
			return nil, err
		}
	}
	return []glob.Pattern{g, deep}, nil
}
