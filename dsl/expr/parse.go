package expr

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Bounds of one expression, checked before the library sees it: its parser
// recurses into every bracket and knows no limit.
const (
	maxSource  = 4096 // bytes between ${{ and }}
	maxNesting = 32   // open brackets at one place
	maxNodes   = 2000
)

const open = "${{"

// expression is one ${{ }} of a template.
type expression struct {
	source string // between ${{ and }}
	start  int    // byte offset of source in the scalar
	tree   ast.Node
}

// Parse splits a scalar into text and expressions and parses these. at maps byte
// offsets of text to a range of the file; nil gives zero ranges. Every expression
// is tried. A part that could not be read is left out of later checks, so that
// one mistake gives one finding.
func Parse(text string, at func(start, end int) diag.Range) (Template, diag.Findings) {
	if at == nil {
		at = func(int, int) diag.Range { return diag.Range{} }
	}
	p := templateParser{text: text, at: at}
	p.run()
	return Template{source: text, at: at, parts: p.parts, broken: p.found.HasErrors()}, p.found
}

// Reparse reads a template back from its source, out of a plan: what Parse has
// findings about is an error here.
func Reparse(text string) (Template, error) {
	t, found := Parse(text, nil)
	return t, asError(text, found)
}

// asError turns findings about a template that was checked before into an error.
func asError(text string, found diag.Findings) error {
	for _, f := range found {
		if f.Severity == diag.Error {
			return fmt.Errorf("template %s: %s: %s (%s)", quote(text), f.Summary, f.Detail, f.Code)
		}
	}
	return nil
}

type templateParser struct {
	text  string
	at    func(start, end int) diag.Range
	parts []part
	found diag.Findings
}

func (p *templateParser) run() {
	rest := 0
	for {
		i := strings.Index(p.text[rest:], open)
		if i < 0 {
			p.addText(rest, len(p.text))
			return
		}
		start := rest + i
		p.addText(rest, start)
		end, closed := closing(p.text, start+len(open))
		if !closed {
			p.unclosed(start)
			return
		}
		p.addExpression(start+len(open), end)
		rest = end + len("}}")
	}
}

// lookalike finds the spellings of other tools that authors meant as expressions.
// A $ apart from its braces is the reader's of the file to find.
var lookalike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{\s*(?:inputs|tickets|each|matrix)\.[^}]*\}|\{\{-?\s*(?:inputs|tickets|each|matrix)\.`)
})

func (p *templateParser) addText(start, end int) {
	if start == end {
		return
	}
	text := p.text[start:end]
	p.parts = append(p.parts, part{text: text})
	for _, m := range lookalike().FindAllStringIndex(text, -1) {
		p.found = append(p.found, codeLooksLike.At(p.at(start+m[0], start+m[1]),
			"an expression begins with $ and two braces",
			"write ${{ … }}, or leave it when the text is meant literally"))
	}
}

func (p *templateParser) unclosed(start int) {
	end := len(p.text)
	if i := strings.IndexByte(p.text[start:], '\n'); i >= 0 {
		end = start + i
	}
	p.found = append(p.found, codeUnclosed.At(p.at(start, end),
		"after ${{ no }} follows outside of quotes and braces", `close it with }}; for the characters themselves write ${{ "${{" }}`))
}

// closing finds the }} that ends the expression which starts at from: outside of
// quotes, and not the end of a map literal.
func closing(text string, from int) (end int, ok bool) {
	braces := 0
	for i := from; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'', '`':
			if i = endOfQuote(text, i, c); i < 0 {
				return 0, false
			}
		case '{':
			braces++
		case '}':
			if braces > 0 {
				braces--
			} else if i+1 < len(text) && text[i+1] == '}' {
				return i, true
			}
		}
	}
	return 0, false
}

func endOfQuote(text string, from int, mark byte) int {
	for i := from + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && mark != '`':
			i++
		case text[i] == mark:
			return i
		}
	}
	return -1
}

func (p *templateParser) addExpression(start, end int) {
	e := &expression{source: p.text[start:end], start: start}
	p.parts = append(p.parts, part{expression: e})
	if i := comment(e.source); i >= 0 {
		p.found = append(p.found, codeForbidden.At(p.at(start+i, start+i+2), "an expression has no comments", "write the comment in YAML, after a # on a line of its own"))
		return
	}
	if why := tooLarge(e.source); why != "" {
		p.found = append(p.found, codeTooLarge.At(p.at(start, end), why, "split the work: let a ticket compute the value as a typed output"))
		return
	}
	if strings.TrimSpace(e.source) == "" {
		p.found = append(p.found, codeSyntax.At(p.at(start-len(open), end+len("}}")), "the expression is empty", "write a value between ${{ and }}"))
		return
	}
	tree, err := parseSource(e.source)
	if err != nil {
		p.found = append(p.found, p.syntax(e, err))
		return
	}
	e.tree = tree
}

// comment finds // or /* outside of quotes. A quote inside a comment would hide
// brackets from the count below.
func comment(source string) int {
	for i := 0; i+1 < len(source); i++ {
		switch c := source[i]; {
		case c == '"' || c == '\'' || c == '`':
			if i = endOfQuote(source, i, c); i < 0 {
				return -1
			}
		case c == '/' && (source[i+1] == '/' || source[i+1] == '*'):
			return i
		}
	}
	return -1
}

