package view

import (
	"fmt"
	"strings"
)

// markdownLimit keeps a plan within one comment of GitHub, which refuses more
// than 65,536 characters. Bytes are counted, which are never fewer.
const markdownLimit = 65_000

// markdownText is how many characters of one foreign text a pull request is
// shown, markdownName how many of a name in a heading, which is never left out.
const (
	markdownText = 600
	markdownName = 80
)

// markdownEscapes keep foreign text from becoming Markdown, HTML, a formula, a
// mention, a reference or a link.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"#", `\#`, "|", `\|`, "~", `\~`, "$", "&#36;", "@", "@\u2060", "://", ":\u2060//", "www.", "www\u2060.", "WWW.", "WWW\u2060.", "GH-", "GH\u2060-", "!", `\!`,
)

// md makes foreign text safe inside Markdown.
func md(text string) string { return markdownEscapes.Replace(shortened(Text(text), markdownText)) }

// code puts foreign text into a code span that it cannot leave.
func code(text string) string {
	text = shortened(Text(text), markdownText)
	ticks := "`"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// cell is a code span in a table, where a bar would begin the next cell.
func cell(text string) string { return strings.ReplaceAll(code(text), "|", `\|`) }

// section is a part of a comment. Its lines stand each for itself, so that it
// can be cut at any of them: none opens what another has to close.
type section struct {
	head   []string
	lines  []string
	folded string // the summary of a fold; "" is open
	whole  bool   // never left out: the verdict
}

// restLine is room for the line that counts what is left out.
const restLine = 160

// write writes as much of a section as fits into room bytes; rest says where
// the reader finds what does not.
func (s section) write(w *strings.Builder, room int, rest string) {
	if len(s.head)+len(s.lines) == 0 {
		return
	}
	open, shut := strings.Join(s.head, "\n"), "\n"
	if len(s.head) > 0 {
		open += "\n"
	}
	if s.folded != "" {
		open, shut = "<details><summary>"+s.folded+"</summary>\n\n", "\n</details>\n\n"
	}
	if len(open)+len(shut)+restLine > room && !s.whole {
		return
	}
	w.WriteString(open)
	room -= len(open) + len(shut) + restLine
	for i, line := range s.lines {
		if room -= len(line) + 1; room < 0 {
			fmt.Fprintf(w, "\n… and %s more; %s has all.\n", count(len(s.lines)-i, "line"), rest)
			break
		}
		w.WriteString(line + "\n")
	}
	w.WriteString(shut)
}

// fill writes sections into room bytes, in their order. Each but the last
// leaves half of what is left to those behind it: a thousand denials leave room
// for what they are about.
func fill(w *strings.Builder, sections []section, room int, rest string) {
	end := w.Len() + room
	for i, s := range sections {
		most := end - w.Len()
		if i < len(sections)-1 {
			most -= most / 2
		}
		s.write(w, most, rest)
	}
}

// marker lets a program find the comment of a workflow and edit it in place.
func marker(path string) string {
	safe := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '/' || r == '.' || r == '_' {
			return r
		}
		return '_'
	}
	return "<!-- wf plan " + shortened(strings.Map(safe, path), markdownText) + " -->"
}
