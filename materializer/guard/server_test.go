package guard_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/materializer/guard"
	"github.com/seed9cc7a46e/wf/materializer/guard/hook"
)

// socketDir is a folder whose path is short enough, whatever the test's is.
func socketDir(t testing.TB) string {
	dir, err := os.MkdirTemp("", "g")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func serve(t testing.TB, change func(*guard.Options)) (*guard.Server, string) {
	t.Helper()
	records := filepath.Join(t.TempDir(), "guard.jsonl")
	o := guard.Options{Table: builtIn(t), Dir: socketDir(t), Records: records, Now: func() time.Time { return time.Unix(1, 0) }, Timeout: 2 * time.Second}
	if change != nil {
		change(&o)
	}
	s, err := guard.Serve(o)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s, records
}

func question(id, tool, input string) hook.Question {
	return hook.Question{Guard: hook.Version, Event: hook.Pre, ID: id, Tool: tool, Input: json.RawMessage(input)}
}

// Each decision is in the file, by the id of its use, before it is told.
func TestServerRecords(t *testing.T) {
	s, records := serve(t, func(o *guard.Options) {
		o.Redact = func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "hush", "[redacted]")) }
	})
	a, err := hook.Ask(s.Socket(), question("1", "Bash", `{"command":"ls hush"}`), time.Second)
	require.NoError(t, err)
	require.True(t, a.Allowed)
	a, err = hook.Ask(s.Socket(), question("2", "Bash", `{"command":"git push --force"}`), time.Second)
	require.NoError(t, err)
	require.False(t, a.Allowed)
	require.Contains(t, a.Reason, "a force push overwrites what others pushed (rule Bash(git push")
	got, err := guard.ReadRecords(records)
	require.NoError(t, err)
	require.Equal(t, s.Records(), got)
	require.Len(t, got, 2)
	require.Equal(t, guard.Allow, got[0].Decision)
	require.Equal(t, "ls [redacted]", got[0].About)
	require.Equal(t, guard.HardDeny, got[1].Decision)
	require.Equal(t, []int{1, 2}, []int{got[0].N, got[1].N})

	// The same use again is the same answer; with another input it is none.
	a, err = hook.Ask(s.Socket(), question("1", "Bash", `{"command":"ls hush"}`), time.Second)
	require.NoError(t, err)
	require.True(t, a.Allowed)
	a, err = hook.Ask(s.Socket(), question("1", "Bash", `{"command":"ls"}`), time.Second)
	require.NoError(t, err)
	require.False(t, a.Allowed)
}

// Many ask at once; each has its record.
func TestServerAtOnce(t *testing.T) {
	s, _ := serve(t, nil)
	var all sync.WaitGroup
	for n := range 60 {
		all.Go(func() {
			a, err := hook.Ask(s.Socket(), question(fmt.Sprint(n), "Read", `{"file_path":"a"}`), 10*time.Second)
			if err != nil || !a.Allowed {
				t.Errorf("%d: %v %v", n, a, err)
			}
		})
	}
	all.Wait()
	require.Len(t, s.Records(), 60)
}

// Whatever comes over the socket, nothing is allowed by it and the guard goes on. POL-01, POL-23
func TestServerMalformed(t *testing.T) {
	s, _ := serve(t, func(o *guard.Options) { o.Timeout = 200 * time.Millisecond })
	for _, text := range []string{
		"", "\n", "{}\n", "null\n", "[]\n", "{\"guard\":1}\n", "\xff\xfe\n", "no newline", `{"guard":2,"event":"pre","id":"1","tool":"Read","input":{"file_path":"a"}}` + "\n",
		`{"guard":1,"event":"later","id":"1","tool":"Read","input":{"file_path":"a"}}` + "\n", `{"guard":1,"event":"pre","id":"","tool":"Read","input":{"file_path":"a"}}` + "\n",
		`{"guard":1,"event":"pre","id":"1","tool":"Read","input":"a"}` + "\n", strings.Repeat("a", hook.MaxInput+10) + "\n", strings.Repeat("[", 100_000) + "\n",
	} {
		conn, err := net.Dial("unix", s.Socket())
		require.NoError(t, err)
		_, _ = conn.Write([]byte(text)) // the guard may stop reading first
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(5*time.Second)))
		answer, _ := io.ReadAll(conn)
		require.NotContains(t, string(answer), `"allowed":true`, "%.40q", text)
		conn.Close()
	}
	a, err := hook.Ask(s.Socket(), question("9", "Read", `{"file_path":"a"}`), 5*time.Second)
	require.NoError(t, err)
	require.True(t, a.Allowed)
}

// A record that cannot be written, a caller that is not the unit's: refused.
func TestServerFailsClosed(t *testing.T) {
	s, _ := serve(t, func(o *guard.Options) { o.Admit = func(pid int) bool { return pid != os.Getpid() } })
	a, err := hook.Ask(s.Socket(), question("1", "Read", `{"file_path":"a"}`), time.Second)
	require.NoError(t, err)
	require.False(t, a.Allowed)
	require.Empty(t, s.Records())
	if _, err := os.Stat("/dev/full"); err == nil {
		full, _ := serve(t, func(o *guard.Options) { o.Records = "/dev/full" })
		a, err := hook.Ask(full.Socket(), question("1", "Read", `{"file_path":"a"}`), time.Second)
		require.NoError(t, err)
		require.False(t, a.Allowed)
		require.Contains(t, a.Reason, "cannot record")
	}
	_, err = guard.Serve(guard.Options{Table: builtIn(t), Dir: "/" + strings.Repeat("x", 120), Records: filepath.Join(t.TempDir(), "r")})
	require.ErrorContains(t, err, "too long")
}

// Each use of the stream needs a record of its own, of the same tool. POL-23
func TestReconcile(t *testing.T) {
	records := []guard.Record{
		{Event: hook.Pre, ID: "1", Tool: "Read", Ruling: guard.Ruling{Decision: guard.Allow}},
		{Event: hook.Pre, ID: "2", Tool: "Bash", About: "make", Ruling: guard.Ruling{Decision: guard.Ask, Rule: "Bash(make*)", Layer: "project", Reason: "ask first"}},
		{Event: hook.Post, ID: "3", Tool: "Bash"},
	}
	got := guard.Reconcile(records, []guard.Used{{ID: "1", Tool: "Read"}, {ID: "1", Tool: "Read"}, {ID: "2", Tool: "Write"}, {ID: "3", Tool: "Bash"}, {ID: "", Tool: "Bash"}})
	require.Equal(t, []string{"Read (1)", "Write (2)", "Bash (3)", "Bash ()"}, got.Unguarded)
	require.Equal(t, []string{"Bash(make): ask first [Bash(make*), project layer, ask]"}, got.Denied)
	require.Equal(t, got.Denied, got.Asks)
}

// The client links nothing that makes a cold start slow.
func TestClientLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/seed9cc7a46e/wf/cmd/wf-hook").Output()
	require.NoError(t, err)
	for _, dep := range strings.Fields(string(out)) {
		if strings.Contains(strings.SplitN(dep, "/", 2)[0], ".") {
			require.Contains(t, []string{"github.com/seed9cc7a46e/wf/materializer/guard/hook", "github.com/seed9cc7a46e/wf/cmd/wf-hook"}, dep, "wf-hook links the standard library and the question alone")
		}
	}
}
