package guard

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Limits of what is judged. Longer is refused, not cut.
const (
	maxWords = 2000 // words of one command
	maxParts = 500  // commands of one text
)

// Use is one tool use that is asked about.
type Use struct {
	ID    string          `json:"id"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"` // an object
	Cwd   string          `json:"cwd,omitempty"`
	Agent string          `json:"agent,omitempty"` // of a subagent; it is judged as its parent. POL-17
}

// Judge decides uses by a table. It holds the table's rules, read once.
type Judge struct {
	t     Table
	allow []rule
	rules []restriction
	// Resolve follows the links of an absolute path as far as it exists; nil
	// judges paths by their text alone.
	Resolve func(path string) string
}

type restriction struct {
	rule
	Rule
}

// NewJudge reads the rules of a table.
func NewJudge(t Table) (*Judge, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	j := &Judge{t: t}
	for _, a := range t.Allow {
		r, err := parseRule(a)
		if err != nil {
			return nil, err
		}
		j.allow = append(j.allow, r)
	}
	for _, text := range t.Rules {
		r, err := parseRule(text.Rule)
		if err != nil {
			return nil, err
		}
		j.rules = append(j.rules, restriction{r, text})
	}
	return j, nil
}

// Evaluate judges one use by a table.
func Evaluate(t Table, u Use) (Ruling, error) {
	j, err := NewJudge(t)
	if err != nil {
		return Ruling{}, err
	}
	return j.Decide(u), nil
}

// Decide judges one use. What is missing or cannot be read is refused. POL-06
func (j *Judge) Decide(u Use) Ruling {
	if j.isVerb(u.Tool) {
		return Ruling{Decision: Allow, Rule: u.Tool, Reason: "a verb every unit has"}
	}
	var in map[string]json.RawMessage
	if err := json.Unmarshal(u.Input, &in); err != nil || in == nil {
		return denied("the input of " + u.Tool + " is not an object")
	}
	var out Ruling
	switch {
	case u.Tool == "Bash":
		out = j.bash(u, in)
	case isPathTool(u.Tool):
		out = j.file(u, in)
	default:
		out = j.other(u, in)
	}
	if slices.Contains(spawners, u.Tool) && out.Decision == Allow {
		out = j.spawn(in)
	}
	return out
}

// isVerb knows a verb by the configured name of wf's own server alone. MODE-12
func (j *Judge) isVerb(tool string) bool {
	verb, _ := strings.CutPrefix(tool, "mcp__wf__")
	return slices.Contains(j.t.Verbs, verb)
}

func (j *Judge) folder(u Use) string {
	if strings.HasPrefix(u.Cwd, "/") {
		return path.Clean(u.Cwd)
	}
	return j.t.Worktree
}

// text is a parameter that must be a text.
func text(in map[string]json.RawMessage, name string) (value string, there bool, err error) {
	raw, there := in[name]
	if !there || string(raw) == "null" {
		return "", false, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return "", true, fmt.Errorf("%s is not a text", name)
	}
	return value, true, nil
}

// file judges tools that name one path.
func (j *Judge) file(u Use, in map[string]json.RawMessage) Ruling {
	param := toolParams[u.Tool][0]
	name, there, err := text(in, param)
	if err != nil || strings.ContainsRune(name, 0) {
		return denied(fmt.Sprintf("the %s of %s cannot be read", param, u.Tool))
	}
	if name == "" && (param != "path" || there) {
		return denied(fmt.Sprintf("%s is without its %s", u.Tool, param))
	}
	dir := j.folder(u)
	if name == "" {
		name = "."
	}
	places := []place{j.t.placeOf(dir, j.t.home(name))}
	for _, extra := range searched(u.Tool, in) {
		places = append(places, j.t.placeOf(places[0].path, extra))
	}
	return j.path(u.Tool, places, in)
}

// searched are further paths that Grep and Glob are pointed at.
func searched(tool string, in map[string]json.RawMessage) []string {
	key := map[string]string{"Grep": "glob", "Glob": "pattern"}[tool]
	if key == "" {
		return nil
	}
	if p, there, err := text(in, key); there && err == nil && p != "" {
		return []string{p}
	}
	return nil
}

// path judges one tool on one file. All the names of the place are held
// against what is forbidden; each must be allowed.
func (j *Judge) path(tool string, places []place, in map[string]json.RawMessage) Ruling {
	if j.Resolve != nil {
		for _, p := range slices.Clone(places) {
			if real := j.Resolve(p.path); real != p.path {
				places = append(places, j.t.at(real))
			}
		}
	}
	out := j.forbidden(tool, in, func(r rule) bool {
		return slices.ContainsFunc(places, func(p place) bool { return r.forbidsPath(p) || p.rel != "" && r.mayMeet(p.rel) })
	})
	if slices.Contains(writers, tool) {
		for _, p := range places {
			if r := j.writes(p); out.Decision == "" || r.stronger(out) {
				out = r
			}
		}
	}
	if out.Decision != "" && out.Decision != Allow {
		return out
	}
	if slices.Contains(writers, tool) && !slices.ContainsFunc(places, func(p place) bool { return !p.own }) {
		return Ruling{Decision: Allow, Reason: "a folder of the unit's own"}
	}
	for _, r := range j.allow {
		if r.names(tool) && j.covers(r, places, in) {
			return Ruling{Decision: Allow, Rule: r.text}
		}
	}
	return j.absent(tool)
}

