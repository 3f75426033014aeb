package planner

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// secretForms are credentials that can be told by their spelling: how they
// begin, and how many letters of their alphabet follow at least. A plan travels
// through pull requests, so that one in it is lost.
var secretForms = []struct {
	kind, begin string
	letters     int
	also        string // of the alphabet, beside letters and digits
}{
	{"an AWS access key", "AKIA", 16, ""}, {"an AWS access key", "ASIA", 16, ""},
	{"a GitHub token", "ghp_", 36, ""}, {"a GitHub token", "gho_", 36, ""}, {"a GitHub token", "ghu_", 36, ""}, {"a GitHub token", "ghs_", 36, ""},
	{"a GitHub token", "github_pat_", 40, "_"}, {"a GitLab token", "glpat-", 20, "_-"}, {"an npm token", "npm_", 36, ""},
	{"a Slack token", "xoxb-", 24, "-"}, {"a Slack token", "xoxp-", 24, "-"}, {"an Anthropic key", "sk-ant-", 32, "_-"},
	{"an OpenAI key", "sk-proj-", 32, "_-"}, {"a Google key", "AIza", 35, "_-"}, {"a Stripe key", "sk_live_", 24, ""},
}

// FindSecret looks for a credential in bytes: what kind it is, and where it begins.
func FindSecret(data []byte) (kind string, at int, ok bool) {
	for _, f := range secretForms {
		for from := 0; ; {
			i := bytes.Index(data[from:], []byte(f.begin))
			if i < 0 {
				break
			}
			i += from
			from = i + len(f.begin)
			if i > 0 && letterOrDigit(data[i-1]) {
				continue
			}
			if body := spelled(data[from:], f.also); len(body) >= f.letters && !bytes.Contains(body, []byte("EXAMPLE")) {
				return f.kind, i, true
			}
		}
	}
	return privateKey(data)
}

func letterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func spelled(data []byte, also string) []byte {
	n := 0
	for n < len(data) && (letterOrDigit(data[n]) || strings.IndexByte(also, data[n]) >= 0) {
		n++
	}
	return data[:n]
}

// privateKey finds a PEM block with something in it; the words of its first line
// alone, as a policy names them, are none.
func privateKey(data []byte) (string, int, bool) {
	const begin, end = "-----BEGIN ", "PRIVATE KEY-----"
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte(begin))
		if i < 0 {
			return "", 0, false
		}
		i += from
		from = i + len(begin)
		line := data[from:min(from+40, len(data))]
		j := bytes.Index(line, []byte(end))
		if j < 0 {
			continue
		}
		body := bytes.TrimLeft(data[from+j+len(end):], " \t\r\n\\nr")
		if len(spelled(body, "+/=")) >= 40 {
			return "a private key", i, true
		}
	}
}

// noSecrets refuses a plan that would hold a credential: in a source, whose text
// a plan carries, or in an input.
func (m *maker) noSecrets() {
	for _, s := range m.plan.Sources {
		kind, at, ok := FindSecret([]byte(s.Text))
		if !ok {
			continue
		}
		before := s.Text[:at]
		column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
		where := diag.Pos{Line: 1 + strings.Count(before, "\n"), Column: column, Offset: at}
		m.find(codeSecret, diag.Range{File: s.Path, Start: where, End: where}, fmt.Sprintf("What stands here looks like %s, and a plan carries the text of its sources.", kind), secretWayOut)
	}
	for _, in := range m.plan.Inputs {
		if kind, _, ok := FindSecret([]byte(in.Value.String())); ok {
			m.find(codeSecret, diag.Range{File: m.wf.File}, fmt.Sprintf("The value of input %s looks like %s.", in.Name, kind), secretWayOut)
		}
	}
}

// SecretsIn is the last look, at the bytes as they would be written: a finding
// where a credential stands in them, wherever it came from.
func SecretsIn(data []byte) diag.Findings {
	kind, _, ok := FindSecret(data)
	if !ok {
		return nil
	}
	return diag.Findings{codeSecret.At(diag.Range{}, fmt.Sprintf("The written plan holds what looks like %s.", kind), secretWayOut)}
}

const secretWayOut = "Take it out and revoke it: whoever read the file has it. Name the variable that holds a credential in the role's `env:`."
