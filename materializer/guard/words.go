package guard

import (
	"slices"
	"strings"
)

// unknown stands in a word for text that only the shell knows: a variable, a
// substitution. No command line holds a NUL byte, so it is never real text.
const unknown = "\x00"

// word is one argument of a command, as the shell would pass it.
type word struct {
	text   string
	quoted bool // it is one argument whatever the unknown parts become
}

// loose reports whether the word can become any number of any words.
func (w word) loose() bool { return !w.quoted && !w.known() }

func (w word) known() bool { return !strings.Contains(w.text, unknown) }

// commandPattern is the pattern of a Bash rule, by words. Its text is what a
// person would type; `prefix:*` and a star at the end stand for any rest.
type commandPattern struct {
	words []string
	open  bool // any further words may follow
}

func parseCommandPattern(pattern string) commandPattern {
	if p, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern = p + " *"
	}
	p := commandPattern{words: strings.Fields(pattern)}
	if n := len(p.words); n > 0 && strings.HasSuffix(p.words[n-1], "*") {
		p.open = true
		if p.words[n-1] == "*" {
			p.words = p.words[:n-1]
		}
	}
	return p
}

// allows matches narrowly: word for word, a star within a word. Unknown text
// is covered by a star alone.
func (p commandPattern) allows(cmd []word) bool {
	if len(cmd) < len(p.words) || len(cmd) > len(p.words) && !p.open {
		return false
	}
	return p.allowsFrom(0, cmd)
}

func (p commandPattern) allowsFrom(i int, cmd []word) bool {
	if i == len(p.words) {
		return len(cmd) == 0 || p.open
	}
	if p.words[i] == "*" { // a star between: any number of words
		for n := 0; n <= len(cmd); n++ {
			if p.allowsFrom(i+1, cmd[n:]) {
				return true
			}
		}
		return false
	}
	if len(cmd) == 0 || cmd[0].loose() && p.words[i] != "*" || !wild(p.words[i], cmd[0].text) {
		return false
	}
	return p.allowsFrom(i+1, cmd[1:])
}

// forbids matches widely: a too narrow refusal fails open. Options may stand
// anywhere behind the words before them; options that the pattern does not
// name are passed over; unknown text may be whatever makes the match.
func (p commandPattern) forbids(cmd []word) bool {
	return p.forbidsFrom(0, cmd)
}

func (p commandPattern) forbidsFrom(i int, cmd []word) bool {
	if i == len(p.words) {
		return p.open || len(cmd) == 0 || allOptions(cmd)
	}
	want := p.words[i]
	if i > 0 && len(cmd) > 0 && cmd[0].loose() {
		return true // it may become any words
	}
	switch {
	case want == "*" || i > 0 && isOption(want):
		if want == "*" {
			i++
		}
		if slices.ContainsFunc(cmd, word.loose) {
			return true
		}
		for n := 0; n <= len(cmd); n++ {
			if want == "*" && p.forbidsFrom(i, cmd[n:]) || want != "*" && n < len(cmd) && meets(want, cmd[n].text) && p.rest(i+1, cmd, n) {
				return true
			}
		}
		return false
	case len(cmd) == 0:
		return false
	case strings.HasPrefix(want, "*"):
		return p.anywhere(i, cmd)
	case meets(want, cmd[0].text):
		return p.forbidsFrom(i+1, cmd[1:])
	case i > 0 && isOption(cmd[0].text):
		return p.forbidsFrom(i, cmd[1:])
	}
	return false
}

// rest goes on behind an option that was found at n: the words before it were
// passed over and may still be wanted.
func (p commandPattern) rest(i int, cmd []word, n int) bool {
	if p.forbidsFrom(i, cmd[n+1:]) {
		return true
	}
	return n > 0 && p.forbidsFrom(i, append(append([]word{}, cmd[:n]...), cmd[n+1:]...))
}

// anywhere is a pattern word that begins with a star: any text, across words.
func (p commandPattern) anywhere(i int, cmd []word) bool {
	var b strings.Builder
	for n, w := range cmd {
		if n > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	text, pattern := b.String(), strings.Join(p.words[i:], " ")
	if p.open && !strings.HasSuffix(pattern, "*") {
		pattern += "*"
	}
	return meets(pattern, text)
}

func isOption(w string) bool { return strings.HasPrefix(w, "-") && w != "-" && w != "--" }

func allOptions(cmd []word) bool {
	for _, w := range cmd {
		if !isOption(w.text) {
			return false
		}
	}
	return true
}

// meets reports whether some text fits both the pattern, where a star is any
// text, and the word, where unknown is any text.
func meets(pattern, text string) bool {
	if !strings.Contains(text, unknown) {
		return wild(pattern, text)
	}
	a, b := []byte(pattern), []byte(text)
	row := make([]bool, len(b)+1) // row[j]: a[:i] and b[:j] can be the same
	row[0] = true
	for j := 1; j <= len(b); j++ {
		row[j] = row[j-1] && b[j-1] == 0
	}
	for i := 1; i <= len(a); i++ {
		star := a[i-1] == '*'
		before := row[0]
		row[0] = before && star
		for j := 1; j <= len(b); j++ {
			now := row[j]
			switch {
			case star, b[j-1] == 0:
				row[j] = now || row[j-1] || before
			default:
				row[j] = before && a[i-1] == b[j-1]
			}
			before = now
		}
	}
	return row[len(b)]
}
