package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// digest is a short name for a failure: equal failures have equal ones.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// oneLine makes foreign text fit to stand in a line: no control, formatting or
// line-breaking character, no run of spaces, at most limit bytes with the cut marked.
func oneLine(text string, limit int) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, text)
	return cut(strings.Join(strings.Fields(clean), " "), limit)
}

// cut bounds text at a character's border and marks the cut.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := max(limit-len("…"), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

const maxBranch = 120

// branchName gives wf/<workflow>/<run>/<ticket>, valid by git's rules and at
// most 120 bytes. The run and the ticket make it unique; the workflow decorates.
func branchName(workflow, run, ticket string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, workflow)
	clean = strings.Trim(clean, "-")
	if clean == "" {
		clean = "workflow"
	}
	rest := "/" + run + "/" + ticket
	if room := maxBranch - len("wf/") - len(rest); len(clean) > room {
		clean = clean[:max(room, 1)]
	}
	return "wf/" + clean + rest
}

const (
	maxTitle   = 72
	maxSubject = 100
)

// Message composes the commit message of a unit: a subject and trailers. The
// engine adds the trailer of the journal's head. A title is data: it cannot
// begin a line of its own. UNIT-11
func Message(s *State, u UnitID) string {
	n := s.byID[u.Ticket]
	if n == nil {
		return ""
	}
	subject := fmt.Sprintf("%s: %s (round %d)", u.Ticket, oneLine(n.Title, maxTitle), u.Round)
	role := ""
	if n.Current != nil && n.Current.ID == u {
		role = n.Current.Role
	}
	return fmt.Sprintf("%s\n\nWf-Run: %s\nWf-Evidence: %s\nWf-Role: %s\n",
		cut(subject, maxSubject), s.Run().Run, u.RoundName(), oneLine(role, 60))
}
