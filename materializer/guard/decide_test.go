package guard_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/materializer/guard"
)

func table(t testing.TB, s guard.Spec) guard.Table {
	t.Helper()
	s.Unit, s.Mode, s.Worktree = "T-001/work/1", "chat", tree
	s.Own = []string{"/srv/units/x", "/srv/units/tmp", "/srv/units/home"}
	s.Vars = []guard.Var{{Name: "WF_UNIT", Value: "/srv/units/x"}, {Name: "TMPDIR", Value: "/srv/units/tmp"}, {Name: "HOME", Value: "/srv/units/home"}}
	out, err := guard.Compile(s)
	require.NoError(t, err)
	return out
}

func decide(t testing.TB, table guard.Table, u guard.Use) guard.Ruling {
	t.Helper()
	got, err := guard.Evaluate(table, u)
	require.NoError(t, err)
	return got
}

// Allow patterns are anchored at the worktree, deny and ask match at any
// depth: a too narrow allowance fails safe, a too narrow refusal would not. POL-08
func TestAnchoring(t *testing.T) {
	for _, c := range []struct {
		allow, deny, path string
		want              guard.Decision
	}{
		{"src/**", "", "src/a", guard.Allow},
		{"src/**", "", "./src/x/a", guard.Allow},
		{"src/**", "", tree + "/src/a", guard.Allow},
		{"src/**", "", "vendor/x/src/a", guard.Deny},
		{"src/**", "", "src/../a", guard.Deny},
		{"src/**", "", "src", guard.Deny},
		{"src/**", "", "/src/a", guard.Deny},
		{"src/**", "", "../T-002/src/a", guard.Deny},
		{"src/", "", "src/a", guard.Allow},
		{"**/src/**", "", "vendor/x/src/a", guard.Allow},
		{"**/src/**", "", "src/a", guard.Allow},
		{"", "src/**", "src/a", guard.Deny},
		{"", "src/**", "vendor/x/src/a", guard.Deny},
		{"", "src/**", "/elsewhere/src/a", guard.Deny},
		{"", "src/**", "x/../src/a", guard.Deny},
		{"", "src/**", "lib/a", guard.Allow},
		{"", "*.lock", "a/b/go.lock", guard.Deny},
		{"", "/etc/**", "/etc/passwd", guard.Deny},
		{"", "/etc/**", "etc/passwd", guard.Allow},
	} {
		s := guard.Spec{Allow: []string{"Read"}}
		if c.allow != "" {
			s.Allow = []string{"Read(" + c.allow + ")"}
		}
		if c.deny != "" {
			s.Deny = []string{"Read(" + c.deny + ")"}
		}
		got := decide(t, table(t, s), use("Read", "file_path", c.path))
		assert.Equal(t, c.want, got.Decision, "allow %q, deny %q, %s: %s", c.allow, c.deny, c.path, got.Reason)
	}
}

// The strongest of all rules that match counts, whatever their order and layer. POL-10, POL-11
func TestDecisionOrder(t *testing.T) {
	order := []guard.Decision{guard.Ask, guard.Deny, guard.HardDeny}
	for mask := range 8 {
		want := guard.Allow
		s := guard.Spec{Allow: []string{"Bash"}}
		for i, d := range order {
			if mask&(1<<i) != 0 {
				want = d
				s.Policies = append(s.Policies, guard.Rule{Layer: fmt.Sprint("layer ", i), Rule: "Bash(make *)", Decision: d, Reason: "r"})
			}
		}
		assert.Equal(t, want, decide(t, table(t, s), bash("make all")).Decision, "%03b", mask)
	}
}

// The verbs are there whatever role, mode or policy says. MODE-11, MODE-12
func TestVerbsAreNeverDenied(t *testing.T) {
	s := guard.Spec{Verbs: []string{"submit_plan"}}
	for _, rule := range []string{"submit_outputs", "mcp__wf__*", "mcp__wf__ask_operator", "Bash", "Bash(wf *)", "mcp__*", "report"} {
		s.Policies = append(s.Policies, guard.Rule{Layer: "project", Rule: rule, Decision: guard.HardDeny, Reason: "r"})
	}
	tab := table(t, s)
	for _, verb := range []string{"submit_outputs", "ask_operator", "report", "submit_plan"} {
		for _, tool := range []string{verb, "mcp__wf__" + verb} {
			assert.Equal(t, guard.Allow, decide(t, tab, guard.Use{ID: "1", Tool: tool}).Decision, tool)
		}
		assert.NotEqual(t, guard.Allow, decide(t, tab, guard.Use{ID: "1", Tool: "mcp__other__" + verb, Input: json.RawMessage("{}")}).Decision, verb)
	}
	assert.NotEqual(t, guard.Allow, decide(t, tab, use("mcp__wf__approve", "plan", "x")).Decision)
}

