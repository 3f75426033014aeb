package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// maxPerByteCode bounds how often one kind of bad byte is told; a binary file
// would otherwise drown everything else.
const maxPerByteCode = 20

const bom = "\uFEFF"

// checkBytes tells what no workflow may hold, before any YAML is read.
// Invisible characters are only noted: in a comment they do no harm.
func (p *parser) checkBytes() {
	s := p.s
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			i += p.checkRune(i)
			continue
		}
		if c < ' ' && c != '\n' && c != '\t' && (c != '\r' || i+1 == len(s) || s[i+1] != '\n') || c == 0x7f {
			p.control(i, 1, rune(c))
		}
		i++
	}
}

func (p *parser) checkRune(i int) int {
	r, size := utf8.DecodeRuneInString(p.s[i:])
	switch {
	case r == utf8.RuneError && size == 1:
		return p.notUTF8(i)
	case i == 0 && r == 0xFEFF:
		p.report(codeBOM, 0, size, "Three bytes that no editor shows stand before the first key and would become part of it.",
			"Save the file as UTF-8 without a byte order mark.").Edit = p.edit(0, size, "")
	case r >= 0x80 && r < 0xA0:
		p.control(i, size, r)
	case invisible(r):
		p.hidden = append(p.hidden, i)
	}
	return size
}

func (p *parser) control(i, size int, r rune) {
	p.loneCR = p.loneCR || r == '\r'
	if p.told(codeControl) {
		return
	}
	name := fmt.Sprintf("The character U+%04X", r)
	switch r {
	case 0:
		name = "A NUL byte"
	case '\r':
		name = "A carriage return without a line feed"
	}
	p.report(codeControl, i, i+size, name+" stands here; readers disagree on what it means.",
		"Remove it; inside double quotes a control character can be written as an escape.")
}

// notUTF8 tells a run of bad bytes once and returns its length.
func (p *parser) notUTF8(i int) int {
	j := i
	for j < len(p.s) {
		if r, size := utf8.DecodeRuneInString(p.s[j:]); r != utf8.RuneError || size != 1 {
			break
		}
		j++
	}
	if !p.told(codeNotUTF8) {
		p.report(codeNotUTF8, i, j, fmt.Sprintf("The byte 0x%02X begins no UTF-8 character.", p.s[i]), "Save the file as UTF-8.")
	}
	return j - i
}

// told counts a finding of this code and reports whether it has been told often enough.
func (p *parser) told(c diag.Code) bool {
	if p.counts == nil {
		p.counts = map[string]int{}
	}
	p.counts[c.ID]++
	return p.counts[c.ID] > maxPerByteCode
}

// invisible reports characters that hide text or turn it around.
func invisible(r rune) bool {
	switch {
	case r == 0xAD, r == 0x61C, r == 0x180E, r == 0xFEFF:
	case r >= 0x200B && r <= 0x200F, r >= 0x2028 && r <= 0x202E:
	case r >= 0x2060 && r <= 0x206F, r >= 0xFFF9 && r <= 0xFFFB, r >= 0xE0000 && r <= 0xE007F:
	default:
		return false
	}
	return true
}

// tellHidden reports the invisible characters that stand outside comments.
func (p *parser) tellHidden() {
	k := 0
	for _, i := range p.hidden {
		for k < len(p.comments) && p.comments[k].end <= i {
			k++
		}
		if k < len(p.comments) && p.comments[k].start <= i || p.told(codeInvisible) {
			continue
		}
		r, size := utf8.DecodeRuneInString(p.s[i:])
		p.report(codeInvisible, i, i+size, fmt.Sprintf("The character U+%04X is not shown, or shows text in another order than it is read.", r),
			fmt.Sprintf(`Remove it; where it is meant, write it as "\u%04x" in double quotes.`, r)).Edit = p.edit(i, i+size, "")
	}
}

// isUTF16 reports whether the file begins as UTF-16 does.
func isUTF16(s string) bool {
	return strings.HasPrefix(s, "\xff\xfe") || strings.HasPrefix(s, "\xfe\xff")
}
