package ticket

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// part is a section of a file with all its bytes, heading included. The first
// part is what stands before any heading: the front matter.
type part struct {
	name string // empty: the front matter
	text string // with the heading's line
}

// Check compares a unit's returned copy with the one it was given. owned names
// the sections it may write; `###` and deeper headings inside them are free. The
// reasons say what is broken, each on one line, and nothing is taken then; else
// the sections that were changed come back, in the file's order, as their text.
func Check(original, returned []byte, owned []string) (changed []Section, broken []string) {
	if bytes.Equal(original, returned) {
		return nil, nil
	}
	switch {
	case len(returned) == 0:
		return nil, []string{"the ticket file is empty or gone"}
	case len(returned) > MaxFile:
		return nil, []string{fmt.Sprintf("the ticket file is larger than %d bytes", MaxFile)}
	case !utf8.Valid(returned):
		return nil, []string{"the ticket file is not UTF-8"}
	}
	was, is := split(string(original)), split(strings.ReplaceAll(string(returned), "\r\n", "\n"))
	if broken = compareNames(was, is); len(broken) > 0 {
		return nil, broken
	}
	for i := range was {
		if same(was[i], is[i]) {
			continue
		}
		switch {
		case i == 0:
			broken = append(broken, "the front matter was changed")
		case !slices.Contains(owned, was[i].name):
			broken = append(broken, fmt.Sprintf("the section %s was changed, which this stage does not own", was[i].name))
		case len(is[i].body()) > MaxSection:
			broken = append(broken, fmt.Sprintf("the section %s is larger than %d bytes", was[i].name, MaxSection))
		default:
			changed = append(changed, Section{Name: was[i].name, Text: is[i].body()})
		}
	}
	if len(broken) > 0 {
		return nil, broken
	}
	return changed, nil
}

// same ignores blank lines at a section's end: editors add and take them.
func same(a, b part) bool {
	return a.name == b.name && strings.TrimRight(a.text, "\n \t") == strings.TrimRight(b.text, "\n \t")
}

// body is the section's text without its heading.
func (p part) body() string {
	_, rest, _ := strings.Cut(p.text, "\n")
	return strings.Trim(rest, "\n")
}

// compareNames says which sections are new, gone or out of place.
func compareNames(was, is []part) (broken []string) {
	names := func(parts []part) []string {
		out := make([]string, 0, len(parts))
		for _, p := range parts[1:] {
			out = append(out, p.name)
		}
		return out
	}
	before, after := names(was), names(is)
	if slices.Equal(before, after) {
		return nil
	}
	for _, n := range after {
		if !slices.Contains(before, n) {
			broken = append(broken, fmt.Sprintf("a section %q was added; headings of your own begin with ###", short(n)))
		}
	}
	for _, n := range before {
		if !slices.Contains(after, n) {
			broken = append(broken, fmt.Sprintf("the section %s is gone", n))
		}
	}
	if len(broken) == 0 {
		broken = append(broken, "the sections stand twice or in another order")
	}
	const most = 5
	if len(broken) > most {
		broken = broken[:most]
	}
	return broken
}

func short(text string) string {
	const most = 60
	text = line(text)
	if len(text) <= most {
		return text
	}
	for end := most; ; end-- {
		if utf8.RuneStart(text[end]) {
			return text[:end] + "…"
		}
	}
}

// split cuts a file at its headings of two signs. A fence hides nothing:
// what looks like a heading is one, for a reader of the file and for this.
func split(text string) []part {
	parts := []part{{}}
	for l := range strings.Lines(text) {
		if name, ok := heading(strings.TrimRight(l, "\n")); ok {
			parts = append(parts, part{name: name})
		}
		last := &parts[len(parts)-1]
		last.text += l
	}
	return parts
}

// heading reports whether a line begins a section: exactly two signs, with at
// most three spaces before, as Markdown has it. One sign is a comment in many a
// pasted script, three and more are free.
func heading(l string) (name string, ok bool) {
	trimmed := strings.TrimLeft(l, " ")
	if len(l)-len(trimmed) > 3 {
		return "", false
	}
	rest, ok := strings.CutPrefix(trimmed, "##")
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#")), true
}
