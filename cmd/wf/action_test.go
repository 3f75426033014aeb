package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// action is what of action.yml the test follows.
type action struct {
	Runs struct {
		Steps []struct {
			Name string            `yaml:"name"`
			If   string            `yaml:"if"`
			Env  map[string]string `yaml:"env"`
			Run  string            `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

// hub is GitHub's interface to comments, as far as the action calls it.
type hub struct {
	mu       sync.Mutex
	comments []map[string]any
	refuse   bool // as to a fork's token
	calls    []string
	tokens   map[string]bool
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, r.Method)
	h.tokens[r.Header.Get("Authorization")] = true
	var body struct {
		Body string `json:"body"`
	}
	if r.Method != http.MethodGet {
		if h.refuse || json.NewDecoder(r.Body).Decode(&body) != nil {
			http.Error(w, `{"message": "Resource not accessible by integration"}`, http.StatusForbidden)
			return
		}
	}
	list, one := "/repos/o/r/issues/7/comments", regexp.MustCompile(`^/repos/o/r/issues/comments/(\d+)$`).FindStringSubmatch(r.URL.Path)
	switch {
	case r.Method == http.MethodGet && r.URL.Path == list:
		page := 1
		fmt.Sscan(r.URL.Query().Get("page"), &page)
		from := min((page-1)*100, len(h.comments))
		_ = json.NewEncoder(w).Encode(h.comments[from:min(from+100, len(h.comments))])
	case r.Method == http.MethodPost && r.URL.Path == list:
		h.add("Bot", body.Body)
		w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodPatch && one != nil:
		for _, c := range h.comments {
			if fmt.Sprint(c["id"]) == one[1] {
				c["body"] = body.Body
			}
		}
	default:
		http.NotFound(w, r)
	}
}

func (h *hub) add(kind, body string) {
	h.comments = append(h.comments, map[string]any{"id": len(h.comments) + 1, "body": body, "user": map[string]any{"type": kind}})
}

// bots are the comments that the action wrote.
func (h *hub) bots() (out []string) {
	for _, c := range h.comments {
		if c["user"].(map[string]any)["type"] == "Bot" {
			out = append(out, c["body"].(string))
		}
	}
	return out
}

// runner follows the action's steps as GitHub's runner does.
type runner struct {
	*world
	action  action
	api     string
	context map[string]string // what each ${{ }} of the steps' env is
	log     string
}

var expression = regexp.MustCompile(`^\$\{\{ (.+) \}\}$`)

// follow runs the steps until one fails and gives its exit status.
func (r *runner) follow() int {
	r.t.Helper()
	temp := r.t.TempDir()
	output, summary := filepath.Join(temp, "output"), filepath.Join(temp, "summary")
	require.NoError(r.t, os.WriteFile(output, nil, 0o600))
	r.log = ""
	for _, step := range r.action.Runs.Steps {
		if step.If != "" && r.context["github.event_name"] != "pull_request" {
			continue
		}
		require.NotContains(r.t, step.Run, "${{", "text of a pull request would become part of a command")
		c := r.command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		c.Env = append(c.Env, "RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary, "GITHUB_API_URL="+r.api)
		for name, value := range step.Env {
			if m := expression.FindStringSubmatch(value); m != nil {
				value = r.value(m[1], output)
			}
			c.Env = append(c.Env, name+"="+value)
		}
		said, err := c.CombinedOutput()
		r.log += string(said)
		if err != nil {
			require.NotNil(r.t, c.ProcessState, "%v", err)
			return c.ProcessState.ExitCode()
		}
	}
	return 0
}

func (r *runner) value(expr, output string) string {
	if name, ok := strings.CutPrefix(expr, "steps.plan.outputs."); ok {
		data, err := os.ReadFile(output)
		require.NoError(r.t, err)
		m := regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindStringSubmatch(string(data))
		require.NotNil(r.t, m, name)
		return m[1]
	}
	return r.context[expr]
}

// propose commits an edit on the branch of the pull request and checks out what
// GitHub checks: its merge with the base.
func (r *runner) propose(edit func()) {
	r.git("checkout", "-q", "topic")
	edit()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "a change")
	r.context["github.event.pull_request.head.sha"] = strings.TrimSpace(r.git("rev-parse", "HEAD"))
	r.context["github.event.pull_request.base.sha"] = strings.TrimSpace(r.git("rev-parse", "main"))
	r.git("checkout", "-q", "--detach", "main")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
}

func (r *runner) rewrite(file, old, new string) {
	name := filepath.Join(r.repo, file)
	data, err := os.ReadFile(name)
	require.NoError(r.t, err)
	require.Contains(r.t, string(data), old)
	require.NoError(r.t, os.WriteFile(name, []byte(strings.Replace(string(data), old, new, 1)), 0o644))
}

func newRunner(t *testing.T) (*runner, *hub) {
	for _, program := range []string{"bash", "jq", "curl", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			require.NotEqual(t, "true", os.Getenv("CI"), "%s is needed in CI", program)
			t.Skipf("%s is not installed", program)
		}
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	require.NoError(t, err)
	h := &hub{tokens: map[string]bool{}}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	r := &runner{world: newWorld(t, "relay"), api: server.URL, context: map[string]string{
		"github.event_name": "pull_request", "github.repository": "o/r", "github.event.pull_request.number": "7", "inputs.token": "s3cret", "github.action_path": "/",
	}}
	require.NoError(t, yaml.Unmarshal(data, &r.action))
	// The build is another test's: here the step finds this binary.
	shim := filepath.Join(r.work, "bin")
	require.NoError(t, os.Mkdir(shim, 0o755))
	script := "#!/bin/sh\ntest \"$1\" = build || exit 2\nwhile [ \"$1\" != -o ]; do shift; done\nln -s " + r.wf + " \"$2\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(shim, "go"), []byte(script), 0o755))
	r.env = append(r.env, "PATH="+shim+":"+os.Getenv("PATH"))
	require.NoError(t, os.MkdirAll(filepath.Join(r.repo, "policies"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.repo, "policies", "cap.rego"), []byte("package wf.cap\n\ndeny contains {\"msg\": \"too dear\", \"code\": \"cap\"} if input.limits.budget > 20000000\n"), 0o644))
	r.commit("a policy")
	r.git("branch", "topic")
	return r, h
}

// The action's own steps, in a real repository with two branches: one comment,
// edited in place; a denial, a policy that did not run, and faults told apart.
func TestActionOnPullRequest(t *testing.T) {
	r, h := newRunner(t)
	const workflow = "workflows/relay.wf.yaml"
	for range 120 {
		h.add("User", "looks good")
	}
	h.add("User", "<!-- wf pull request -->\nI am the bot")

	r.propose(func() {})
	require.Equal(t, 0, r.follow(), r.log)
	require.Empty(t, h.bots(), "nothing differs, and nothing is said")

	r.propose(func() { r.rewrite(workflow, "allow: [Read, Edit, Write]", "allow: [Read, Edit, Write, Bash]") })
	require.Equal(t, 0, r.follow(), r.log)
	require.Len(t, h.bots(), 1)
	require.Contains(t, h.bots()[0], "power new: tool `Bash` of `maker`")

	r.propose(func() { r.rewrite(workflow, "budget: 9 USD", "budget: 90 USD") })
	require.Equal(t, 3, r.follow(), r.log)
	require.Len(t, h.bots(), 1, "edited in place")
	require.Contains(t, h.bots()[0], "**Denied by policy**")
	require.Contains(t, r.log, "::error title=wf plan::A policy denies")

	r.propose(func() { r.rewrite("policies/cap.rego", "package", "packag") })
	require.Equal(t, 7, r.follow(), r.log)
	require.Contains(t, h.bots()[0], "policies could not be evaluated")

	r.propose(func() {
		r.rewrite("policies/cap.rego", "packag", "package")
		r.rewrite(workflow, "tickets:", "tikets:")
	})
	require.Equal(t, 1, r.follow(), r.log)
	require.Contains(t, h.bots()[0], "cannot be planned")

	r.propose(func() { r.git("checkout", "-q", "main", "--", "policies", "workflows") })
	require.Equal(t, 0, r.follow(), r.log)
	require.Len(t, h.bots(), 1)
	require.Contains(t, h.bots()[0], "no workflow differs")

	require.Equal(t, map[string]bool{"Bearer s3cret": true}, h.tokens)
	require.NotContains(t, r.log, "s3cret")
	require.Equal(t, "<!-- wf pull request -->\nI am the bot", h.comments[120]["body"])
}

// A fork's token posts nothing, and the check says what it has to all the same;
// what the author of a pull request wrote is data.
func TestActionOnFork(t *testing.T) {
	r, h := newRunner(t)
	h.refuse = true
	r.context["inputs.title-input"] = "title"
	r.context["github.event.pull_request.title"] = "$(touch pwned) `touch pwned` @everyone"
	r.propose(func() {
		r.rewrite("workflows/relay.wf.yaml", "budget: 9 USD", "budget: 90 USD")
		r.rewrite("workflows/relay.wf.yaml", "\nroles:", "\ninputs:\n  title: {type: string, default: \"\", untrusted: true}\nroles:")
	})
	require.Equal(t, 3, r.follow(), r.log)
	require.Empty(t, h.bots())
	require.Contains(t, r.log, "::warning title=wf plan::The comment could not be posted")
	require.NoFileExists(t, filepath.Join(r.repo, "pwned"))

	h.refuse = false
	r.propose(func() { r.rewrite("workflows/relay.wf.yaml", ", untrusted: true", "") })
	require.Equal(t, 1, r.follow(), r.log)
	require.Contains(t, h.bots()[0], "WF650")
}
