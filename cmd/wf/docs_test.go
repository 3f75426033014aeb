package main_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// update makes the tests write what they would compare: `make generate`.
var update = flag.Bool("update", false, "write generated pages and shown output instead of comparing them")

// builtBinary builds wf once and gives the folder it lies in.
var builtBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "wf-docs-bin")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "wf"), ".")
	cmd.Stderr = os.Stderr
	return dir, cmd.Run()
})

// TestDocsCommands runs every command block of README and docs, page by page,
// against the real binary in throwaway repositories, and compares what it
// prints with what the page shows.
func TestDocsCommands(t *testing.T) {
	bin, err := builtBinary()
	require.NoError(t, err)
	for _, p := range pages(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := newReader(t, bin)
			for _, b := range p.blocks(t) {
				r.follow(p, b)
			}
			if *update && len(r.edits) > 0 {
				r.rewrite(p)
			}
		})
	}
}

// reader follows a page as a person would, in one folder after the other.
type reader struct {
	t     *testing.T
	bin   string
	home  string
	dir   string
	edits []edit
}

type edit struct {
	from, to int
	text     string
}

func newReader(t *testing.T, bin string) *reader {
	r := &reader{t: t, bin: bin, home: t.TempDir()}
	config := "[user]\n\tname = A Reader\n\temail = reader@example.com\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgsign = false\n"
	require.NoError(t, os.WriteFile(filepath.Join(r.home, ".gitconfig"), []byte(config), 0o600))
	r.enter("empty")
	return r
}

// enter makes a fresh folder: empty, or with the demo's repository committed.
func (r *reader) enter(what string) {
	r.dir = filepath.Join(r.t.TempDir(), "shop")
	require.NoError(r.t, os.MkdirAll(r.dir, 0o755))
	switch what {
	case "empty":
	case "demo":
		demo, err := filepath.Abs(filepath.Join(root, "testdata", "demo", "repo"))
		require.NoError(r.t, err)
		require.NoError(r.t, os.CopyFS(r.dir, os.DirFS(demo)))
		r.run("mv go.mod.txt go.mod && git init -q && git add -A && git commit -qm 'a small shop'", 0)
	default:
		r.t.Fatalf("<!-- in: %s --> is demo or empty", what)
	}
}

func (r *reader) follow(p page, b block) {
	r.t.Helper()
	if rest, ok := strings.CutPrefix(b.comment, "in:"); ok {
		r.enter(strings.TrimSpace(rest))
		return
	}
	if rest, ok := strings.CutPrefix(b.comment, "run\n"); ok {
		r.run(rest, 0)
		return
	}
	if file, ok := b.note("file"); ok {
		path := filepath.Join(r.dir, filepath.FromSlash(file))
		require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(r.t, os.WriteFile(path, []byte(b.text), 0o644))
	}
	if reason, ok := b.note("not run"); ok {
		require.NotEmpty(r.t, reason, "%s:%d: say why it is not run", p.name, b.line)
		return
	}
	switch b.lang {
	case "sh":
		out := r.run(b.text, wantedExit(b.text))
		r.t.Logf("%s:%d:\n%s", p.name, b.line, out)
	case "console":
		r.console(p, b)
	}
}

var exitForm = regexp.MustCompile(`# exit (\d+)`)

// wantedExit is the status a command is to end with, as a comment behind it says.
func wantedExit(text string) int {
	all := exitForm.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return 0
	}
	n, err := strconv.Atoi(all[len(all)-1][1])
	if err != nil {
		return 0
	}
	return n
}

// console runs `$ command` lines; the lines below one are what it prints, where
// … stands for any text in a line, and a line of … alone for any lines.
func (r *reader) console(p page, b block) {
	r.t.Helper()
	var shown strings.Builder
	for _, part := range strings.Split("\n"+b.text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		got := r.run(command, wantedExit(command))
		want = strings.TrimRight(want, "\n")
		shown.WriteString("$ " + command + "\n")
		if want == "" {
			continue
		}
		fits := regexp.MustCompile(shownForm(want)).MatchString(trimLines(got))
		if *update && !strings.Contains("\n"+want+"\n", "\n…\n") {
			shown.WriteString(masked(got, want, fits))
			continue
		}
		shown.WriteString(want + "\n")
		require.True(r.t, fits, "%s:%d: `%s` prints something else; mend the page (make generate mends what is shown whole):\n%s", p.name, b.line, command, got)
	}
	if *update && shown.String() != b.text {
		r.edits = append(r.edits, edit{b.from, b.to, shown.String()})
	}
}

// shownForm is a shown output as a pattern.
func shownForm(want string) string {
	var out strings.Builder
	out.WriteString(`\A`)
	for _, line := range strings.Split(want, "\n") {
		if strings.TrimSpace(line) == "…" {
			out.WriteString(`(?:.*\n)*?`)
			continue
		}
		line = regexp.QuoteMeta(strings.TrimRight(line, " "))
		out.WriteString(strings.ReplaceAll(line, "…", ".*") + `\n`)
	}
	return out.String() + `\z`
}

