package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"
)

// editor is a client of the language server: the real binary over its real
// streams, with framing that is not ours.
type editor struct {
	t     *testing.T
	conn  *jsonrpc2.Conn
	cmd   *exec.Cmd
	root  string
	asked chan string          // methods that the server asks for
	told  chan json.RawMessage // what it publishes
	last  map[string]published // by the file's name
}

type published struct {
	URI         string
	Version     int
	Diagnostics []struct {
		Code, Message, Source string
		Severity              int
		Range                 editorRange
		RelatedInformation    []struct{ Message string }
	}
}

type editorPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type editorRange struct {
	Start editorPosition `json:"start"`
	End   editorPosition `json:"end"`
}

type pipes struct {
	io.ReadCloser
	io.WriteCloser
}

func (p pipes) Close() error { return p.WriteCloser.Close() }

// newEditor starts `wf lsp` in a fresh repository with these files.
func newEditor(t *testing.T, files map[string]string) *editor {
	bin, err := builtBinary()
	require.NoError(t, err)
	e := &editor{t: t, root: t.TempDir(), asked: make(chan string, 8), told: make(chan json.RawMessage, 1000), last: map[string]published{}}
	require.NoError(t, os.Mkdir(filepath.Join(e.root, ".git"), 0o755))
	for name, text := range files {
		e.save(name, text)
	}
	e.cmd = exec.Command(filepath.Join(bin, "wf"), "lsp", "--stdio")
	e.cmd.Dir, e.cmd.Stderr = e.root, os.Stderr
	in, err := e.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := e.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, e.cmd.Start())
	t.Cleanup(func() { _ = e.cmd.Process.Kill() })
	stream := jsonrpc2.NewBufferedStream(pipes{out, in}, jsonrpc2.VSCodeObjectCodec{})
	e.conn = jsonrpc2.NewConn(context.Background(), stream, jsonrpc2.HandlerWithError(e.hear), jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	return e
}

func (e *editor) hear(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) {
	if req.Method == "textDocument/publishDiagnostics" {
		e.told <- *req.Params
		return nil, nil
	}
	e.asked <- req.Method
	return nil, nil
}

