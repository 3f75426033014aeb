package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// commandWord is one word of a command that runs without a shell. Its quotes are
// gone; from tells where each byte stood in the text, and is nil where they
// stood together, from first on.
type commandWord struct {
	text  string
	first int
	from  []int
}

// place is where a byte of the word stood in the text.
func (w commandWord) place(i int) int {
	if w.from == nil {
		return w.first + i
	}
	return w.from[i]
}

// add takes text[start:end] into the word; a word in one piece stays a part of the text.
func (w *commandWord) add(text string, start, end int) {
	switch {
	case w.text == "":
		w.text, w.first = text[start:end], start
		return
	case w.from == nil && w.first+len(w.text) == start:
		w.text = text[w.first:end]
		return
	case w.from == nil:
		for i := range len(w.text) {
			w.from = append(w.from, w.first+i)
		}
	}
	w.text += text[start:end]
	for i := start; i < end; i++ {
		w.from = append(w.from, i)
	}
}

// shellSign is a place in the text where a shell would do something.
type shellSign struct {
	start, end int
	what       string
}

// splitter cuts a command as a shell would, and only that: blanks part words,
// quotes and backslashes keep them together, ${{ }} stays inside its word.
type splitter struct {
	text  string
	words []commandWord
	word  commandWord
	open  bool // a word has begun, perhaps an empty quoted one
	signs []shellSign
	quote byte // 0, ' or "
	since int  // where the quote opened
}

func splitCommand(text string) *splitter {
	s := &splitter{text: text}
	for i := 0; i < len(text); {
		i = s.step(i)
	}
	s.close()
	if s.quote != 0 {
		s.signs = append(s.signs, shellSign{s.since, s.since + 1, "a quote that is not closed"})
	}
	return s
}

func (s *splitter) step(i int) int {
	c := s.text[i]
	switch {
	case strings.HasPrefix(s.text[i:], "${{"):
		end := islandEnd(s.text, i)
		s.take(i, end)
		return end
	case s.quote != 0:
		return s.quoted(i)
	case c == '\'' || c == '"':
		s.quote, s.since, s.open = c, i, true
	case c == '\\' && i+1 < len(s.text):
		s.take(i+1, i+2)
		return i + 2
	case c == ' ' || c == '\t' || c == '\n':
		s.close()
		if c == '\n' && len(s.words) > 0 && strings.TrimSpace(s.text[i:]) != "" {
			s.signs = append(s.signs, shellSign{i, i + 1, "the line break"})
		}
	default:
		return s.bare(i)
	}
	return i + 1
}

func (s *splitter) quoted(i int) int {
	c := s.text[i]
	switch {
	case c == s.quote:
		s.quote = 0
	case s.quote == '"' && c == '\\' && i+1 < len(s.text) && strings.IndexByte("\"\\$`", s.text[i+1]) >= 0:
		s.take(i+1, i+2)
		return i + 2
	case s.quote == '"' && (c == '$' || c == '`'):
		s.sign(i, 1)
		s.take(i, i+1)
	default:
		s.take(i, i+1)
	}
	return i + 1
}

func (s *splitter) bare(i int) int {
	if n := signLength(s.text[i:]); n > 0 {
		s.sign(i, n)
		s.take(i, i+n)
		return i + n
	}
	s.take(i, i+1)
	return i + 1
}

// signLength is the length of the shell's sign at the start of the text, 0 where there is none.
func signLength(text string) int {
	for _, sign := range []string{"&&", "||", ">>", "<<", "$(", "|", "&", ";", "<", ">", "$", "`"} {
		if strings.HasPrefix(text, sign) {
			return len(sign)
		}
	}
	return 0
}

func (s *splitter) sign(i, n int) {
	s.signs = append(s.signs, shellSign{i, i + n, "`" + s.text[i:i+n] + "`"})
}

func (s *splitter) take(start, end int) {
	s.open = true
	s.word.add(s.text, start, end)
}

func (s *splitter) close() {
	if s.open {
		s.words = append(s.words, s.word)
	}
	s.word, s.open = commandWord{}, false
}

// islandEnd is behind the }} of the expression at i, or the end of the text.
func islandEnd(text string, i int) int {
	var quote byte
	braces := 0
	for j := i + len("${{"); j < len(text); j++ {
		c := text[j]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				j++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			braces++
		case c == '}' && braces > 0:
			braces--
		case c == '}' && j+1 < len(text) && text[j+1] == '}':
			return j + 2
		}
	}
	return len(text)
}

