// Package glob defines the pattern: a set of paths, as scopes, protect lists and guard rules write it.
//
// Enter through Compile or CompileSet. A path is slash-separated, relative and
// clean: no empty segment, no `.`, no `..`; whatever is not matches nothing.
// Case counts, and a leading dot is a character like others.
//
//   - any text within a segment, also none
//     **      as a whole segment: any number of segments; at the end at least one
//     ?       one character, not the slash
//     [a-z]   one character of the class; [!a-z] one that is not of it
//     {a,b}   either; braces may stand inside each other and hold slashes
//     \x      the sign x itself
//
// So `dir/**` is everything under dir, and not dir itself; `**/x` is also x.
package glob

import (
	"fmt"
	"sync"
)

// MaxLength is the length of the longest pattern, in bytes; MaxWild the number
// of wildcards and braces in it. They bound every question asked of patterns.
const (
	MaxLength = 1024
	MaxWild   = 64
)

// Pattern is a compiled pattern. The zero Pattern matches nothing.
type Pattern struct {
	source string
	prefix string
	lazy   *lazy // nil in the zero Pattern only
}

// lazy is a pattern's automaton, built when a question first needs it: of the
// scopes of a large plan, beginnings alone settle nearly all.
type lazy struct {
	once sync.Once
	auto *automaton
}

func (p Pattern) auto() *automaton {
	p.lazy.once.Do(func() {
		n, _ := parse(p.source) // Compile has read it without an error
		p.lazy.auto = build(n)
	})
	return p.lazy.auto
}

// Compile reads a pattern. The error says what is wrong with it and at which byte.
func Compile(pattern string) (Pattern, error) {
	n, err := parse(pattern)
	if err != nil {
		return Pattern{}, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return Pattern{source: pattern, prefix: literalPrefix(n), lazy: &lazy{}}, nil
}

// MustCompile is Compile for patterns that stand in the source of wf.
func MustCompile(pattern string) Pattern {
	p, err := Compile(pattern)
	if err != nil {
		panic(err)
	}
	return p
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.source }

// LiteralPrefix is the text that every matching path begins with, for indexing.
func (p Pattern) LiteralPrefix() string { return p.prefix }

// Set is several patterns; a path is in it when any of them matches.
type Set []Pattern

// CompileSet compiles each pattern; the error is of the first that is wrong.
func CompileSet(patterns []string) (Set, error) {
	set := make(Set, 0, len(patterns))
	for _, s := range patterns {
		p, err := Compile(s)
		if err != nil {
			return nil, err
		}
		set = append(set, p)
	}
	return set, nil
}

// Match reports whether any pattern of the set matches.
func (s Set) Match(path string) bool {
	for _, p := range s {
		if p.Match(path) {
			return true
		}
	}
	return false
}
