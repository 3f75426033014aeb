package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// What people of other tools write, and what they mean by it here. Keys that
// have one counterpart stand in synonyms (suggest.go).

// foreign are keys of other tools that have no counterpart, and what to do instead.
var foreign = map[string]string{
	"runs-on": "Remove it: units and gates run where wf runs.", "container": "Remove it: the role's `sandbox` confines units.",
	"steps": "What agents do one after the other are stages of a `pipeline`; a command that checks is a gate.",
	"on":    "Remove it: a run begins with `wf apply`.", "schedule": "Remove it: a run begins with `wf apply`.", "triggers": "Remove it: a run begins with `wf apply`.",
	"continue-on-error": "Remove it: `needs: [{ticket: NAME, until: settled}]` waits for a ticket whatever becomes of it.",
	"continue_on_error": "Remove it: `needs: [{ticket: NAME, until: settled}]` waits for a ticket whatever becomes of it.",
	"retries":           "Remove it: `limits.bounces` says how often refused work goes back.", "retry": "Remove it: `limits.bounces` says how often refused work goes back.",
	"temperature": "Remove it: what a model is asked with is the agent program's own.", "permissions": "Remove it: a role's `mode` and `tools` say what it may do.",
	"secrets": "Declare each under `inputs:` as `NAME: {type: string, secret: true}`, and name it in a role's `secrets`.", "required": "Remove it: an input without `default` must be given.",
	"include": includeHint, "includes": includeHint, "import": includeHint, "imports": includeHint, "extends": includeHint,
	"values": enumHint, "options": enumHint, "choices": enumHint, "enum": enumHint, "properties": "Name a record under `types:`, as `NAME: {fields: {…}}`, and use its name as the type.",
	"strategy": "Write `matrix:` or `for_each:` on the ticket itself.",
}

const (
	includeHint = "A ticket stands for another workflow: `NAME: {uses: ./OTHER.wf.yaml, with: {INPUT: value}}` under `tickets:`."
	enumHint    = "The members stand in the type: `type: enum<A,B>`."
)

// meantTypes are words of other languages for types; those that are none of ours say what to do.
var meantTypes = map[string]string{
	"integer": "int", "int32": "int", "int64": "int", "long": "int", "uint": "int", "str": "string", "text": "string", "char": "string", "boolean": "bool",
	"float": "number", "float64": "number", "double": "number", "decimal": "number", "numeric": "number", "file": "path", "filename": "path", "uri": "url", "any": "json",
}

// typeHints are for words that need a type of the author's own.
var typeHints = map[string]string{
	"object": recordHint, "dict": recordHint, "record": recordHint, "struct": recordHint, "hash": recordHint,
	"array": "Write `list<T>` with the type of its entries, as `list<string>`.", "list": "Write the type of its entries, as `list<string>`.", "map": "Write the type of its values, as `map<string>`.",
	"date": "Write `string`, with a `pattern` if the form matters.", "datetime": "Write `string`, with a `pattern` if the form matters.", "timestamp": "Write `string`, with a `pattern` if the form matters.",
}

const recordHint = "Name a record under `types:`, as `NAME: {fields: {…}}`, and use its name as the type."

// meantWords are words of other tools for the words of a field, by field.
var meantWords = map[string]map[string]string{
	"mode":   {"write": "chat", "edit": "chat", "code": "chat", "agent": "chat", "build": "chat", "read": "review", "readonly": "review", "read-only": "review", "read_only": "review", "judge": "review", "qa": "review", "planning": "plan", "orchestrator": "orchestrate"},
	"writes": {"yes": "scope", "true": "scope", "all": "scope", "no": "none", "false": "none"},
	"until":  {"always": "settled", "finished": "settled", "success": "done", "succeeded": "done"},
	"hold":   {"true": "operator", "yes": "operator", "manual": "operator", "human": "operator"},
}

// routes are other tools' words for where a verdict leads.
var meantRoutes = map[string]string{"finish": ToDone, "finished": ToDone, "end": ToDone, "merge": ToDone, "success": ToDone, "complete": ToDone, "continue": ToNext, "stop": ToPark, "fail": ToPark, "failed": ToPark, "human": ToPark, "operator": ToPark, "wait": ToPark}

// models are the beginnings of names that are a model and no mode.
var models = []string{"sonnet", "opus", "haiku", "claude", "gpt", "gemini", "o1", "o3", "o4", "llama", "mistral", "qwen"}

// meantWord is the word of a field that a foreign one stands for, or what to do instead.
func meantWord(f FieldDoc, text string) (near, hint string) {
	lower := strings.ToLower(text)
	if w := meantWords[f.Name][lower]; w != "" && slices.Contains(f.Words, w) {
		return w, ""
	}
	if f.Name == "mode" && slices.ContainsFunc(models, func(m string) bool { return strings.HasPrefix(lower, m) }) {
		return "", fmt.Sprintf("`%s` is a model: write `model: %s`, and a mode such as `mode: review`.", text, text)
	}
	return "", ""
}

// meantValue spells a constant as its type wants it: yes as true, 40$ as 40 USD,
// 2 hours as 2h; "" where that is not clear.
func meantValue(text string, t expr.Type) string {
	switch t.Kind {
	case expr.Bool:
		return meantBool(text)
	case expr.Money:
		return meantMoney(text)
	case expr.Duration:
		return meantDuration(text)
	case expr.Int:
		if plain := strings.NewReplacer(",", "", "_", "").Replace(text); plain != text && isDigits(plain) {
			return plain
		}
	case expr.Enum:
		if lower := strings.ToLower(text); lower != text && slices.Contains(t.Enum, lower) {
			return lower
		}
	}
	return ""
}

