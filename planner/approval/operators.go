package approval

import (
	"bytes"
	"cmp"
	"crypto/rsa"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Operators are the people who may approve and decide: policies/operators of
// the base commit.
//
// The file is OpenSSH's allowed_signers, so that ssh-keygen reads it as it is:
//
//	# name   options                                        key                     groups
//	alice@example.org namespaces="wf-plan,wf-decision" ssh-ed25519 AAAA… groups=security,release
//
// Groups stand in the comment after the key, where ssh-keygen looks at nothing;
// a separate file was rejected, since names and groups would part. Without
// `namespaces` a key is good for both. Refused, because who may approve must be
// readable at a glance: wildcards and negations in names and namespaces,
// certificate authorities, keys in two lines, and times without Z, which would
// mean the zone of whoever reads.
type Operators struct {
	list []Operator // in the order of the file
	gone []Operator // left out by Within
}

// Operator is one line: a person with a key.
type Operator struct {
	Names       []string
	Groups      []string // sorted, each once
	Namespaces  []string // empty: any of wf's
	ValidAfter  time.Time
	ValidBefore time.Time
	Key         ssh.PublicKey
	Line        int
}

// Empty reports whether nobody is named.
func (o Operators) Empty() bool { return len(o.list) == 0 }

// All gives the lines in the order of the file.
func (o Operators) All() []Operator { return slices.Clone(o.list) }

// ByKey finds the operator whose key it is.
func (o Operators) ByKey(k ssh.PublicKey) (Operator, bool) {
	i := slices.IndexFunc(o.list, func(op Operator) bool { return bytes.Equal(op.Key.Marshal(), k.Marshal()) })
	if i < 0 {
		return Operator{}, false
	}
	return o.list[i], true
}

// Within keeps of o who is also among now, with what both give: groups,
// namespaces and times. Operators of an old commit are so no more than the
// operators of today: a line that was taken out since counts nowhere. Where
// one of the two names nobody, the other counts.
func (o Operators) Within(now Operators) Operators {
	switch {
	case now.Empty():
		return o
	case o.Empty():
		return now
	}
	out := Operators{gone: o.gone}
	for _, op := range o.list {
		if both, ok := op.within(now); ok {
			out.list = append(out.list, both)
		} else {
			out.gone = append(out.gone, op)
		}
	}
	return out
}

func (op Operator) within(now Operators) (Operator, bool) {
	other, ok := now.ByKey(op.Key)
	if !ok {
		return op, false
	}
	both := op
	both.Names, both.Groups = common(op.Names, other.Names), common(op.Groups, other.Groups)
	if len(op.Namespaces) == 0 {
		both.Namespaces = other.Namespaces
	} else if len(other.Namespaces) > 0 {
		both.Namespaces = common(op.Namespaces, other.Namespaces)
	}
	if other.ValidAfter.After(op.ValidAfter) {
		both.ValidAfter = other.ValidAfter
	}
	if op.ValidBefore.IsZero() || !other.ValidBefore.IsZero() && other.ValidBefore.Before(op.ValidBefore) {
		both.ValidBefore = other.ValidBefore
	}
	someUse := len(both.Namespaces) > 0 || len(op.Namespaces) == 0 && len(other.Namespaces) == 0
	return both, len(both.Names) > 0 && someUse
}

func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// wasRevoked reports whether a key was an operator's and was taken out since.
func (o Operators) wasRevoked(k ssh.PublicKey) bool {
	return slices.ContainsFunc(o.gone, func(op Operator) bool { return bytes.Equal(op.Key.Marshal(), k.Marshal()) })
}

// HasGroup reports whether anybody is in group, so that an ask can be met at all.
func (o Operators) HasGroup(group string) bool {
	return slices.ContainsFunc(o.list, func(op Operator) bool { return op.in(group) })
}

// AnyOperator is the group that everybody in the file is in.
const AnyOperator = "operator"

func (op Operator) in(group string) bool {
	return group == AnyOperator || slices.Contains(op.Groups, group)
}

func (op Operator) allows(namespace string) bool {
	return len(op.Namespaces) == 0 || slices.Contains(op.Namespaces, namespace)
}

func (op Operator) validAt(now time.Time) bool {
	return (op.ValidAfter.IsZero() || !now.Before(op.ValidAfter)) && (op.ValidBefore.IsZero() || now.Before(op.ValidBefore))
}

// maxOperators bounds the file.
const maxOperators = 1 << 20

// ParseOperators reads an operators file; file names it in findings. Lines
// with findings are left out, and a file with an error names nobody.
func ParseOperators(file string, data []byte) (Operators, diag.Findings) {
	p := &operatorParser{file: file}
	if len(data) > maxOperators {
		p.say(codeOperatorLine, 1, fmt.Sprintf("The file is larger than %d bytes.", maxOperators), "List the operators alone.")
		return Operators{}, p.findings
	}
	for i, line := range strings.Split(string(data), "\n") {
		p.line(i+1, strings.TrimRight(line, "\r"))
	}
	if len(p.list) == 0 && len(p.findings) == 0 {
		p.say(codeOperatorsNone, 1, "The file holds no line with a name and a key, so nobody could approve anything.", "Add a line per person, or remove the file.")
	}
	if p.findings.HasErrors() {
		return Operators{}, p.findings.Sorted()
	}
	return Operators{list: p.list}, p.findings.Sorted()
}

type operatorParser struct {
	file     string
	list     []Operator
	findings diag.Findings
}

func (p *operatorParser) say(c diag.Code, line int, detail, hint string) {
	at := diag.Range{File: p.file, Start: diag.Pos{Line: line, Column: 1}, End: diag.Pos{Line: line, Column: 2}}
	p.findings = append(p.findings, c.At(at, detail, hint))
}

func (p *operatorParser) line(n int, text string) {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "#") {
		return
	}
	names, rest, ok := cutNames(text)
	if !ok {
		p.say(codeOperatorLine, n, "A line is a name, options, a key type, a key and groups.", `Write it as: alice@example.org namespaces="wf-plan,wf-decision" ssh-ed25519 AAAA… groups=security`)
		return
	}
	key, comment, options, left, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil || len(bytes.TrimSpace(left)) > 0 {
		p.say(codeOperatorLine, n, "No SSH public key can be read after the name.", "Copy the line of the .pub file behind the name and the options.")
		return
	}
	op := Operator{Names: names, Key: key, Line: n}
	if p.checkNames(n, op) && p.checkKey(n, op) && p.options(n, &op, options) && p.groups(n, &op, comment) {
		p.list = append(p.list, op)
	}
}

