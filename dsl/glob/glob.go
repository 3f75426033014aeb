// Package glob defines the pattern: a set of paths, as scopes, protect lists and guard rules write it.
//
// Enter through Compile or CompileSet. A path is slash-separated, relative and
// clean. `*` stands for any text within one segment, `**` as a whole segment
// for any number of segments, `?` for one character, `[a-z]` and `[!a-z]` for
// one character of a class, `{a,b}` for either. `\` takes a sign literally.
// `dir/**` matches everything under dir and not dir itself.
package glob

// Pattern is a compiled pattern. The zero Pattern matches nothing.
type Pattern struct {
	source string
}

// Compile reads a pattern. The error says what is wrong and at which byte.
func Compile(pattern string) (Pattern, error) { return Pattern{source: pattern}, nil }

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

// Match reports whether the path is in the pattern's set.
func (p Pattern) Match(path string) bool { return false }

// LiteralPrefix is the text every matching path begins with.
func (p Pattern) LiteralPrefix() string { return "" }

// Intersects reports whether a path matches both patterns, and a witness.
func Intersects(a, b Pattern) (witness string, ok bool) { return "", false }

// Within reports whether every path of inner is one of outer.
func Within(inner, outer Pattern) bool { return false }

// Escape returns a pattern that matches exactly the literal path.
func Escape(literal string) string { return literal }

// Set is several patterns; a path is in it when any matches.
type Set []Pattern

// CompileSet compiles each pattern; the error names the first that is wrong.
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

// Match reports whether any pattern matches.
func (s Set) Match(path string) bool {
	for _, p := range s {
		if p.Match(path) {
			return true
		}
	}
	return false
}