func meantBool(text string) string {
	switch strings.ToLower(text) {
	case "yes", "on", "y", "true", "1":
		return "true"
	case "no", "off", "n", "false", "0":
		return "false"
	}
	return ""
}

func meantMoney(text string) string {
	lower := strings.ToLower(strings.ReplaceAll(text, ",", ""))
	for _, word := range []string{"us$", "usd", "dollars", "dollar", "bucks", "$"} {
		if strings.Contains(lower, word) {
			lower = strings.Replace(lower, word, "", 1)
			break
		}
	}
	if number := strings.TrimSpace(lower); isAmount(number) {
		return number + " USD"
	}
	return ""
}

// spans are the words for units of time, in seconds of the letter that stands for them.
var spans = []struct {
	words  []string
	letter string
	times  int
}{
	{[]string{"s", "sec", "secs", "second", "seconds"}, "s", 1},
	{[]string{"m", "min", "mins", "minute", "minutes"}, "m", 1},
	{[]string{"h", "hr", "hrs", "hour", "hours"}, "h", 1},
	{[]string{"d", "day", "days"}, "h", 24},
	{[]string{"w", "week", "weeks"}, "h", 7 * 24},
}

func meantDuration(text string) string {
	number := strings.TrimRight(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz ")
	unit := strings.TrimSpace(strings.ToLower(text)[len(number):])
	if !isDigits(number) || len(number) > 6 {
		return ""
	}
	for _, s := range spans {
		if slices.Contains(s.words, unit) {
			n := 0
			for _, c := range number {
				n = n*10 + int(c-'0')
			}
			return fmt.Sprintf("%d%s", n*s.times, s.letter)
		}
	}
	return ""
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isAmount(s string) bool {
	whole, part, dotted := strings.Cut(s, ".")
	return isDigits(whole) && (!dotted || isDigits(part))
}

// formHints show how a value of a kind is written, where what was meant is not clear.
var formHints = map[expr.Kind]string{
	expr.Int: "Write a whole number, as `4`.", expr.Number: "Write a number, as `2.5`.", expr.Bool: "Write `true` or `false`.",
	expr.Money: "Write an amount, as `2.50 USD`.", expr.Duration: "Write a time, as `30s`, `10m` or `1h30m`.",
	expr.Path: "Write it from the root of the repository, as `docs/a.md`.", expr.Glob: "Write it from the root of the repository, as `docs/**`.",
}

// respelt offers a constant as its type wants it, and reports whether there is one.
func respelt(f *diag.Finding, n *syntax.Node, text string, t expr.Type) bool {
	if n.Style == syntax.SingleQuoted || n.Style == syntax.DoubleQuoted {
		if _, wrong := expr.FromScalar(text, false, t); len(wrong) == 0 {
			f.Hint = fmt.Sprintf("Write `%s`, without quotes.", text)
			f.Edit = &diag.Edit{Range: n.Range, NewText: text}
			return true
		}
	}
	f.Hint = formHints[t.Kind]
	with := meantValue(text, t)
	if with == "" {
		return false
	}
	if _, wrong := expr.FromScalar(with, false, t); len(wrong) > 0 {
		return false
	}
	f.Hint = fmt.Sprintf("Write `%s`.", with)
	if n.Style <= syntax.DoubleQuoted {
		f.Edit = &diag.Edit{Range: n.Range, NewText: with}
	}
	return true
}

// foreignFile is the tool a workflow was written for that is none of ours; ""
// where it may be ours.
func foreignFile(root *syntax.Node) string {
	if root.Get("wf") != nil || root.Get("tickets") != nil {
		return ""
	}
	switch {
	case root.Get("jobs") != nil && (root.Get("on") != nil || root.Get("true") != nil):
		return "GitHub Actions"
	case root.Get("stages") != nil && root.Get("image") != nil || root.Get("before_script") != nil:
		return "GitLab CI"
	case root.Get("services") != nil && (root.Get("version") != nil || root.Get("volumes") != nil):
		return "Docker Compose"
	case root.Get("apiVersion") != nil && root.Get("kind") != nil:
		return "Kubernetes"
	}
	return ""
}

// inBrackets writes the words of a text as a list.
func inBrackets(text string) string {
	var out []string
	for _, w := range strings.Split(text, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w)+`"`)
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// elsewhere says what a name is that was used as something else; "" where it is nothing.
func (f *facts) elsewhere(name, not string) string {
	_, role := f.roles[name]
	_, pipeline := f.pipelines[name]
	_, ticket := f.tickets[name]
	switch {
	case role && not != "role":
		return "`" + name + "` is a role; "
	case pipeline && not != "pipeline":
		return "`" + name + "` is a pipeline; "
	case ticket && not != "ticket":
		return "`" + name + "` is a ticket; "
	}
	for _, p := range f.w.Pipelines {
		for _, s := range p.Stages {
			if s.Name == name && not != "stage" {
				return fmt.Sprintf("`%s` is a stage of pipeline `%s`; ", name, p.Name)
			}
		}
	}
	return ""
}

// mixedUp puts what a name is before a hint that knows no near one.
func (f *facts) mixedUp(finding diag.Finding, name, not string) diag.Finding {
	if is := f.elsewhere(name, not); is != "" && finding.Edit == nil && finding.Hint != "" {
		finding.Hint = is + strings.ToLower(finding.Hint[:1]) + finding.Hint[1:]
	}
	return finding
}
