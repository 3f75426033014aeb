// Package view defines the rendering: values in, text for a terminal, Markdown
// or JSON out. It decides nothing.
//
// Every text that an agent, a ticket, an input or a file's author wrote passes
// Text before it is shown: control, bidirectional and zero-width characters
// come out escaped.
package view

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Style is how one invocation writes for people.
type Style struct {
	Colour bool
	Width  int // columns; 0: unknown, nothing is wrapped
}

// columns is the width to write for: where it is unknown, that of a page, and
// never more than a reader's eye follows.
func (s Style) columns() int {
	if s.Width <= 0 {
		return 100
	}
	return min(s.Width, 120)
}

// The signs of a terminal, by what they say.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
	cyan   = "36"
)

// paint wraps text in a sign where colour is wanted.
func (s Style) paint(sign, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + sign + "m" + text + "\x1b[0m"
}

// Text makes foreign text safe to show on one line. What a terminal would act
// on, and what a reader cannot see, is written as \u{…}. (POL-25)
func Text(text string) string {
	plain := true
	for _, r := range text {
		if !visible(r) || lookalike(r) {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case lookalike(r) && besideLatin(text, i):
			fmt.Fprintf(&b, `\u{%x}`, r)
		case r == unicode.ReplacementChar && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(" ")
		case visible(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// lookalikes are letters of Cyrillic and Greek that nobody tells from Latin ones.
const lookalikes = "аеорсухіјѕԁһԛԝАВЕЗКМНОРСТХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ"

func lookalike(r rune) bool { return r >= 'Α' && strings.ContainsRune(lookalikes, r) }

// besideLatin reports whether the letter at i stands in a word that has Latin
// letters too: there it poses as one of them.
func besideLatin(text string, i int) bool {
	word := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }
	from := 0
	if k := strings.LastIndexFunc(text[:i], word); k >= 0 {
		_, size := utf8.DecodeRuneInString(text[k:])
		from = k + size
	}
	to := strings.IndexFunc(text[i:], word)
	if to < 0 {
		to = len(text) - i
	}
	return strings.IndexFunc(text[from:i+to], func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }) >= 0
}

// visible tells whether a character can be shown as it is. U+200D joins emoji
// and letters of some scripts, and hides nothing between two of them; alone it
// would, so it is escaped like the rest of its kind.
func visible(r rune) bool {
	if r == unicode.ReplacementChar {
		return false
	}
	return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Variation_Selector) && r != '\u3164' && r != '\u115F' && r != '\u1160' && r != '\uFFA0'
}

// Lines makes foreign text safe and keeps its line breaks, without ones at the end.
func Lines(text string) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		out = append(out, Text(strings.TrimSuffix(line, "\r")))
	}
	return out
}

// columns is how many columns of a terminal a text takes.
func columns(text string) int { return uniseg.StringWidth(text) }

// pad fills a text with spaces to a number of columns.
func pad(text string, width int) string {
	if missing := width - columns(text); missing > 0 {
		return text + strings.Repeat(" ", missing)
	}
	return text
}

// wrap breaks a text at spaces so that no line takes more than width columns;
// what has no space stays whole, so that it can be copied. Lines but the first
// begin with indent, which is not counted. Spaces within a line are kept.
func wrap(text string, width int, indent string) string {
	width = max(width, 20)
	var b strings.Builder
	at := 0
	for i, word := range strings.Split(text, " ") {
		w := columns(word)
		switch {
		case i == 0:
		case at > 0 && at+1+w > width:
			b.WriteString("\n" + indent)
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += w
	}
	return b.String()
}

// words writes an argument vector as a shell would take it, so that what is one
// word is seen to be one.
func words(argv []string) string {
	out := make([]string, len(argv))
	for i, a := range argv {
		out[i] = Text(a)
		if a == "" || strings.ContainsAny(a, " \t\n\"'`$\\|&;<>()*?[]{}~#!") {
			out[i] = "'" + strings.ReplaceAll(Text(a), "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// count writes a number with its noun: 1 ticket, 2 tickets.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey") && !strings.HasSuffix(noun, "ay"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "ch"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
