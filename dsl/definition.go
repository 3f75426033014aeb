package dsl

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// definition fills a role from an agent definition, as teams have them under
// .claude/agents: front matter between `---` lines, instructions below. What
// the role itself says stands; keys wf has no use for are named.
func (d *decoder) definition(r *Role, w word) {
	file, ok := d.definitionFile(w)
	if !ok {
		return
	}
	data, ok := d.read(w.at, file, "role", maxInstructions)
	if !ok {
		return
	}
	r.Uses = file
	front, body, ok := cutFront(data)
	if !ok {
		f := d.add(codeFrontMatter, w.at, fmt.Sprintf("`%s` has no front matter between two `---` lines; all of it is instructions.", file), "Name tools and model in the role, or put the file under `instructions:`.")
		f.Related = []diag.Related{{Range: diag.Range{File: file}, Message: "the file"}}
		body = []byte(strings.TrimPrefix(string(data), "\ufeff"))
	}
	if r.Text == "" {
		r.Text = string(body)
	}
	d.frontMatter(r, file, front)
}

// definitionFile is a path, or a name that the nearest .claude/agents has.
func (d *decoder) definitionFile(w word) (string, bool) {
	if strings.Contains(w.text, "/") || strings.HasSuffix(w.text, ".md") {
		return d.resolve(w, "uses")
	}
	if file, ok := d.nearest(path.Join(".claude/agents", w.text+".md")); ok {
		return file, true
	}
	d.add(codeNoFile, w.at, fmt.Sprintf("No `.claude/agents/%s.md` from here to the root.", w.text), "Name the path of an agent definition.")
	return "", false
}

// cutFront parts front matter and body. The front matter keeps its offsets: what
// stands before it is blanked.
func cutFront(data []byte) (front, body []byte, ok bool) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	skipped := len(data) - len(text)
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t\r") != "---" {
		return nil, nil, false
	}
	begin := skipped + len(first) + 1
	at := begin
	for line := range strings.SplitAfterSeq(rest, "\n") {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			front = append([]byte(strings.Repeat(" ", begin-1)+"\n"), data[begin:at]...)
			return front, data[at+len(line):], true
		}
		at += len(line)
	}
	return nil, nil, false
}

func (d *decoder) frontMatter(r *Role, file string, front []byte) {
	root, found := syntax.Parse(file, front)
	if found.HasErrors() || root == nil || root.Kind != syntax.Mapping {
		root = looseFront(file, front)
	}
	var unused []syntax.Entry
	for _, e := range root.Entries {
		if !d.frontKey(r, e) {
			unused = append(unused, e)
		}
	}
	if len(unused) == 0 {
		return
	}
	var names []string
	for _, e := range unused {
		names = append(names, e.Key.Value)
	}
	d.add(codeForeignKey, unused[0].Key.Range, fmt.Sprintf("wf does not use %s of an agent definition.", joined(quoted(names))), "")
}

// frontKey takes a key of an agent definition; false where wf has no use for it.
func (d *decoder) frontKey(r *Role, e syntax.Entry) bool {
	switch e.Key.Value {
	case "tools":
		if !r.AllowSet {
			r.Allow, r.AllowSet = d.toolList(e.Value), true
		}
	case "disallowedTools":
		r.Deny = append(r.Deny, d.toolList(e.Value)...)
	case "model":
		if !r.Model.Set && e.Value.Kind == syntax.Scalar && e.Value.Value != "inherit" {
			r.Model = foreignScalar(e.Value)
		}
	case "name", "description", "color":
	default:
		return false
	}
	return true
}

// foreignScalar is literal text of a file that is not ours: no expressions in it.
func foreignScalar(n *syntax.Node) Scalar {
	s := constantScalar(strings.ReplaceAll(n.Value, "${{", "$ {{"), expr.Type{Kind: expr.String})
	s.Set, s.Range = true, n.Range
	return s
}

// toolList reads tools as a list or as text with commas outside of brackets.
func (d *decoder) toolList(n *syntax.Node) []Scalar {
	var out []Scalar
	for _, item := range n.Items {
		if item.Kind == syntax.Scalar {
			out = append(out, foreignScalar(item))
		}
	}
	if n.Kind != syntax.Scalar {
		return out
	}
	for _, tool := range splitTools(n.Value) {
		out = append(out, foreignScalar(&syntax.Node{Kind: syntax.Scalar, Value: tool, Range: n.Range}))
	}
	return out
}

func splitTools(text string) []string {
	var out []string
	depth, start := 0, 0
	cut := func(end int) {
		if tool := strings.TrimSpace(text[start:end]); tool != "" {
			out = append(out, tool)
		}
		start = end + 1
	}
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			cut(i)
		}
	}
	cut(min(len(text), max(start, len(text))))
	return out
}

var frontLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_-]*):[ \t]*(.*?)[ \t\r]*$`) })

// looseFront reads front matter that is no YAML, as many in the wild are (a
// description with `: ` in it): one key a line, the rest belongs to the value above.
func looseFront(file string, front []byte) *syntax.Node {
	root := &syntax.Node{Kind: syntax.Mapping, Range: diag.Range{File: file}}
	offset := 0
	known := append(fieldNames(ownerDefinition), "allowed-tools", "permissionMode", "hooks", "skills", "mcpServers", "memory", "effort", "maxTurns")
	for i, line := range strings.Split(string(front), "\n") {
		m := frontLine().FindStringSubmatch(line)
		if m != nil && slices.Contains(known, m[1]) {
			at := func(column int, text string) diag.Range {
				return diag.Range{File: file, Start: diag.Pos{Line: i + 1, Column: column + 1, Offset: offset + column}, End: diag.Pos{Line: i + 1, Column: column + 1 + len([]rune(text)), Offset: offset + column + len(text)}}
			}
			value := strings.Trim(m[2], `"'`)
			root.Entries = append(root.Entries, syntax.Entry{
				Key:   &syntax.Node{Kind: syntax.Scalar, Value: m[1], Range: at(0, m[1])},
				Value: &syntax.Node{Kind: syntax.Scalar, Value: value, Range: at(strings.Index(line, m[2]), m[2])},
			})
		}
		offset += len(line) + 1
	}
	return root
}