// What is missing, of another kind, or unknown is refused. POL-06
func TestUndefinedIsRefused(t *testing.T) {
	tab := table(t, guard.Spec{Allow: append([]string{"mcp__x__go", "Agent", "WebFetch(domain:example.org)"}, everything...), Writes: []string{"**"}})
	for _, u := range []guard.Use{
		{ID: "1", Tool: "Read"}, {ID: "1", Tool: "Read", Input: json.RawMessage(`[]`)}, {ID: "1", Tool: "Read", Input: json.RawMessage(`null`)},
		{ID: "1", Tool: "Read", Input: json.RawMessage(`{}`)}, {ID: "1", Tool: "Read", Input: json.RawMessage(`{"file_path":3}`)}, {ID: "1", Tool: "Read", Input: json.RawMessage(`{"path":"a"}`)},
		use("Read", "file_path", ""), use("Read", "file_path", "a\x00b"), use("Bash", "command", ""), use("Bash", "cmd", "ls"), use("Bash", "command", "ls \x00"),
		use("bash", "command", "ls"), use("Bash2", "command", "ls"), use("mcp__x__gone", "a", "b"), use("mcp__x", "a", "b"), use("", "a", "b"),
		use("WebFetch", "url", "https://example.org.evil.test/"), use("WebFetch", "url", "::"), use("WebFetch", "address", "https://example.org"),
	} {
		assert.NotEqual(t, guard.Allow, decide(t, tab, u).Decision, "%s %s", u.Tool, u.Input)
	}
	assert.Equal(t, guard.Allow, decide(t, tab, use("mcp__x__go", "a", "b")).Decision)
	assert.Equal(t, guard.Allow, decide(t, tab, use("WebFetch", "url", "https://EXAMPLE.org/x")).Decision)
}

// Parameter rules say how a tool may be called. POL-09
func TestParameters(t *testing.T) {
	tab := table(t, guard.Spec{
		Allow: append([]string{"Agent", "mcp__db__query"}, everything...), Writes: []string{"**"}, Models: []string{"sonnet", "opus"},
		Deny: []string{"Agent(model:opus*)", "Bash(run_in_background:true)", "mcp__db__query(database:prod*)", "WebSearch(colour:red)"},
	})
	in := func(tool, text string) guard.Use {
		return guard.Use{ID: "1", Tool: tool, Input: json.RawMessage(text)}
	}
	assert.Equal(t, guard.Allow, decide(t, tab, in("Agent", `{"model":"sonnet"}`)).Decision)
	assert.Equal(t, guard.Deny, decide(t, tab, in("Agent", `{"model":"opus"}`)).Decision)
	assert.Equal(t, guard.Deny, decide(t, tab, in("Agent", `{"model":["opus"]}`)).Decision)
	assert.Equal(t, guard.Deny, decide(t, tab, in("Bash", `{"command":"ls","run_in_background":true}`)).Decision)
	assert.Equal(t, guard.Allow, decide(t, tab, in("Bash", `{"command":"ls","run_in_background":false}`)).Decision)
	assert.Equal(t, guard.Allow, decide(t, tab, in("Bash", `{"command":"ls"}`)).Decision)
	assert.Equal(t, guard.Deny, decide(t, tab, in("mcp__db__query", `{"database":"production"}`)).Decision)
	assert.Equal(t, guard.Allow, decide(t, tab, in("mcp__db__query", `{"database":"test"}`)).Decision)
	assert.Equal(t, guard.Deny, decide(t, tab, in("mcp__db__query", `{"database":{"name":"production"}}`)).Decision)
}