func (e *editor) save(name, text string) {
	path := filepath.Join(e.root, filepath.FromSlash(name))
	require.NoError(e.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(e.t, os.WriteFile(path, []byte(text), 0o644))
}

func (e *editor) uri(name string) string {
	return "file://" + filepath.ToSlash(filepath.Join(e.root, filepath.FromSlash(name)))
}

func (e *editor) ask(method, params string, result any) {
	e.t.Helper()
	require.NoError(e.t, e.conn.Call(context.Background(), method, json.RawMessage(params), result), "%s %s", method, params)
}

func (e *editor) tell(method, params string) {
	e.t.Helper()
	require.NoError(e.t, e.conn.Notify(context.Background(), method, json.RawMessage(params)))
}

func (e *editor) open(name, text string) {
	e.tell("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"yaml","version":1,"text":%s}}`, e.uri(name), quoteJSON(text)))
}

// change replaces one text of a document, of which it stands first at a line and column.
func (e *editor) change(name string, version, line, from, to int, text string) {
	e.tell("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"text":%s}]}`,
		e.uri(name), version, line, from, line, to, quoteJSON(text)))
}

func quoteJSON(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(out)
}

// until waits for diagnostics of a file that fit. A server that never says so
// meets the deadline of the whole test.
func (e *editor) until(name string, fits func(published) bool) published {
	e.t.Helper()
	for {
		if p, ok := e.last[name]; ok && fits(p) {
			return p
		}
		select {
		case raw := <-e.told:
			var p published
			require.NoError(e.t, json.Unmarshal(raw, &p))
			e.last[strings.TrimPrefix(p.URI, e.uri("")+"/")] = p
		case <-time.After(time.Minute):
			e.t.Fatalf("no such diagnostics of %s; the last are %+v", name, e.last[name])
		}
	}
}

func (p published) codes() []string {
	out := []string{}
	for _, d := range p.Diagnostics {
		out = append(out, d.Code)
	}
	return out
}

func (e *editor) doc(name string, more string) string {
	return fmt.Sprintf(`{"textDocument":{"uri":%q}%s}`, e.uri(name), more)
}

func (e *editor) at(name string, line, character int) string {
	return e.doc(name, fmt.Sprintf(`,"position":{"line":%d,"character":%d}`, line, character))
}

const small = `wf: 1
name: small
limits: {budget: 5 USD}
roles:
  dev: {mode: review, agent: replay}
tickets:
  look:
    role: dev
    brief: "😀 é: look."
`

// TestLanguageServer is one session of an editor with the real binary, from
// hello to goodbye: type, see, complete, look, jump, mend, lay out.
func TestLanguageServer(t *testing.T) {
	e := newEditor(t, map[string]string{"workflows/small.wf.yaml": small, "wf.yaml": "limits:\n  budget: 50 USD\n"})
	const file = "workflows/small.wf.yaml"
	var hello struct {
		Capabilities struct{ PositionEncoding string }
		ServerInfo   struct{ Name string }
	}
	e.ask("initialize", `{"processId":null,"rootUri":null,"capabilities":{"workspace":{"didChangeWatchedFiles":{"dynamicRegistration":true}}}}`, &hello)
	require.Equal(t, "utf-16", hello.Capabilities.PositionEncoding)
	require.Equal(t, "wf", hello.ServerInfo.Name)
	e.tell("initialized", `{}`)
	require.Equal(t, "client/registerCapability", <-e.asked)

	e.open(file, small)
	require.Empty(t, e.until(file, func(p published) bool { return p.Version == 1 }).Diagnostics)

	// A role is misspelt while typing: the finding stands at the word, behind wide characters in other lines.
	e.change(file, 2, 7, 10, 13, "dv")
	p := e.until(file, func(p published) bool { return p.Version == 2 && len(p.Diagnostics) > 0 })
	require.Contains(t, p.codes(), "WF302")
	require.Equal(t, editorRange{editorPosition{7, 10}, editorPosition{7, 12}}, p.Diagnostics[len(p.Diagnostics)-1].Range)

	// The quick fix puts it right.
	var actions []struct {
		Title string
		Edit  struct {
			Changes map[string][]struct{ NewText string }
		}
	}
	e.ask("textDocument/codeAction", e.doc(file, `,"range":{"start":{"line":7,"character":11},"end":{"line":7,"character":11}},"context":{"diagnostics":[]}`), &actions)
	require.Len(t, actions, 1)
	require.Equal(t, "dev", actions[0].Edit.Changes[e.uri(file)][0].NewText)
	e.change(file, 3, 7, 10, 12, "dev")
	require.Empty(t, e.until(file, func(p published) bool { return p.Version == 3 }).Diagnostics)

	// UTF-16: the emoji is two units, so the column of an expression behind it is 13 + 2.
	e.change(file, 4, 8, 12, 23, "😀 ${{ inputs.x }}")
	p = e.until(file, func(p published) bool { return p.Version == 4 && len(p.Diagnostics) > 0 })
	require.Equal(t, 8, p.Diagnostics[0].Range.Start.Line)
	require.GreaterOrEqual(t, p.Diagnostics[0].Range.Start.Character, 19)
	e.change(file, 5, 8, 12, 30, "look")

	// Completion works while the file is broken.
	e.change(file, 6, 7, 4, 13, "ro")
	var list struct {
		Items []struct{ Label string }
	}
	e.ask("textDocument/completion", e.at(file, 7, 6), &list)
	require.Contains(t, fmt.Sprint(list.Items), "role")
	e.change(file, 7, 7, 4, 6, "role: dev")

	var hover struct{ Contents struct{ Value string } }
	e.ask("textDocument/hover", e.at(file, 7, 5), &hover)
	require.Contains(t, hover.Contents.Value, "Who does it")
	var places []struct{ Range editorRange }
	e.ask("textDocument/definition", e.at(file, 7, 11), &places)
	require.Len(t, places, 1)
	require.Equal(t, 4, places[0].Range.Start.Line)
	var outline []struct{ Name string }
	e.ask("textDocument/documentSymbol", e.doc(file, ""), &outline)
	require.Contains(t, fmt.Sprint(outline), "tickets")

	// Formatting.
	e.change(file, 8, 4, 0, 2, "      ")
	var edits []struct{ NewText string }
	e.ask("textDocument/formatting", e.doc(file, `,"options":{"tabSize":4,"insertSpaces":true}`), &edits)
	require.Len(t, edits, 1)
	require.Equal(t, "  dev: {mode: review, agent: replay}\n", edits[0].NewText)
	e.change(file, 9, 4, 0, 6, "  ")
	require.Empty(t, e.until(file, func(p published) bool { return p.Version == 9 }).Diagnostics)

	// Settings: on disk and being typed. The workflow is read again when they change.
	e.save("wf.yaml", "agents: [codex]\n")
	e.tell("workspace/didChangeWatchedFiles", fmt.Sprintf(`{"changes":[{"uri":%q,"type":2}]}`, e.uri("wf.yaml")))
	require.Contains(t, e.until(file, func(p published) bool { return len(p.Diagnostics) > 0 }).codes(), "WF126")
	e.open("wf.yaml", "agents: [replay]\nnonsense: 1\n")
	require.Contains(t, e.until("wf.yaml", func(p published) bool { return len(p.Diagnostics) > 0 }).codes(), "WF101")
	e.until(file, func(p published) bool { return len(p.Diagnostics) == 0 })

	// A closed document says nothing more.
	e.tell("textDocument/didClose", e.doc("wf.yaml", ""))
	require.Contains(t, e.until(file, func(p published) bool { return len(p.Diagnostics) > 0 }).codes(), "WF126")

	// What it does not know is refused, and the session goes on.
	err := e.conn.Call(context.Background(), "textDocument/fly", json.RawMessage(`{}`), nil)
	var refused *jsonrpc2.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, int64(jsonrpc2.CodeMethodNotFound), refused.Code)
	e.ask("shutdown", `null`, nil)
	e.tell("exit", `null`)
	require.NoError(t, e.cmd.Wait())
}

