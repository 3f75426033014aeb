package format

import (
	"strings"
	"unicode/utf8"
)

// page is the canonical text as it grows, line by line.
type page struct {
	lines []line
	blank bool // an empty line is due before the next one
}

// line is one line without its break; a remark is the comment behind a value.
type line struct{ text, remark string }

// put adds a line, and the empty line that is due before it; none at the top.
func (p *page) put(text string) {
	if p.blank && len(p.lines) > 0 {
		p.lines = append(p.lines, line{})
	}
	p.blank = false
	p.lines = append(p.lines, line{text: text})
}

// raw adds a line of a text block, which may be empty.
func (p *page) raw(text string) { p.lines = append(p.lines, line{text: text}) }

// remark puts a comment behind the last line.
func (p *page) remark(text string) { p.lines[len(p.lines)-1].remark = text }

// text joins the lines; remarks of neighbouring lines begin in one column.
func (p *page) text(final bool) string {
	var b strings.Builder
	for i := 0; i < len(p.lines); {
		run, column := p.run(i)
		for _, l := range p.lines[i : i+run] {
			b.WriteString(l.text)
			if l.remark != "" {
				if l.text != "" {
					b.WriteString(strings.Repeat(" ", column-utf8.RuneCountInString(l.text)))
				}
				b.WriteString(l.remark)
			}
			b.WriteByte('\n')
		}
		i += run
	}
	if final || b.Len() == 0 {
		return b.String()
	}
	return b.String()[:b.Len()-1]
}

// farRemark bounds how far a long line moves the remarks of its neighbours.
const farRemark = 60

// run counts the neighbouring lines with remarks from line i on, at least one
// line, and gives the column of their remarks.
func (p *page) run(i int) (n, column int) {
	for i+n < len(p.lines) && p.lines[i+n].remark != "" {
		width := utf8.RuneCountInString(p.lines[i+n].text) + 1
		if n > 0 && (width > farRemark) != (column > farRemark) {
			break
		}
		column = max(column, width)
		n++
	}
	return max(n, 1), column
}