// A subagent is judged before it starts, and guarded as its parent. POL-17, POL-18
func TestSubagents(t *testing.T) {
	tab := table(t, guard.Spec{Allow: []string{"Agent", "Read"}, Models: []string{"sonnet"}})
	for input, want := range map[string]guard.Decision{
		`{"prompt":"x"}`:                   guard.Allow,
		`{"model":"sonnet"}`:               guard.Allow,
		`{"model":"opus"}`:                 guard.Deny,
		`{"mode":"bypassPermissions"}`:     guard.Deny,
		`{"mode":"acceptEdits"}`:           guard.Deny,
		`{"mode":"plan"}`:                  guard.Allow,
		`{"tools":["Read"]}`:               guard.Allow,
		`{"tools":["Read","Write"]}`:       guard.Deny,
		`{"tools":"Write"}`:                guard.Deny,
		`{"tools":["Read"],"model":false}`: guard.Deny,
	} {
		got := decide(t, tab, guard.Use{ID: "1", Tool: "Agent", Input: json.RawMessage(input)})
		assert.Equal(t, want, got.Decision, "%s %s", input, got.Reason)
	}
	depth2 := use("Write", "file_path", "a")
	depth2.Agent = "sub/sub"
	assert.Equal(t, guard.Deny, decide(t, tab, depth2).Decision)
	assert.Equal(t, guard.Deny, decide(t, table(t, guard.Spec{Allow: []string{"Read"}}), use("Agent", "prompt", "x")).Decision)
}

// What a unit writes lies in its scope, or in its own folders; a redirection
// is a write like others.
func TestWrites(t *testing.T) {
	tab := table(t, guard.Spec{Allow: everything, Writes: []string{"src/**"}})
	reading := table(t, guard.Spec{Allow: []string{"Bash", "Read", "Write"}})
	noWrite := table(t, guard.Spec{Allow: []string{"Bash(echo *)"}, Writes: []string{"src/**"}})
	for path, want := range map[string]guard.Decision{
		"src/a": guard.Allow, "lib/a": guard.Deny, "src/../lib/a": guard.Deny, "../T-002/src/a": guard.Deny, "/etc/passwd": guard.Deny,
		"/srv/units/x/notes/a": guard.Allow, "/srv/units/xy": guard.Deny, ".git/config": guard.Deny, tree + "/src/a": guard.Allow,
	} {
		for _, u := range []guard.Use{use("Write", "file_path", path), bash("echo x > " + path), bash("echo x >> '" + path + "'"), bash("go test &> " + path), bash("sh -c 'true >" + path + "'")} {
			got := decide(t, tab, u)
			assert.Equal(t, want, got.Decision, "%s: %s", u.Input, got.Reason)
		}
		if path != "/srv/units/x/notes/a" {
			assert.Equal(t, guard.Deny, decide(t, reading, use("Write", "file_path", path)).Decision, path)
		}
	}
	assert.Equal(t, guard.Allow, decide(t, noWrite, bash("echo x")).Decision)
	assert.Equal(t, guard.Deny, decide(t, noWrite, bash("echo x > src/a")).Decision, "Bash(echo *) does not cover a redirection")
	for c, want := range map[string]guard.Decision{
		"cd src && echo x > a": guard.Allow, "cd .. && echo x > src/a": guard.Deny, "(cd ..); echo x > src/a": guard.Allow, "if t; then cd ..; fi; echo x > src/a": guard.Deny,
		"cd $X; echo x > src/a": guard.Deny, "echo x > $F": guard.Deny, "echo x > $TMPDIR/f": guard.Allow, "TMPDIR=/etc; echo x > $TMPDIR/f": guard.Deny, "for TMPDIR in /etc; do echo x > $TMPDIR/f; done": guard.Deny,
		"echo x 2>&1": guard.Allow, "echo x >&2": guard.Allow, "echo x >& lib/a": guard.Deny, "cat < lib/a > src/b": guard.Allow, "echo x | tee /dev/null": guard.Allow, "> ~/f": guard.Allow,
	} {
		got := decide(t, tab, bash(c))
		assert.Equal(t, want, got.Decision, "%s: %s", c, got.Reason)
	}
}

