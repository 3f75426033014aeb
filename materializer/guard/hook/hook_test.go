package hook_test

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/materializer/guard/hook"
)

const pre = `{"session_id":"s","transcript_path":"/t","cwd":"/w","prompt_id":"p","permission_mode":"dontAsk","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_1"}`

// answering is a guard that says the same to everyone.
func answering(t *testing.T, answer string) string {
	dir, err := os.MkdirTemp("", "h")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte(answer))
			conn.Close()
		}
	}()
	return filepath.Join(dir, "s")
}

// Nothing but a whole, plain yes is exit 0; every failure is 2 with a reason. POL-01
func TestMain(t *testing.T) {
	for _, c := range []struct {
		name, event, input, answer string
		code                       int
		says                       string
	}{
		{"yes", "pre", pre, `{"guard":1,"allowed":true}` + "\n", 0, ""},
		{"no", "pre", pre, `{"guard":1,"allowed":false,"reason":"because"}` + "\n", 2, "because"},
		{"no without a reason", "pre", pre, `{"guard":1,"allowed":false}` + "\n", 2, "without a reason"},
		{"neither", "pre", pre, `{"guard":1}` + "\n", 2, "neither yes nor no"},
		{"other version", "pre", pre, `{"guard":2,"allowed":true}` + "\n", 2, "another version"},
		{"torn yes", "pre", pre, `{"guard":1,"allowed":true}`, 2, "gave no answer"},
		{"not JSON", "pre", pre, "yes\n", 2, "cannot be read"},
		{"allowed is a text", "pre", pre, `{"guard":1,"allowed":"true"}` + "\n", 2, "cannot be read"},
		{"nothing", "pre", pre, "", 2, "gave no answer"},
		{"no input", "pre", "", `{"guard":1,"allowed":true}` + "\n", 2, "cannot be read"},
		{"torn input", "pre", pre[:60], `{"guard":1,"allowed":true}` + "\n", 2, "cannot be read"},
		{"other event", "post", pre, `{"guard":1,"allowed":true}` + "\n", 2, "was called for the event"},
		{"no such hook", "before", pre, `{"guard":1,"allowed":true}` + "\n", 2, "there is no hook"},
		{"without an id", "pre", strings.Replace(pre, "toolu_1", "", 1), `{"guard":1,"allowed":true}` + "\n", 2, "without a name or an id"},
		{"input is a list", "pre", strings.Replace(pre, `{"command":"ls"}`, `["ls"]`, 1), `{"guard":1,"allowed":true}` + "\n", 2, "not an object"},
		{"input is absent", "pre", strings.Replace(pre, `"tool_input":{"command":"ls"},`, "", 1), `{"guard":1,"allowed":true}` + "\n", 2, "not an object"},
		{"too long", "pre", strings.Repeat(" ", hook.MaxInput) + pre, `{"guard":1,"allowed":true}` + "\n", 2, "longer than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr bytes.Buffer
			code := hook.Main([]string{c.event}, answering(t, c.answer), strings.NewReader(c.input), &stderr)
			require.Equal(t, c.code, code)
			require.Contains(t, stderr.String(), c.says)
		})
	}
	for _, socket := range []string{"", "/nowhere/s", t.TempDir()} {
		var stderr bytes.Buffer
		require.Equal(t, 2, hook.Main([]string{"pre"}, socket, strings.NewReader(pre), &stderr))
		require.NotEmpty(t, stderr.String())
	}
	require.Equal(t, 2, hook.Main(nil, "", strings.NewReader(pre), &bytes.Buffer{}))
	require.Equal(t, 2, hook.Main([]string{"pre"}, "", broken{}, &bytes.Buffer{}))
}

// broken is a standard input that was closed.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, os.ErrClosed }

// What is read keeps what the program said. POL-06
func TestRead(t *testing.T) {
	q, err := hook.Read(hook.Pre, []byte(pre))
	require.NoError(t, err)
	require.Equal(t, hook.Question{Guard: 1, Event: hook.Pre, ID: "toolu_1", Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`), Session: "s", Cwd: "/w", Mode: "dontAsk"}, q)
	_, err = hook.Read(hook.Stop, []byte(`{"session_id":"s","hook_event_name":"SubagentStop","stop_hook_active":false}`))
	require.NoError(t, err)
}

// What Read accepts is a question that passes its own check, after the wire too.
func FuzzRead(f *testing.F) {
	f.Add("pre", []byte(pre))
	f.Add("stop", []byte(`{"hook_event_name":"Stop"}`))
	f.Fuzz(func(t *testing.T, event string, data []byte) {
		q, err := hook.Read(hook.Event(event), data)
		if err != nil {
			return
		}
		line, err := json.Marshal(q)
		require.NoError(t, err)
		require.NotContains(t, string(line), "\n")
		var back hook.Question
		require.NoError(t, json.Unmarshal(line, &back))
		require.NoError(t, back.Check())
	})
}
