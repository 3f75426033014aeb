package expr

import (
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// ParseMoney reads "2 USD", "2.50 USD", "$2" or "0.000001 USD" into millionths of
// a dollar. It refuses negative amounts, other currencies and finer fractions.
func ParseMoney(text string) (int64, error) {
	amount, ok := strings.CutSuffix(strings.TrimSpace(text), "USD")
	if !ok {
		if amount, ok = strings.CutPrefix(amount, "$"); !ok {
			return 0, fmt.Errorf("%q is not an amount of money; write it as 2.50 USD", text)
		}
	}
	whole, fraction, dotted := strings.Cut(strings.TrimSpace(amount), ".")
	if !digits(whole) || dotted && !digits(fraction) {
		return 0, fmt.Errorf("%q is not an amount of money; write it as 2.50 USD", text)
	}
	if len(fraction) > 6 {
		return 0, fmt.Errorf("%q is finer than a millionth of a dollar", text)
	}
	dollars, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || dollars > math.MaxInt64/1_000_000-1 {
		return 0, fmt.Errorf("%q is too much money", text)
	}
	micros, err := strconv.ParseInt((fraction + "000000")[:6], 10, 64)
	return dollars*1_000_000 + micros, err
}

func digits(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// FormatMoney writes millionths of a dollar: "2 USD", "2.50 USD", "-0.000001 USD".
func FormatMoney(micros int64) string {
	sign := ""
	rest := uint64(micros)
	if micros < 0 {
		sign, rest = "-", -rest
	}
	fraction := strings.TrimRight(fmt.Sprintf("%06d", rest%1_000_000), "0")
	if fraction == "" {
		return fmt.Sprintf("%s%d USD", sign, rest/1_000_000)
	}
	for len(fraction) < 2 {
		fraction += "0"
	}
	return fmt.Sprintf("%s%d.%s USD", sign, rest/1_000_000, fraction)
}

// ParseDuration reads Go's spelling, "90s", "1h30m", and also days, "2d". It
// refuses negative lengths and bare numbers.
func ParseDuration(text string) (time.Duration, error) {
	rest, days := strings.TrimSpace(text), time.Duration(0)
	if n, tail, ok := strings.Cut(rest, "d"); ok && digits(n) {
		count, err := strconv.ParseInt(n, 10, 64)
		if err != nil || count > 100_000 {
			return 0, fmt.Errorf("%q is too long", text)
		}
		if days, rest = time.Duration(count)*24*time.Hour, tail; rest == "" {
			return days, nil
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil || rest == "0" {
		return 0, fmt.Errorf("%q is not a duration; write it as 30s, 10m or 1h30m", text)
	}
	if d < 0 || d > math.MaxInt64-days {
		return 0, fmt.Errorf("%q is out of range for a duration", text)
	}
	return days + d, nil
}

// FormatDuration writes the canonical spelling: "10m", "1h30m", "0s".
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

var (
	slugForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+([._-][a-z0-9]+)*$`) })
	urlForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^https?://[^\s/?#@]+([/?#]\S*)?$`) })
	drive    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]:(/|$)`) })
	refForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^\s~^:?*\[\\-][^\s~^:?*\[\\]*$`) })
)

const maxSlug = 64

// textual checks the form of a text kind and gives its normal spelling.
func textual(kind Kind, s string) (string, error) {
	switch kind {
	case Path:
		return cleanPath(s)
	case Glob:
		return cleanGlob(s)
	case Slug:
		if len(s) > maxSlug || !slugForm().MatchString(s) {
			return "", fmt.Errorf("%s is not a slug: small letters and digits joined by - _ or ., at most %d", quote(s), maxSlug)
		}
	case URL:
		if !urlForm().MatchString(s) || hasControl(s) {
			return "", fmt.Errorf("%s is not a URL: https://host/path without user name", quote(s))
		}
	case Ref:
		if !refForm().MatchString(s) || hasControl(s) || strings.Contains(s, "..") || strings.Contains(s, "@{") ||
			strings.HasSuffix(s, "/") || strings.HasSuffix(s, ".lock") || len(s) > 255 {
			return "", fmt.Errorf("%s is not the name of a branch, tag or commit", quote(s))
		}
	}
	return s, nil
}

// cleanPath accepts a slash-separated path inside the folder it is relative to.
func cleanPath(s string) (string, error) {
	if err := insideRepository(s); err != nil {
		return "", err
	}
	return path.Clean(s), nil
}

func cleanGlob(s string) (string, error) {
	if err := insideRepository(strings.ReplaceAll(s, `\`, "")); err != nil {
		return "", err
	}
	return s, nil
}

func insideRepository(s string) error {
	switch {
	case s == "":
		return errors.New("the path is empty")
	case len(s) > 4096:
		return errors.New("the path is longer than 4096 bytes")
	case hasControl(s):
		return fmt.Errorf("%s contains a control character", quote(s))
	case strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || strings.Contains(s, `\`) || drive().MatchString(s):
		return fmt.Errorf("%s is not relative to the repository, with / between its parts", quote(s))
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == ".." {
			return fmt.Errorf("%s leaves the folder it is relative to", quote(s))
		}
	}
	return nil
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
}

// EscapeGlob gives the glob that matches exactly the path s.
func EscapeGlob(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\*?[]{}!`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quote shows foreign text in a message: escaped and short.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