// A link is judged by its name and by where it leads.
func TestLinks(t *testing.T) {
	j, err := guard.NewJudge(table(t, guard.Spec{Allow: everything, Writes: []string{"src/**"}, Deny: []string{"Read(.env)"}}))
	require.NoError(t, err)
	j.Resolve = func(path string) string {
		return strings.Replace(strings.Replace(path, "/src/out", "/../T-002", 1), "/src/key", "/.env", 1)
	}
	assert.Equal(t, guard.Allow, j.Decide(use("Write", "file_path", "src/a")).Decision)
	assert.Equal(t, guard.Deny, j.Decide(use("Write", "file_path", "src/out/a")).Decision)
	assert.Equal(t, guard.Deny, j.Decide(use("Read", "file_path", "src/key")).Decision)
	assert.Equal(t, guard.Deny, j.Decide(bash("cat src/key")).Decision)
}

// Commands are seen through whatever starts them; what cannot be seen is refused.
func TestShell(t *testing.T) {
	tab := table(t, guard.Spec{Allow: []string{"Bash"}, Deny: []string{"Bash(curl*)"}})
	for _, c := range []string{
		"curl x", "a && curl x", "a || curl x", "a | curl x", "a; curl x", "a & curl x", "(curl x)", "{ curl x; }", "! curl x", "x=$(curl x)", "echo `curl x`", "echo \"$(curl x)\"", "cat <(curl x)",
		"if curl x; then :; fi", "while curl x; do :; done", "for a in $(curl x); do :; done", "case $(curl x) in *) ;; esac", "case a in a) curl x;; esac", "f() { curl x; }", "[[ $(curl x) ]]", "echo ${A:-$(curl x)}", "echo $(( $(curl x) ))",
		"sh -c 'curl x'", "bash -xec 'curl x'", "bash -o pipefail -c 'curl x'", "sh -c \"sh -c 'curl x'\"", "eval curl x", "eval 'curl' x", "exec curl x", "command curl x", "builtin command curl x", "env curl x", "env -i A=b curl x", "env -u A curl x", "A=b curl x",
		"nohup curl x", "nice -n 5 curl x", "timeout -k 1 5 curl x", "time curl x", "sudo -u root curl x", "xargs -n1 curl", "echo x | xargs curl", "stdbuf -oL curl x", "/usr/bin/curl x", "./curl x", `c\url x`, `'curl' x`, `"cu"rl x`, "$'curl' x", "curl\tx", "cu\\\nrl x", "{curl,x}",
		"find . -exec curl {} \\;", "find . -exec sh -c 'curl x' \\;", "bash <<E\ncurl x\nE", "sh <<< 'curl x'", "alias l='curl x'", "trap 'curl x' EXIT", "coproc curl x",
		"$CMD x", "$(echo curl) x", "`echo curl` x", "sh", "cat x | sh", "sh -c \"$X\"", "bash -c", "eval \"$X\"", "bash <<E\n$X\nE", "${A}rl x", "a && (", "'", "$'\\x63url' x", "if", "sh -c 'if'", "sh /dev/stdin < f", "export A=$(curl x)", "A=$(curl x)", "echo > $(curl x)", "cat <<E\n$(curl x)\nE",
	} {
		assert.NotEqual(t, guard.Allow, decide(t, tab, bash(c)).Decision, c)
	}
	for _, c := range []string{"echo curl", "grep curl x", "echo 'a && curl x'", "A=curl", "# curl", "ls # curl x", "cat <<'E'\n$(curl x)\nE", "curly x && :", "bash script.sh", "A=b", "export A=b", "git log --grep curl"} {
		want := guard.Allow
		if c == "# curl" || strings.HasPrefix(c, "curly") {
			continue // runs nothing; and a prefix pattern covers it
		}
		got := decide(t, tab, bash(c))
		assert.Equal(t, want, got.Decision, "%s: %s", c, got.Reason)
	}
}

