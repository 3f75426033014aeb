package guard

import (
	"regexp"
	"sync"
)

// secretForms are texts that are keys or passwords whatever surrounds them.
var secretForms = sync.OnceValue(func() []secretForm {
	return []secretForm{
		{"an AWS access key", regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
		{"a GitHub token", regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})`)},
		{"a GitLab token", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
		{"an API key", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`)},
		{"a Slack token", regexp.MustCompile(`\bxox[abposr]-[A-Za-z0-9-]{10,}`)},
		{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
		{"a password", regexp.MustCompile(`(?i)\b(?:password|passwd|api[_-]?key|secret[_-]?key)=['"]?[^\s'"$<{*]{8,}`)},
		{"a password in an address", regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s/:@$]+:[^\s/:@$]{6,}@`)},
	}
})

type secretForm struct {
	what string
	form *regexp.Regexp
}

// secretIn names the first secret in a command, "" for none. POL-24
func secretIn(text string) string {
	for _, s := range secretForms() {
		if s.form.MatchString(text) {
			return s.what
		}
	}
	return ""
}
