package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// command is one simple command of a script, as far as it can be told before
// the script runs.
type command struct {
	words   []word
	assigns []assign
	dir     string // where it runs; "" where that cannot be told
	stdin   string // what a here-document gives it
	fed     bool   // its standard input is a here-document that is known
}

type assign struct{ name, value string } // value may hold unknown

// write is a redirection that writes.
type write struct {
	target word
	dir    string
}

// script is everything a shell text does, flattened: whatever the control
// flow, each command is judged as if it ran.
type script struct {
	commands []command
	writes   []write
	reads    []write // redirections that read
}

// maxDepth bounds scripts inside scripts: sh -c "sh -c …".
const maxDepth = 8

var errDepth = errors.New("it hides commands in commands too deeply")

// reader walks a shell text.
type reader struct {
	table  Table
	out    *script
	dir    string
	saved  []string // dir at the start of each node under way
	shadow map[string]bool
}

// readScript parses a shell text that starts in dir. What a real shell parser
// cannot read is not judged, and so refused.
func (t Table) readScript(text, dir string) (script, error) {
	var out script
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return out, fmt.Errorf("the command cannot be parsed: %w", err)
	}
	r := &reader{table: t, out: &out, dir: dir, shadow: map[string]bool{}}
	syntax.Walk(f, r.shadows)
	syntax.Walk(f, r.visit)
	return out, nil
}

// shadows notes which variables the text sets by itself.
func (r *reader) shadows(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil {
			r.shadow[n.Name.Value] = true
		}
	case *syntax.WordIter:
		r.shadow[n.Name.Value] = true
	case *syntax.CallExpr:
		if len(n.Args) > 1 && slices.Contains([]string{"read", "mapfile", "readarray", "getopts", "printf"}, n.Args[0].Lit()) {
			for _, a := range n.Args[1:] {
				r.shadow[a.Lit()] = true
			}
		}
	}
	return true
}

// visit is called for each node before, and with nil after, its children.
func (r *reader) visit(n syntax.Node) bool {
	if n == nil {
		r.leave()
		return true
	}
	r.saved = append(r.saved, r.dir)
	switch n := n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
		r.saved[len(r.saved)-1] = keep + r.dir // what it does to dir ends with it
	case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.FuncDecl:
		r.saved[len(r.saved)-1] = maybe + r.dir
	case *syntax.BinaryCmd:
		if n.Op != syntax.AndStmt {
			r.saved[len(r.saved)-1] = maybe + r.dir
		}
	case *syntax.Stmt:
		r.statement(n)
	case *syntax.DeclClause:
		r.declare(n)
	}
	return true
}

// Marks in reader.saved. A folder begins with a slash or is "".
const (
	keep  = "k"
	maybe = "m"
)

func (r *reader) leave() {
	last := r.saved[len(r.saved)-1]
	r.saved = r.saved[:len(r.saved)-1]
	switch {
	case strings.HasPrefix(last, keep):
		r.dir = last[1:]
	case strings.HasPrefix(last, maybe) && last[1:] != r.dir:
		r.dir = "" // whether it went there cannot be told
	}
}

// statement takes a simple command with its redirections.
func (r *reader) statement(s *syntax.Stmt) {
	call, isCall := s.Cmd.(*syntax.CallExpr)
	c := command{dir: r.dir}
	for _, d := range s.Redirs {
		r.redirect(d, &c)
	}
	if !isCall {
		return
	}
	for _, a := range call.Assigns {
		c.assigns = append(c.assigns, r.assign(a))
	}
	for _, w := range call.Args {
		c.words = append(c.words, r.word(w)...)
	}
	r.out.commands = append(r.out.commands, c)
	r.move(c.words)
}

func (r *reader) assign(a *syntax.Assign) assign {
	out := assign{value: unknown}
	if a.Name != nil {
		out.name = a.Name.Value
	}
	if a.Value != nil {
		out.value = r.text(a.Value).text
	}
	return out
}

// declare is export, local, declare: its assignments count like a prefix.
func (r *reader) declare(d *syntax.DeclClause) {
	c := command{dir: r.dir, words: []word{{text: d.Variant.Value}}}
	for _, a := range d.Args {
		c.assigns = append(c.assigns, r.assign(a))
	}
	r.out.commands = append(r.out.commands, c)
}

// move follows cd, pushd and popd.
func (r *reader) move(words []word) {
	if len(words) == 0 {
		return
	}
	switch words[0].text {
	case "cd", "pushd":
		args := slices.DeleteFunc(slices.Clone(words[1:]), func(w word) bool { return isOption(w.text) || w.text == "--" })
		if len(args) != 1 || !args[0].known() || r.dir == "" || args[0].text == "-" {
			r.dir = ""
			return
		}
		r.dir = r.table.placeOf(r.dir, r.table.home(args[0].text)).path
	case "popd":
		r.dir = ""
	}
}