// Whatever leads git away from the unit's worktree, or makes it start
// programs, is refused.
func TestGitRedirection(t *testing.T) {
	tab := table(t, guard.Spec{Allow: []string{"Bash"}})
	for _, c := range []string{
		"git -C /srv/main log", "git -C .. log", "git --git-dir=/srv/main/.git log", "git --git-dir /srv/main/.git log", "git --work-tree=/srv/main status", "GIT_DIR=/srv/main/.git git log", "env GIT_DIR=/x git log", "export GIT_DIR=/x; git log",
		"GIT_WORK_TREE=.. git add .", "sh -c 'GIT_DIR=/x git log'", "GIT_DIR=/x sh -c 'git log'", "git -C \"$X\" log", "GIT_DIR=$X git log", "cd $X && git -C a log", "git -c alias.p='push --force' p", "git -c core.sshCommand=x fetch", "git -c core.hooksPath=x commit", "git --exec-path=/x log",
		"git config alias.p 'push --force'", "git config --local core.pager x", "GIT_SSH_COMMAND=x git fetch", "GIT_CONFIG_COUNT=1 git log", "git --config-env=core.pager=X log", "git $X", "git -c \"$X\" log", "declare -x GIT_DIR=/x",
	} {
		assert.Equal(t, guard.Deny, decide(t, tab, bash(c)).Decision, c)
	}
	for _, c := range []string{"git -C sub log", "git -C . status", "git --git-dir=.git log", "git -c color.ui=never log", "git -C " + tree + "/sub log", "git --no-pager log", "git config user.name", "git config --get remote.origin.url", "cd sub && git -C .. log"} {
		got := decide(t, tab, bash(c))
		assert.Equal(t, guard.Allow, got.Decision, "%s: %s", c, got.Reason)
	}
}

// A text that would be dear to judge is refused, not judged for long.
func TestBounds(t *testing.T) {
	tab := builtIn(t)
	for _, c := range []string{
		strings.Repeat("a;", 5000), "git push " + strings.Repeat("-x ", 5000), strings.Repeat("(", 5000) + strings.Repeat(")", 5000), "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{1..100000}",
		"git push " + strings.Repeat("x$y", 5000), "git push " + strings.Repeat("$y ", 1500), strings.Repeat("sh -c '", 40),
	} {
		decide(t, tab, bash(c))
	}
}

// A table reads back as it was written, and nothing else is a table.
func TestTableFormat(t *testing.T) {
	tab := table(t, guard.Spec{Allow: everything, Deny: []string{"Read(.env)"}, Writes: []string{"src/**"}})
	data, err := tab.Encode()
	require.NoError(t, err)
	back, err := guard.ParseTable(data)
	require.NoError(t, err)
	require.Equal(t, tab, back)
	for n := range len(data) - 1 {
		_, err := guard.ParseTable(data[:n])
		require.Error(t, err, "cut at %d", n)
	}
	for _, bad := range []string{`{"guard":2}`, `{"guard":1,"worktree":"rel"}`, `{"guard":1,"worktree":"/x","extra":1}`, `{"guard":1,"worktree":"/x","allow":["Bas*"]}`, `{"guard":1,"worktree":"/x","rules":[{"rule":"Bash","decision":"allow"}]}`, `{"guard":1,"worktree":"/x","rules":[{"rule":"Bash","decision":""}]}`, `{"guard":1,"worktree":"/x","writes":["["]}`, `{"guard":1,"worktree":"/x"} x`} {
		_, err := guard.ParseTable([]byte(bad))
		require.Error(t, err, bad)
	}
	_, err = guard.Compile(guard.Spec{Worktree: tree, Policies: []guard.Rule{{Rule: "Bash", Decision: "perhaps"}}})
	require.Error(t, err)
}

// Whatever the text, the guard gives an answer, and the same one twice.
func FuzzDecide(f *testing.F) {
	for _, commands := range meant {
		for _, c := range commands {
			f.Add("Bash", []byte(bash(c).Input))
		}
	}
	f.Add("Read", []byte(`{"file_path":"../.env"}`))
	f.Add("Grep", []byte(`{"path":"a","glob":"*.pem"}`))
	f.Add("Agent", []byte(`{"model":1}`))
	tab := builtIn(f)
	j, err := guard.NewJudge(tab)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, tool string, input []byte) {
		u := guard.Use{ID: "1", Tool: tool, Input: input}
		first := j.Decide(u)
		require.Contains(t, []guard.Decision{guard.Allow, guard.Ask, guard.Deny, guard.HardDeny}, first.Decision)
		require.Equal(t, first, j.Decide(u))
	})
}