var hexForm = regexp.MustCompile(`\b[0-9a-f]{8}-\d\b|\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{12}\b`)

var keyForm = regexp.MustCompile(`SHA256:[A-Za-z0-9+/]{43}`)

// masked is an output as a page shows it: names that differ from run to run are cut.
func masked(got, want string, fits bool) string {
	if fits {
		return want + "\n"
	}
	return keyForm.ReplaceAllString(hexForm.ReplaceAllString(trimLines(got), "…"), "SHA256:…")
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// run runs a script where the reader stands, and stays where it went.
func (r *reader) run(script string, exit int) string {
	r.t.Helper()
	where := filepath.Join(r.home, "where")
	cmd := exec.Command("bash", "-c", "set -eu -o pipefail\ntrap 'pwd > \""+where+"\"' EXIT\n"+script)
	cmd.Dir = r.dir
	cmd.Env = append(cleanEnv(), "HOME="+r.home, "PATH="+r.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "NO_COLOR=1", "TERM=dumb")
	out, err := cmd.CombinedOutput()
	got := 0
	if err != nil {
		var ended *exec.ExitError
		require.ErrorAs(r.t, err, &ended, "%s", script)
		got = ended.ExitCode()
	}
	require.Equal(r.t, exit, got, "exit status of\n%s\n%s", script, out)
	to, err := os.ReadFile(where)
	require.NoError(r.t, err)
	r.dir = strings.TrimSpace(string(to))
	return string(out)
}

// cleanEnv is this process's environment without what would lead git or wf elsewhere.
func cleanEnv() []string {
	var out []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case name == "HOME", name == "PATH", name == "SSH_AUTH_SOCK", name == "NO_COLOR", name == "TERM":
		case strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "WF_"), strings.HasPrefix(name, "XDG_"):
		default:
			out = append(out, entry)
		}
	}
	return out
}

func (r *reader) rewrite(p page) {
	text := p.text
	for i := len(r.edits) - 1; i >= 0; i-- {
		e := r.edits[i]
		text = text[:e.from] + e.text + text[e.to:]
	}
	require.NoError(r.t, os.WriteFile(filepath.Join(root, filepath.FromSlash(p.name)), []byte(text), 0o644))
}

// TestDocsFences holds that every shell or YAML block is run, validated, or marked.
func TestDocsFences(t *testing.T) {
	for _, p := range pages(t) {
		for _, b := range p.blocks(t) {
			if b.comment != "" {
				continue
			}
			_, fragment := b.note("fragment")
			_, file := b.note("file")
			switch b.lang {
			case "yaml":
				if p.name != "docs/gates.md" { // its fragments are validated beside the gates
					require.True(t, fragment || file || isWorkflow(b), "%s:%d: YAML that is no whole workflow needs <!-- file: … --> or <!-- fragment: … -->", p.name, b.line)
				}
			case "bash", "shell":
				t.Errorf("%s:%d: call the block sh or console, so that it is run", p.name, b.line)
			}
		}
	}
}

func isWorkflow(b block) bool {
	return strings.HasPrefix(b.text, "wf: 1\n") || strings.Contains(b.text, "\nwf: 1\n")
}

var nameForm = regexp.MustCompile(`(?m)^name: ([a-z0-9-]+)`)

// TestDocsWorkflows validates every whole workflow that a page shows, where the
// page is. Files it refers to are laid by the page's own <!-- file: … --> blocks.
func TestDocsWorkflows(t *testing.T) {
	bin, err := builtBinary()
	require.NoError(t, err)
	for _, p := range pages(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := newReader(t, bin)
			r.run("git init -q && mkdir workflows && git commit -q --allow-empty -m first", 0)
			for _, b := range p.blocks(t) {
				if file, ok := b.note("file"); ok && !isWorkflow(b) {
					path := filepath.Join(r.dir, filepath.FromSlash(file))
					require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
					require.NoError(t, os.WriteFile(path, []byte(b.text), 0o644))
				}
			}
			for _, b := range p.blocks(t) {
				if _, fragment := b.note("fragment"); b.lang != "yaml" || fragment || !isWorkflow(b) {
					continue
				}
				m := nameForm.FindStringSubmatch(b.text)
				require.NotNil(t, m, "%s:%d: the workflow has no name", p.name, b.line)
				require.NoError(t, os.WriteFile(filepath.Join(r.dir, "workflows", m[1]+".wf.yaml"), []byte(b.text), 0o644))
				wrong, _ := b.note("wrong")
				if wrong == "" {
					r.run("wf validate "+m[1], 0)
					continue
				}
				require.Contains(t, r.run("wf validate "+m[1]+" # exit 1", 1), wrong, "%s:%d", p.name, b.line)
			}
		})
	}
}

var codeForm = regexp.MustCompile(`\bWF\d{3}\b`)

// TestDocsCodes holds that every finding named anywhere has a page.
func TestDocsCodes(t *testing.T) {
	for _, p := range pages(t) {
		for _, code := range codeForm.FindAllString(p.text, -1) {
			_, err := diag.Page(code)
			require.NoError(t, err, "%s names %s, which has no page", p.name, code)
		}
	}
}
