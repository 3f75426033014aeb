// Package ticket defines the ticket file: one ticket as Markdown, a front matter
// with what is measured and five fixed sections.
//
// Enter with Render, which makes the file out of values; For makes a unit's copy;
// Check tells whether a copy that came back was changed only where its unit may,
// and takes out what it wrote. The file is a projection: the journal is the authority.
//
//	---
//	id: T-003
//	address: "change[\"api\"]"
//	title: "Build api"
//	status: running
//	stage: implement
//	bounces: 0
//	branch: wf/ship/1a2b3c4d-1/T-003
//	base: 9fceb02…
//	scope: ["src/api/**"]
//	needs: [T-001]
//	---
//
//	## Brief
//	…
//	## Acceptance
//	- [ ] All tests pass (tests)
//	## Plan
//	## Log
//	## Verdicts
//
// A heading of two signs begins a section, so that none may come from a text:
// in texts of others such a line is indented. Rejected: sections told apart by
// comments, which a reader does not see and an agent deletes.
package ticket

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileName is the name of a unit's copy in its exchange folder.
const FileName = "ticket.md"

// The sections, in their order.
const (
	Brief      = "Brief"
	Acceptance = "Acceptance"
	Plan       = "Plan"
	Log        = "Log"
	Verdicts   = "Verdicts"
)

// Sections lists the sections in their order.
var sections = []string{Brief, Acceptance, Plan, Log, Verdicts}

// MaxSection bounds a section's text in bytes; a longer one is cut when it is
// rendered, at its beginning for Plan and Log, and refused when it comes back.
const MaxSection = 64 << 10

// MaxFile bounds a file that Check reads.
const MaxFile = 512 << 10

// File is a ticket as its file shows it.
type File struct {
	ID, Address, Title, Status, Stage string
	Bounces                           int
	Branch, Base                      string
	Scope, Needs                      []string

	Brief      string
	Acceptance []Row
	Plan, Log  string
	Verdicts   []Verdict
}

// Row is an acceptance row.
type Row struct {
	What   string
	By     string
	Record string // what backs it; empty: nothing yet
}

// Verdict is one refusal or verdict of a unit.
type Verdict struct {
	Unit    string // T-003/qa/1
	Verdict string // PASS, FAIL; or the contract that was broken
	Commit  string
	Reason  string
}

// Section is a part that a unit wrote.
type Section struct {
	Name string
	Text string
}

// Render gives the file's bytes; equal files give equal bytes.
func Render(f File) []byte { return render(f, sections) }

// For gives a unit's copy. A verdict unit sees Brief and Acceptance alone: what
// the writers planned and noted is not for its eyes.
func For(f File, verdict bool) []byte {
	if verdict {
		return render(f, sections[:2])
	}
	return render(f, sections)
}

func render(f File, shown []string) []byte {
	var b strings.Builder
	f.frontMatter(&b)
	for _, name := range shown {
		b.WriteString("\n## " + name + "\n")
		if text := f.section(name); text != "" {
			b.WriteString("\n" + text)
			if !strings.HasSuffix(text, "\n") {
				b.WriteString("\n")
			}
		}
	}
	return []byte(b.String())
}

func (f File) frontMatter(b *strings.Builder) {
	b.WriteString("---\n")
	for _, kv := range [][2]string{
		{"id", scalar(f.ID)}, {"address", scalar(f.Address)}, {"title", scalar(f.Title)}, {"status", scalar(f.Status)},
		{"stage", scalar(f.Stage)}, {"bounces", strconv.Itoa(f.Bounces)}, {"branch", scalar(f.Branch)},
		{"base", scalar(f.Base)}, {"scope", list(f.Scope)}, {"needs", list(f.Needs)},
	} {
		b.WriteString(kv[0] + ": " + kv[1] + "\n")
	}
	b.WriteString("---\n")
}

func list(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = scalar(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// scalar writes text as YAML on one line: in JSON's quotes, which YAML reads the same.
func scalar(text string) string {
	raw, err := json.Marshal(line(text))
	if err != nil {
		return `""` // a string always encodes
	}
	return string(raw)
}

func (f File) section(name string) string {
	switch name {
	case Brief:
		return Guard(bound(f.Brief, false))
	case Acceptance:
		return f.rows()
	case Plan:
		return Guard(bound(f.Plan, true))
	case Log:
		return Guard(bound(f.Log, true))
	}
	return f.verdicts()
}

func (f File) rows() string {
	var b strings.Builder
	for _, r := range f.Acceptance {
		mark, backed := " ", ""
		if r.Record != "" {
			mark, backed = "x", ": "+line(r.Record)
		}
		b.WriteString("- [" + mark + "] " + line(r.What) + " (" + line(r.By) + backed + ")\n")
	}
	return b.String()
}

func (f File) verdicts() string {
	var b strings.Builder
	for _, v := range f.Verdicts {
		b.WriteString("- " + line(v.Unit) + ": " + line(v.Verdict))
		if v.Commit != "" {
			b.WriteString(" on " + line(v.Commit))
		}
		b.WriteString("\n")
		if v.Reason != "" {
			for l := range strings.SplitSeq(strings.TrimRight(bound(clean(v.Reason), false), "\n"), "\n") {
				b.WriteString("  > " + l + "\n")
			}
		}
	}
	return b.String()
}

// Guard makes foreign text fit to stand in a section: lines that would begin a
// section, or the front matter, are indented; signs nobody sees are taken out.
func Guard(text string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(strings.TrimRight(clean(text), "\n"), "\n") {
		if _, isHeading := heading(l); isHeading || strings.HasPrefix(l, "---") {
			b.WriteString("    ")
		}
		b.WriteString(l + "\n")
	}
	if strings.TrimSpace(b.String()) == "" {
		return ""
	}
	return b.String()
}

// clean keeps line breaks and tabs of the signs that are not seen, and makes one kind of line break.
func clean(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return visible(r)
	}, text)
}

func visible(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
		return -1
	}
	return r
}

// line makes foreign text one line.
func line(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

const cutMark = "[… cut …]"

// bound cuts a text to MaxSection and marks the cut; tail keeps its end.
func bound(text string, tail bool) string {
	if len(text) <= MaxSection {
		return text
	}
	room := MaxSection - len(cutMark) - 1
	if tail {
		from := len(text) - room
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
		return cutMark + "\n" + text[from:]
	}
	for room > 0 && !utf8.RuneStart(text[room]) {
		room--
	}
	return text[:room] + "\n" + cutMark
}