var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`) })

// command reads run: into words.
func (d *decoder) command(n *syntax.Node, sc *scopes) []Scalar {
	s := splitCommand(n.Value)
	f := field(ownerGate, "run")
	if len(s.signs) > 0 {
		sign := s.signs[0]
		d.add(codeShellSign, n.RangeAt(sign.start, sign.end), fmt.Sprintf("`run` is split into words and started without a shell; %s would be passed on as it stands.", sign.what), "Add `shell: bash` (values then come through `env:`), or put the text in single quotes.")
	}
	if len(s.words) == 0 {
		d.add(codeEmpty, n.Range, "`run` has no words.", "Write a command, as in `run: go test ./...`.")
	}
	argv := slices.Grow([]Scalar(nil), len(s.words))
	for i, w := range s.words {
		if i == 0 && assignment().MatchString(w.text) && len(s.signs) == 0 {
			d.add(codeShellSign, w.at(n, 0, len(w.text)), fmt.Sprintf("`%s` sets a variable in a shell; here it would be the program's name.", w.text), "Move it to `env:`.")
		}
		argv = append(argv, d.commandWord(n, w, f, sc))
	}
	return argv
}

// at gives the place of the word's bytes.
func (w commandWord) at(n *syntax.Node, start, end int) diag.Range {
	size := len(w.text)
	if size == 0 {
		return n.Range
	}
	start, end = min(max(start, 0), size), min(max(end, start), size)
	from := w.place(min(start, size-1))
	if start == size {
		from++
	}
	to := from
	if end > start {
		to = w.place(end-1) + 1
	}
	return n.RangeAt(from, to)
}

func (d *decoder) commandWord(n *syntax.Node, w commandWord, f FieldDoc, sc *scopes) Scalar {
	at := func(start, end int) diag.Range { return w.at(n, start, end) }
	s := Scalar{Type: f.typ, Range: at(0, len(w.text)), Set: true, Scope: sc.of(f)}
	if strings.HasPrefix(w.text, "${{") {
		s.Type = expr.Type{}
	}
	quotedNode := &syntax.Node{Kind: syntax.Scalar, Style: syntax.DoubleQuoted, Value: w.text, Range: s.Range}
	before := len(d.found)
	s = d.parsed(quotedNode, w.text, at, f, s)
	if len(d.found) == before && strings.HasPrefix(w.text, "${{") {
		d.dashWord(w, s, at)
	}
	s.Type = f.typ
	return s
}

// dashWord refuses a word whose expression could make it a flag.
func (d *decoder) dashWord(w commandWord, s Scalar, at func(start, end int) diag.Range) {
	end := islandEnd(w.text, 0)
	t := s.Checked.Type
	if end < len(w.text) {
		island, _ := expr.Parse(w.text[:end], at)
		checked, found := island.Check(*s.Scope, expr.Type{})
		if found.HasErrors() {
			return
		}
		t = checked.Type
	}
	if !t.Kind.Scalar() || t.Optional {
		d.add(codeWrongShape, at(0, end), fmt.Sprintf("The word is of type %s; a word of a command is one value.", t), "Use a value of a scalar type.")
		return
	}
	if s.Known && !strings.HasPrefix(textOf(s.Value), "-") || !mayBeginWithDash(t) {
		return
	}
	hint := "Put text before it, as in `--name=${{ … }}`, or give the value through `env:`."
	if t.Kind == expr.Path {
		hint = "Put `./` before it, as in `./${{ … }}`."
	}
	d.add(codeDashWord, at(0, end), fmt.Sprintf("A value of type %s may begin with `-`, and the program would read the word as a flag.", t), hint)
}

func textOf(v expr.Value) string {
	text, _ := v.Text()
	return text
}

func mayBeginWithDash(t expr.Type) bool {
	switch t.Kind {
	case expr.Int, expr.Number:
		return t.Limits.Min == nil || *t.Limits.Min < 0
	case expr.Enum:
		return slices.ContainsFunc(t.Enum, func(m string) bool { return strings.HasPrefix(m, "-") })
	case expr.String, expr.Path, expr.Glob, expr.JSON:
		return true
	}
	return false
}