func (r *reader) redirect(d *syntax.Redirect, c *command) {
	switch d.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if d.Hdoc != nil {
			c.stdin = r.text(d.Hdoc).text
			c.fed = !strings.Contains(c.stdin, unknown)
		}
		return
	case syntax.WordHdoc:
		c.stdin = r.text(d.Word).text
		c.fed = !strings.Contains(c.stdin, unknown)
		return
	}
	w := r.text(d.Word)
	switch d.Op {
	case syntax.RdrIn:
		r.out.reads = append(r.out.reads, write{w, r.dir})
	case syntax.DplIn, syntax.DplOut:
		// >&2 duplicates a descriptor; >&file writes a file.
		if strings.Trim(w.text, "0123456789-") != "" {
			r.out.writes = append(r.out.writes, write{w, r.dir})
		}
	default: // >, >>, >|, <>, &>, &>>
		r.out.writes = append(r.out.writes, write{w, r.dir})
	}
}

// word gives the arguments one word of the text becomes.
func (r *reader) word(w *syntax.Word) []word {
	var out []word
	for _, one := range expandBraces(w) {
		out = append(out, r.text(one))
	}
	return out
}

// expandBraces is the shell's own: rm -{r,f} x. A sequence or many braces are
// left to be unknown: expanding them could take all memory.
func expandBraces(w *syntax.Word) []*syntax.Word {
	if lit := literals(w); strings.Contains(lit, "..") || strings.Count(lit, "{") > 4 || strings.Count(lit, ",") > 32 {
		return []*syntax.Word{w}
	}
	// A copy: the tree is still being walked.
	c := &syntax.Word{Parts: slices.Clone(w.Parts)}
	for i, p := range c.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			same := *lit
			c.Parts[i] = &same
		}
	}
	if !syntax.SplitBraces(c) {
		return []*syntax.Word{w}
	}
	var out []*syntax.Word
	for one, err := range expand.BracesSeq(nil, c) {
		if err != nil {
			return []*syntax.Word{w} // too many: left to be unknown
		}
		out = append(out, one)
	}
	return out
}

func literals(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}

// text gives a word's text without its quotes. What only the shell knows is
// unknown; $HOME and the like are known where the text does not set them.
func (r *reader) text(w *syntax.Word) word {
	if w == nil {
		return word{text: unknown}
	}
	out := word{quoted: true}
	var b strings.Builder
	for _, p := range w.Parts {
		r.part(&b, &out, p)
	}
	out.text = b.String()
	if strings.Count(out.text, unknown) > 0 && len(out.text) > 4096 {
		out.text = unknown
	}
	return out
}

func (r *reader) part(b *strings.Builder, out *word, p syntax.WordPart) {
	switch p := p.(type) {
	case *syntax.Lit:
		if open := strings.IndexByte(p.Value, '{'); open >= 0 && strings.Contains(p.Value[open:], "..") {
			out.quoted = false // a sequence can make several words of it
			b.WriteString(unescape(p.Value[:open]) + unknown)
			return
		}
		b.WriteString(unescape(p.Value))
	case *syntax.SglQuoted:
		b.WriteString(singleQuoted(p))
	case *syntax.DblQuoted:
		for _, q := range p.Parts {
			if lit, ok := q.(*syntax.Lit); ok {
				b.WriteString(unescapeDouble(lit.Value))
				continue
			}
			b.WriteString(r.value(q))
		}
	default:
		text := r.value(p)
		if strings.Contains(text, unknown) {
			out.quoted = false
		}
		b.WriteString(text)
	}
}

// value is what an expansion becomes.
func (r *reader) value(p syntax.WordPart) string {
	e, ok := p.(*syntax.ParamExp)
	if !ok || !plain(e) || r.shadow[e.Param.Value] {
		return unknown
	}
	if e.Param.Value == "PWD" && r.dir != "" {
		return r.dir
	}
	for _, v := range r.table.Vars {
		if v.Name == e.Param.Value {
			return v.Value
		}
	}
	return unknown
}

// plain reports whether the expansion is $name or ${name}.
func plain(e *syntax.ParamExp) bool {
	return e.Param != nil && e.Flags == nil && !e.Excl && !e.Length && !e.Width && !e.IsSet && e.NestedParam == nil &&
		e.Index == nil && len(e.Modifiers) == 0 && e.Slice == nil && e.Repl == nil && e.Names == 0 && e.Exp == nil
}

// home expands a leading tilde.
func (t Table) home(path string) string {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path
	}
	for _, v := range t.Vars {
		if v.Name == "HOME" {
			return v.Value + path[1:]
		}
	}
	return path
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unescapeDouble(s string) string {
	for _, c := range []string{`\`, `"`, `$`, "`"} {
		if strings.Contains(s, `\`) && c != `\` {
			s = strings.ReplaceAll(s, `\`+c, c)
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\\\n", ""), `\\`, `\`)
}

// singleQuoted is 'text', or $'text' with escapes, which are then not told.
func singleQuoted(p *syntax.SglQuoted) string {
	if p.Dollar && strings.Contains(p.Value, `\`) {
		return unknown
	}
	return p.Value
}
