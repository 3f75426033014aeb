package format

import "strings"

// lines writes a text of several lines. What stands at the beginning of its
// further lines is not part of it.
func (l *layout) lines(t token) {
	parts := strings.Split(l.s[t.start:t.end], "\n")
	for i, part := range parts {
		if i > 0 {
			part = strings.TrimLeft(part, " \t")
		}
		last := i == len(parts)-1
		if !last {
			part = trimEnd(part, t.kind == quoted)
		}
		l.cur = append(l.cur, part...)
		if !last {
			if len(l.cur) == 0 {
				l.page.raw("")
			} else {
				l.flush("")
			}
			l.indent = l.further()
			l.base = l.indent
		}
	}
}

// trimEnd takes blanks off the end of a line. Behind a backslash of quoted text
// a blank is part of the text.
func trimEnd(text string, quoted bool) string {
	trimmed := strings.TrimRight(text, " \t\r")
	if quoted && strings.HasSuffix(trimmed, `\`) {
		return strings.TrimSuffix(text, "\r")
	}
	return trimmed
}

// block writes a text block: its header, then its lines as deep as the level asks.
func (l *layout) block(t token) {
	lines := strings.Split(l.s[t.start:t.end], "\n")
	header, remark, _ := strings.Cut(lines[0], "#")
	header = strings.TrimRight(header, " \t\r")
	if remark != "" || strings.Contains(lines[0], "#") {
		remark = "#" + strings.TrimRight(remark, " \t\r")
	}
	l.cur = append(l.cur, header...)
	l.flush(remark)
	was, is := l.depths(header, lines[1:])
	for _, text := range lines[1:] {
		text = strings.TrimSuffix(text, "\r")
		if strings.Trim(text, " ") == "" && len(text) <= was {
			l.page.raw("")
			continue
		}
		l.page.raw(strings.Repeat(" ", is) + text[min(was, len(text)):])
	}
	l.exact = t.end == len(l.s) && len(lines) > 1 && !strings.Contains(header, "-")
}

// depths gives the indentation of a block's text, as it was and as it will be.
func (l *layout) depths(header string, lines []string) (was, is int) {
	top := level{}
	if len(l.levels) > 0 {
		top = l.levels[len(l.levels)-1]
	}
	if k := strings.IndexAny(header, "123456789"); k >= 0 {
		n := int(header[k] - '0')
		return top.was + n, top.is + n
	}
	is = max(l.below(), step)
	for _, text := range lines {
		if body := strings.TrimLeft(text, " "); strings.TrimRight(body, "\r") != "" {
			return len(text) - len(body), is
		}
		was = max(was, len(strings.TrimRight(text, "\r")))
	}
	return was, is
}

// requote writes a text in single quotes with double ones, where neither style
// has to escape anything; everything else stays as it is.
func requote(text string) string {
	if len(text) < 2 || text[0] != '\'' || strings.ContainsAny(text, `"\`) {
		return text
	}
	return `"` + strings.ReplaceAll(text[1:len(text)-1], "''", "'") + `"`
}