// TestLanguageServerUTF8: a client that counts bytes is answered in bytes; one
// that goes away without a word leaves status 1.
func TestLanguageServerUTF8(t *testing.T) {
	e := newEditor(t, nil)
	var hello struct {
		Capabilities struct{ PositionEncoding string }
	}
	e.ask("initialize", `{"capabilities":{"general":{"positionEncodings":["utf-8","utf-16"]}}}`, &hello)
	require.Equal(t, "utf-8", hello.Capabilities.PositionEncoding)
	e.tell("initialized", `{}`)
	text := strings.Replace(small, "look.\"", "\" # 😀\n    nonsense: 1", 1)
	e.open("a.wf.yaml", strings.Replace(text, "brief: \"😀 é: ", "title: 😀\n    brief: {\"é\": \"x\", y: \"", 1))
	p := e.until("a.wf.yaml", func(p published) bool { return len(p.Diagnostics) > 0 })
	require.NotEmpty(t, p.Diagnostics)
	e.tell("exit", `null`)
	var ended *exec.ExitError
	require.ErrorAs(t, e.cmd.Wait(), &ended)
	require.Equal(t, 1, ended.ExitCode())
}

// TestLanguageServerLargeFile: a megabyte is opened, edited often and asked
// about; edits that come while it is read wait together for the next reading.
func TestLanguageServerLargeFile(t *testing.T) {
	e := newEditor(t, nil)
	e.ask("initialize", `{"capabilities":{}}`, nil)
	e.tell("initialized", `{}`)
	var b strings.Builder
	b.WriteString("wf: 1\nname: big\nlimits: {budget: 5 USD}\nroles:\n  dev: {mode: review}\ntickets:\n")
	for i := range 9600 {
		fmt.Fprintf(&b, "  t%d:\n    role: dev\n    brief: Look at the things of part number %d of this very large workflow, with care.\n", i, i)
	}
	require.Greater(t, b.Len(), 1<<20)
	e.open("big.wf.yaml", b.String())
	const edits = 70
	for v := 2; v < 2+edits; v++ {
		e.change("big.wf.yaml", v, 1, 6, 6, "x")
	}
	var list struct {
		Items []struct{ Label string }
	}
	e.ask("textDocument/completion", e.at("big.wf.yaml", 7, 10), &list)
	require.Contains(t, fmt.Sprint(list.Items), "dev")
	p := e.until("big.wf.yaml", func(p published) bool { return p.Version == edits+1 })
	require.Contains(t, p.codes(), "WF106")
	require.Less(t, len(e.told), edits, "not every version was read")
	e.ask("shutdown", `null`, nil)
	e.tell("exit", `null`)
	require.NoError(t, e.cmd.Wait())
}