func (j *Judge) covers(r rule, places []place, in map[string]json.RawMessage) bool {
	switch {
	case r.param != "":
		return r.allowsParam(in)
	case r.pattern == "":
		return true
	}
	return !slices.ContainsFunc(places, func(p place) bool { return !r.allowsPath(p) })
}

// writes is the scope: what the unit may change.
func (j *Judge) writes(p place) Ruling {
	switch {
	case p.own:
		return Ruling{Decision: Allow}
	case p.rel == "":
		return denied(p.path + " is outside of the unit's worktree")
	case p.rel == ".git" || strings.HasPrefix(p.rel, ".git/"):
		return denied("git's own files are not a unit's to change")
	case len(j.t.Writes) == 0:
		return denied("this unit only reads; it writes in its exchange folder")
	case !anyGlob(j.t.Writes, p.rel):
		return denied(p.rel + " is outside of the ticket's scope: " + strings.Join(j.t.Writes, ", "))
	}
	return Ruling{Decision: Allow}
}

// forbidden gives the strongest restriction on a use.
func (j *Judge) forbidden(tool string, in map[string]json.RawMessage, matches func(rule) bool) Ruling {
	var out Ruling
	for _, r := range j.rules {
		if !r.names(tool) {
			continue
		}
		hit := r.pattern == "" && r.param == ""
		switch {
		case hit:
		case r.param != "":
			hit = r.forbidsParam(in)
		default:
			hit = matches(r.rule)
		}
		if found := r.ruling(); hit && (out.Decision == "" || found.stronger(out)) {
			out = found
		}
	}
	return out
}

func (r restriction) ruling() Ruling {
	return Ruling{Decision: r.Decision, Rule: r.Rule.Rule, Layer: r.Layer, Reason: r.Reason}
}

// forbidsParam: a parameter that the tool does not have, or whose value is no
// plain value, is held to be the forbidden one. POL-06, POL-09
func (r rule) forbidsParam(in map[string]json.RawMessage) bool {
	value, there, plain := r.value(in)
	return !r.known || !plain || there && meets(r.pattern, value)
}

func (r rule) allowsParam(in map[string]json.RawMessage) bool {
	value, there, plain := r.value(in)
	return r.known && plain && there && wild(r.pattern, value)
}

func (r rule) value(in map[string]json.RawMessage) (value string, there, plain bool) {
	if r.tool == "WebFetch" && r.param == "domain" {
		return domain(in)
	}
	raw, there := in[r.param]
	if !there || string(raw) == "null" {
		return "", false, true
	}
	if json.Unmarshal(raw, &value) == nil {
		return value, true, true
	}
	value = string(raw)
	_, err := strconv.ParseFloat(value, 64)
	return value, true, err == nil || value == "true" || value == "false"
}

func domain(in map[string]json.RawMessage) (value string, there, plain bool) {
	text, there, err := text(in, "url")
	u, bad := url.Parse(text)
	if err != nil || bad != nil || !there || u.Hostname() == "" {
		return "", there, false
	}
	return strings.ToLower(u.Hostname()), true, true
}

// other judges tools of which wf knows parameters only, or nothing.
func (j *Judge) other(u Use, in map[string]json.RawMessage) Ruling {
	primary := ""
	if params := toolParams[u.Tool]; len(params) > 0 {
		primary = params[0]
	}
	value, there, err := text(in, primary)
	out := j.forbidden(u.Tool, in, func(r rule) bool {
		if primary == "" {
			return true // what the pattern is about is not known
		}
		return err != nil || there && wild(r.pattern, value)
	})
	if out.Decision != "" {
		return out
	}
	for _, r := range j.allow {
		switch {
		case !r.names(u.Tool):
		case r.param != "" && r.allowsParam(in), r.param == "" && r.pattern == "", r.param == "" && there && err == nil && wild(r.pattern, value):
			return Ruling{Decision: Allow, Rule: r.text}
		}
	}
	return j.absent(u.Tool)
}

func (j *Judge) absent(tool string) Ruling {
	for _, r := range j.allow {
		if r.names(tool) {
			return denied(fmt.Sprintf("%s is allowed for other uses only", tool))
		}
	}
	return denied(tool + " is not among the tools of this role")
}

// spawn judges a subagent before it starts: with another model than the role's,
// a wider permission mode or tools beyond its parent's it would be a way
// around the table. POL-18
func (j *Judge) spawn(in map[string]json.RawMessage) Ruling {
	model, there, err := text(in, "model")
	if err != nil || there && model != "" && model != "inherit" && !slices.Contains(j.t.Models, model) {
		return denied(fmt.Sprintf("a subagent may not use another model (%s) than its parent", model))
	}
	for _, key := range []string{"mode", "permission_mode"} {
		mode, there, err := text(in, key)
		if err != nil || there && !slices.Contains([]string{"", "default", "plan", "dontAsk"}, mode) {
			return denied(fmt.Sprintf("a subagent may not have a wider permission mode (%s) than its parent", mode))
		}
	}
	for _, key := range []string{"tools", "allowed_tools", "allowedTools"} {
		raw, there := in[key]
		var tools []string
		if there && (json.Unmarshal(raw, &tools) != nil || slices.ContainsFunc(tools, func(t string) bool { return !slices.Contains(j.t.Allow, t) && !j.isVerb(t) })) {
			return denied("a subagent may not have tools its parent does not have")
		}
	}
	return Ruling{Decision: Allow}
}
