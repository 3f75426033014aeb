package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Capital begins a text as a sentence begins. A first word that is a path, a
// field or a sign stays as it is written.
func Capital(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if strings.ContainsAny(strings.TrimRight(word, ":,."), "/.`=<-_") {
		return text
	}
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

const (
	longText = 2000 // bytes of a detail or hint that a person still reads
	longWord = 80   // bytes of one word in a text that is longer than that
)

// brief shortens what a finding quotes of a file where the whole would be a
// page: first long words, then the text.
func brief(text string) string {
	if len(text) <= longText {
		return text
	}
	words := strings.Split(text[:min(len(text), 64*longText)], " ")
	for i, w := range words {
		if len(w) > longWord {
			words[i] = upTo(w, longWord*3/4) + "…" + closing(w)
		}
	}
	short := strings.Join(words, " ")
	if len(short) <= longText {
		return short
	}
	return upTo(short, longText) + "…"
}

// closing is the backtick that a shortened word has lost.
func closing(word string) string {
	if strings.HasPrefix(word, "`") {
		return "`"
	}
	return ""
}

// upTo takes at most n bytes from the front, at a whole character.
func upTo(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