// cutNames takes the first field, quoted or not, as a comma-separated list.
func cutNames(text string) (names []string, rest string, ok bool) {
	field, rest, ok := strings.Cut(text, " ")
	if quoted, found := strings.CutPrefix(text, `"`); found {
		field, rest, ok = strings.Cut(quoted, `"`)
	}
	rest = strings.TrimSpace(rest)
	if !ok || field == "" || rest == "" {
		return nil, "", false
	}
	return strings.Split(field, ","), rest, true
}

var principalForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.@+-]{1,200}$`) })

func (p *operatorParser) checkNames(n int, op Operator) bool {
	for _, name := range op.Names {
		if !principalForm().MatchString(name) {
			p.say(codeOperatorName, n, fmt.Sprintf("%q is not a plain name: a pattern would let people in whom nobody named.", name), "Write each person's own name, letters, digits and . _ @ + -.")
			return false
		}
	}
	return true
}

const leastRSA = 2048

func (p *operatorParser) checkKey(n int, op Operator) bool {
	switch op.Key.Type() {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256:
	case ssh.KeyAlgoRSA:
		if bits := rsaBits(op.Key); bits < leastRSA {
			p.say(codeOperatorKey, n, fmt.Sprintf("An RSA key of %d bits can be broken.", bits), "Make a new one: ssh-keygen -t ed25519.")
			return false
		}
	default:
		p.say(codeOperatorKey, n, fmt.Sprintf("Keys of type %s are not accepted.", op.Key.Type()), "Make a new one: ssh-keygen -t ed25519.")
		return false
	}
	for _, other := range p.list {
		if bytes.Equal(other.Key.Marshal(), op.Key.Marshal()) {
			p.say(codeOperatorTwice, n, fmt.Sprintf("The key stands in line %d too, so that a signature has two owners.", other.Line), "Keep one line; several names go into it with commas.")
			return false
		}
	}
	return true
}

func rsaBits(k ssh.PublicKey) int {
	c, ok := k.(ssh.CryptoPublicKey)
	if !ok {
		return 0
	}
	r, ok := c.CryptoPublicKey().(*rsa.PublicKey)
	if !ok {
		return 0
	}
	return r.N.BitLen()
}

func (p *operatorParser) options(n int, op *Operator, options []string) bool {
	for _, o := range options {
		name, value, _ := strings.Cut(o, "=")
		value = strings.Trim(value, `"`)
		var err error
		switch strings.ToLower(name) {
		case "namespaces":
			op.Namespaces, err = namespaces(value)
		case "valid-after":
			op.ValidAfter, err = keyTime(value)
		case "valid-before":
			op.ValidBefore, err = keyTime(value)
		default:
			err = fmt.Errorf("wf does not know the option %q", name)
		}
		if err != nil {
			p.say(codeOperatorOption, n, sentence(err), "Options are namespaces, valid-after and valid-before.")
			return false
		}
	}
	return true
}

var namespaceForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.@/+-]+$`) })

func namespaces(value string) ([]string, error) {
	list := strings.Split(value, ",")
	for _, ns := range list {
		if !namespaceForm().MatchString(ns) {
			return nil, fmt.Errorf("namespace %q is not a plain name", ns)
		}
	}
	return list, nil
}

// keyTime reads OpenSSH's YYYYMMDD[HHMM[SS]] with the Z that makes it UTC.
func keyTime(value string) (time.Time, error) {
	digits, ok := strings.CutSuffix(value, "Z")
	if !ok {
		return time.Time{}, fmt.Errorf("the time %q has no Z, so that its zone would be the reader's", value)
	}
	layouts := map[int]string{8: "20060102", 12: "200601021504", 14: "20060102150405"}
	t, err := time.Parse(cmp.Or(layouts[len(digits)], "20060102"), digits)
	if err != nil {
		return time.Time{}, fmt.Errorf("the time %q is not YYYYMMDDZ or YYYYMMDDHHMMSSZ", value)
	}
	return t, nil
}

var almostGroups = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^groups?[:=]`) })

// groups reads `groups=a,b` among the words of the comment.
func (p *operatorParser) groups(n int, op *Operator, comment string) bool {
	seen := false
	for _, word := range strings.Fields(comment) {
		list, ok := strings.CutPrefix(word, "groups=")
		if !ok && !almostGroups().MatchString(word) {
			continue
		}
		if !ok || seen {
			p.say(codeOperatorGroups, n, fmt.Sprintf("%q is not read as groups.", word), "Write them once, as groups=security,release.")
			return false
		}
		seen = true
		for _, g := range strings.Split(list, ",") {
			if !groupForm().MatchString(g) {
				p.say(codeOperatorGroups, n, fmt.Sprintf("%q is no name of a group.", g), "Use lower-case letters, digits, - and _.")
				return false
			}
			op.Groups = append(op.Groups, g)
		}
	}
	slices.Sort(op.Groups)
	op.Groups = slices.Compact(op.Groups)
	return true
}

func sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