func tooLarge(source string) string {
	if len(source) > maxSource {
		return fmt.Sprintf("it has %d bytes, the most is %d", len(source), maxSource)
	}
	depth := 0
	for i := 0; i < len(source); i++ {
		switch c := source[i]; c {
		case '"', '\'', '`':
			if i = endOfQuote(source, i, c); i < 0 {
				return ""
			}
		case '(', '[', '{':
			if depth++; depth > maxNesting {
				return fmt.Sprintf("its brackets are nested more than %d deep", maxNesting)
			}
		case ')', ']', '}':
			depth--
		}
	}
	return ""
}

// parseSource calls the library's parser. Its builtins stay known to it, so that
// a forbidden one is named as such; check lets through only those of Functions.
func parseSource(source string) (tree ast.Node, err error) {
	defer recovered(&err)
	config := parseConfig()
	t, err := parser.ParseWithConfig(source, config)
	if err != nil {
		return nil, err
	}
	if t.Node == nil {
		return nil, errors.New("nothing was read")
	}
	return t.Node, nil
}

func parseConfig() *conf.Config {
	return &conf.Config{MaxNodes: maxNodes, DisableIfOperator: true}
}

// recovered turns a panic of the library into an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("expression library: %v", r)
	}
}

func (p *templateParser) syntax(e *expression, err error) diag.Finding {
	from, to, message := 0, len(e.source), err.Error()
	var at *file.Error
	if errors.As(err, &at) {
		from, to, message = at.From, at.To, at.Message
		from, to = e.bytes(from, to)
	}
	code, detail, hint := explainSyntax(message)
	if last := len(strings.TrimRight(e.source, " \t\r\n")) - 1; from > last { // behind the end
		from, to = last, last+1
	}
	return code.At(p.at(e.start+from, e.start+max(to, from+1)), detail, hint)
}

var (
	tokenMessage = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^unexpected token (\w+)(?:\("(.*)"\))?$`) })
	atLeast      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^expected at least (\d+) arguments$`) })
)

func explainSyntax(message string) (code diag.Code, detail, hint string) {
	if strings.Contains(message, "exceeds maximum allowed nodes") {
		return codeTooLarge, fmt.Sprintf("it has more than %d parts", maxNodes), "split the work: let a ticket compute the value as a typed output"
	}
	if atLeast().MatchString(message) {
		return codeArguments, "the function needs a list and a condition on its elements", `write it as any(list, .field == "value"), with # for the element itself`
	}
	m := tokenMessage().FindStringSubmatch(message)
	switch {
	case m == nil:
		return codeSyntax, message, ""
	case m[1] == "EOF":
		return codeSyntax, "the expression ends before it is complete", "complete it, or close the bracket that is still open"
	case m[2] == "=":
		return codeSyntax, `a single "=" stands where an operator is wanted`, "compare with =="
	case m[2] == "." || m[2] == "#":
		return codeSyntax, fmt.Sprintf("%q has no value before it", m[2]), "the element . and # exist only inside any, all, none, filter, map, count, find and sum"
	case m[2] == "contains" || m[2] == "matches":
		return codeSyntax, m[2] + " stands between its operands", fmt.Sprintf(`write it as text %s "part"`, m[2])
	}
	return codeSyntax, fmt.Sprintf("%q was not expected here", m[2]), ""
}

// bytes maps rune offsets, as the library counts them, to byte offsets.
func (e *expression) bytes(from, to int) (start, end int) {
	start, end = len(e.source), len(e.source)
	n := 0
	for i := range e.source {
		if n == from {
			start = i
		}
		if n == to {
			end = i
			break
		}
		n++
	}
	return start, max(start, end)
}

// span is the stretch of source that a node and all under it take.
func (e *expression) span(n ast.Node) (start, end int) {
	from, to := extent(n)
	if to == 0 {
		return 0, len(e.source)
	}
	start, end = e.bytes(from, to)
	if isCall(n) && n.Location().To == to && strings.HasPrefix(e.source[end:], "(") {
		end++
	}
	return e.brackets(start, end)
}

// extent gives the first and last rune of a tree without shared nodes. to is 0
// where the library recorded no place.
func extent(n ast.Node) (from, to int) {
	if _, ok := n.(*ast.ConditionalNode); !ok { // whose place is the token behind it
		at := n.Location()
		from, to = at.From, at.To
	}
	eachChild(n, func(child ast.Node) {
		f, t := extent(child)
		if t == 0 {
			return
		}
		if to == 0 || f < from {
			from = f
		}
		to = max(to, t)
	})
	return from, to
}

// brackets takes in the closing brackets that belong to the span: the library
// does not record them.
func (e *expression) brackets(start, end int) (int, int) {
	depth := 0
	for i := start; i < end; i++ {
		switch c := e.source[i]; c {
		case '"', '\'', '`':
			if q := endOfQuote(e.source, i, c); q >= 0 {
				i = q
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	for depth > 0 && end < len(e.source) {
		r, size := utf8.DecodeRuneInString(e.source[end:])
		end += size
		if strings.ContainsRune(")]}", r) {
			depth--
		}
	}
	return start, end
}
