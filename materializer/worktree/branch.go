package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxBranch is the longest branch name wf makes, in bytes: with refs/heads/ and
// .lock it stays below the 255 bytes of a file name on every system.
const MaxBranch = 120

// BranchName gives a ticket's branch: wf/<workflow>/<digest8>-<attempt>/<ticket>.
// Identity is digest, attempt and ticket; the workflow only decorates, so what
// git does not accept in it is replaced, and what is too long is cut.
func BranchName(workflow, digest8 string, attempt int, ticket string) string {
	tail := "/" + digest8 + "-" + strconv.Itoa(attempt) + "/" + part(ticket, 60)
	return "wf/" + part(workflow, MaxBranch-len("wf/")-len(tail)) + tail
}

// part makes a legal path component of a ref. What had to be changed gets a hash
// of the original, so that two names never fall together.
func part(s string, limit int) string {
	var b strings.Builder
	for _, c := range s {
		if c < 0x80 && !legalByte(byte(c)) || c == utf8.RuneError {
			c = '-'
		}
		b.WriteRune(c)
	}
	clean := strings.Trim(b.String(), "-.")
	for strings.Contains(clean, "..") {
		clean = strings.ReplaceAll(clean, "..", ".")
	}
	if clean == s && len(clean) <= limit && clean != "" && !strings.HasSuffix(clean, ".lock") {
		return clean
	}
	sum := sha256.Sum256([]byte(s))
	clean = strings.ReplaceAll(clean, ".lock", "-lock")
	clean = strings.TrimRight(cutRunes(clean, limit-9), "-.")
	return strings.TrimLeft(clean+"-"+hex.EncodeToString(sum[:4]), "-")
}

func cutRunes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

func legalByte(c byte) bool {
	return c > ' ' && c != 0x7f && !strings.ContainsRune(`~^:?*[\/@{`, rune(c))
}

// ValidBranch reports whether git accepts a branch name. It is git's own rule
// (check-ref-format --branch) without the shorthand @{-1}, so that a plan can be
// judged without git; a test holds the two together.
func ValidBranch(name string) bool {
	if name == "" || name == "@" || name == "HEAD" || strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") {
		return false
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for p := range strings.SplitSeq(name, "/") {
		if p == "" || strings.HasPrefix(p, ".") || strings.HasSuffix(p, ".lock") {
			return false
		}
	}
	for i := range len(name) {
		if c := name[i]; c != '/' && c != '@' && c != '{' && !legalByte(c) {
			return false
		}
	}
	return true
}

// BranchCollision gives the first pair of names in which one would be a folder
// of the other; ok is false when there is none. Equal names collide too.
func BranchCollision(names []string) (a, b string, ok bool) {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			return n, n, true
		}
		seen[n] = true
	}
	for _, n := range names {
		for i := range len(n) {
			if n[i] == '/' && seen[n[:i]] {
				return n[:i], n, true
			}
		}
	}
	return "", "", false
}
