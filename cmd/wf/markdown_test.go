package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block is one part of a page that the tests act on: a code fence, or an HTML
// comment that tells them something. Readers do not see the comments.
//
//	<!-- not run: reason -->   the fence below is shown and not run
//	<!-- fragment: reason -->  the YAML below is a part of a file
//	<!-- file: PATH -->        the fence below is written to PATH
//	<!-- in: demo -->          from here on in a fresh copy of the demo's repository
//	<!-- in: empty -->         from here on in a fresh, empty folder
//	<!-- run … -->             commands that a reader does not need to see
type block struct {
	line    int
	lang    string // of a fence; "" for a comment
	text    string
	comment string   // what a comment says
	notes   []string // comments right above a fence
	from    int      // byte offsets of text in the page
	to      int
}

// note gives what a comment above the fence says after a key.
func (b block) note(key string) (string, bool) {
	for _, n := range b.notes {
		if rest, ok := strings.CutPrefix(n, key+":"); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// page is one Markdown file of the repository.
type page struct {
	name string // slash-separated, from the root
	text string
}

// pages reads the documents that people read.
func pages(t *testing.T) []page {
	t.Helper()
	names := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/decisions/*.md", "policies/examples/README.md", "policies/rego/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		require.NoError(t, err)
		for _, f := range found {
			rel, err := filepath.Rel(root, f)
			require.NoError(t, err)
			names = append(names, filepath.ToSlash(rel))
		}
	}
	slices.Sort(names)
	var out []page
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		out = append(out, page{name: name, text: string(data)})
	}
	return out
}

// blocks reads a page's fences and comments, in order.
func (p page) blocks(t *testing.T) []block {
	t.Helper()
	var out []block
	var notes []string
	lines := strings.SplitAfter(p.text, "\n")
	at := 0
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		start := at
		at += len(lines[i])
		switch {
		case strings.HasPrefix(line, "<!--"):
			first := i
			text := lines[i]
			for !strings.Contains(text, "-->") && i+1 < len(lines) {
				i++
				at += len(lines[i])
				text += lines[i]
			}
			said := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "<!--"), "-->"))
			out = append(out, block{line: first + 1, comment: said, from: start, to: at})
			notes = append(notes, said)
		case strings.HasPrefix(line, "```"):
			indent := lines[i][:strings.Index(lines[i], "```")]
			b := block{line: i + 1, lang: strings.TrimPrefix(line, "```"), notes: notes, from: at}
			if b.lang == "" {
				b.lang = "text"
			}
			var text strings.Builder
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
				text.WriteString(strings.TrimPrefix(lines[i], indent))
				at += len(lines[i])
			}
			require.Less(t, i, len(lines), "%s:%d: the fence is not closed", p.name, b.line)
			b.text, b.to, notes = text.String(), at, nil
			at += len(lines[i])
			out = append(out, b)
		case line != "":
			notes = nil
		}
	}
	return out
}

// prose is the page without its fences, comments and inline code, each line at its place.
func (p page) prose(t *testing.T) string {
	t.Helper()
	text := []byte(p.text)
	for _, b := range p.blocks(t) {
		for i := b.from; i < b.to; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	return regexp.MustCompile("`[^`\n]*`").ReplaceAllString(string(text), "")
}

var linkForm = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestDocsLinks holds that every relative link leads somewhere, anchors included.
func TestDocsLinks(t *testing.T) {
	all := map[string]page{}
	for _, p := range pages(t) {
		all[p.name] = p
	}
	for _, p := range pages(t) {
		for _, m := range linkForm.FindAllStringSubmatch(p.prose(t), -1) {
			target := m[1]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			to := p.name
			if file != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(p.name), file))
				_, err := os.Stat(filepath.Join(root, filepath.FromSlash(to)))
				require.NoError(t, err, "%s links to %s", p.name, target)
			}
			if anchor != "" {
				require.Contains(t, all[to].anchors(t), anchor, "%s links to %s", p.name, target)
			}
		}
	}
}

var headingForm = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)

// anchors are the names GitHub gives a page's headings.
func (p page) anchors(t *testing.T) []string {
	t.Helper()
	text := []byte(p.text)
	for _, b := range p.blocks(t) {
		for i := b.from; i < b.to; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	var out []string
	for _, m := range headingForm.FindAllSubmatch(text, -1) {
		name := strings.ToLower(string(m[1]))
		name = regexp.MustCompile(`[^\p{L}\p{N}\- _]`).ReplaceAllString(name, "")
		out = append(out, strings.ReplaceAll(strings.TrimSpace(name), " ", "-"))
	}
	return out
}

// TestDocsRead holds what GitHub would show wrongly: a table row of another
// width than its head, a heading without text, a list of tabs.
func TestDocsRead(t *testing.T) {
	for _, p := range pages(t) {
		lines := strings.Split(p.text, "\n")
		fenced, width := false, 0
		for i, line := range lines {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			}
			if fenced || !strings.HasPrefix(line, "|") {
				width = 0
				continue
			}
			cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if width == 0 {
				width = cells
			}
			require.Equal(t, width, cells, "%s:%d: a table row of another width: %s", p.name, i+1, line)
		}
	}
}
