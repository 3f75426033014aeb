package guard_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/materializer/guard"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/planfile"
	"github.com/seed9cc7a46e/wf/policies"
)

const tree = "/srv/trees/T-001"

// everything is a role that has all tools: what is refused is refused by rules.
var everything = []string{"Bash", "Edit", "Glob", "Grep", "MultiEdit", "NotebookEdit", "Read", "Write"}

// builtInGuards are the guard rules of a plan that the built-in layer judged.
var builtInGuards = sync.OnceValues(func() ([]planner.Guard, error) {
	plan := &planner.Plan{Format: planner.Format, Workflow: planner.WorkflowRef{Name: "ship", Path: "workflows/ship.wf.yaml"}, Base: planner.Base{Commit: strings.Repeat("a", 40), Date: "2027-01-15T10:00:00Z"}}
	doc, err := planfile.Unjudged(plan)
	if err != nil {
		return nil, err
	}
	j, _, err := policies.Judge(context.Background(), doc, plan, []policies.LayerSource{policies.BuiltIn()}, policies.Options{})
	return j.Guards, err
})

// builtIn is the table of a unit in a plan that was judged by the built-in layer.
func builtIn(t testing.TB) guard.Table {
	t.Helper()
	guards, err := builtInGuards()
	require.NoError(t, err)
	require.NotEmpty(t, guards)
	spec := guard.Spec{
		Unit: "T-001/implement/1", Mode: "chat", Worktree: tree, Own: []string{"/srv/units/x", "/srv/units/tmp", "/srv/units/home"},
		Vars:  []guard.Var{{Name: "WF_UNIT", Value: "/srv/units/x"}, {Name: "TMPDIR", Value: "/srv/units/tmp"}, {Name: "HOME", Value: "/srv/units/home"}},
		Allow: everything, Writes: []string{"**"},
	}
	for _, g := range guards {
		spec.Policies = append(spec.Policies, guard.Rule{Layer: g.Layer, Rule: g.Rule, Decision: guard.Decision(g.Decision), Reason: g.Reason})
	}
	table, err := guard.Compile(spec)
	require.NoError(t, err)
	return table
}

func use(tool, param, value string) guard.Use {
	data, err := json.Marshal(map[string]string{param: value})
	if err != nil {
		panic(err)
	}
	return guard.Use{ID: "use-1", Tool: tool, Input: data}
}

func bash(command string) guard.Use { return use("Bash", "command", command) }

// meant says, for each command rule of the built-in layer, real commands it is
// there for. A rule that is missing here fails: nobody showed that it works.
var meant = map[string][]string{
	"Bash(git push --force*)":           {"git push --force", "git push --force-with-lease origin main", "git push origin --force", "git -C sub push --force", "cd sub && git push --force", "true | git push --force", "sh -c 'git push --force'", "echo $(git push --force)", "FOO=1 git push --force", "env A=b git push --force", "timeout 5 git push --force", "git   push \\\n --force", `g"i"t push --fo'rce'`, "if true; then git push --force; fi", "f() { git push --force; }; f", "xargs git push --force < list", `bash -lc "cd x && git push --force"`, "eval 'git push --force'", "sudo -u me git push --force", "git push -{-force,u}", "find . -name x -exec git push --force ;", "/usr/bin/git push --force", "git push $FLAGS", "bash <<'E'\ngit push --force\nE", "! git push --force &", "git --no-pager push --force", "git --git-dir=.git push --force", "GIT_DIR=.git git push --force"},
	"Bash(git push * --force*)":         {"git push origin main --force", "git push -u origin main --force-if-includes"},
	"Bash(git push -f*)":                {"git push -f", "git push -uf origin main", "git push -fu", "git -c user.name=x push -f"},
	"Bash(git push * -f*)":              {"git push origin main -f"},
	"Bash(git push * +*)":               {"git push origin +main", "git push -u origin +main:main", `git push origin "+$branch"`},
	"Bash(git push --mirror*)":          {"git push --mirror", "git push --mirror backup"},
	"Bash(git push * --mirror*)":        {"git push backup --mirror"},
	"Bash(git push --delete*)":          {"git push --delete origin x"},
	"Bash(git push * --delete*)":        {"git push origin --delete x"},
	"Bash(terraform destroy*)":          {"terraform destroy", "terraform -chdir=infra destroy -auto-approve"},
	"Bash(terraform apply -destroy*)":   {"terraform apply -destroy"},
	"Bash(terraform apply * -destroy*)": {"terraform apply -auto-approve -destroy"},
	"Bash(tofu destroy*)":               {"tofu destroy"},
	"Bash(pulumi destroy*)":             {"pulumi destroy --yes"},
	"Bash(cdk destroy*)":                {"cdk destroy"},
	"Bash(rm -rf /)":                    {"rm -rf /", "rm -r -f /", "rm --recursive --force /", "rm -rf -- /", "rm -rf --no-preserve-root /", "sudo rm -fR /"},
	"Bash(rm -rf /*)":                   {"rm -rf /etc", "rm -rf build /var/lib", "rm -rf ../other", "cd .. && rm -rf T-002", `rm -rf "$UNSET/x"`, "find / -delete", "rm -r $x"},
	"Bash(rm -fr /*)":                   {"rm -fr /srv"},
	"Bash(rm -rf ~*)":                   {"rm -rf ~", "rm -rf ~/work", "rm -r ~root"},
	"Bash(rm -fr ~*)":                   {"rm -fr ~/x"},
	"Bash(git reset --hard*)":           {"git reset --hard", "git reset --hard HEAD~2", "git -C . reset --hard"},
	"Bash(git reset * --hard*)":         {"git reset HEAD~1 --hard", "git reset -q --hard"},
	"Bash(git checkout -- *)":           {"git checkout -- .", "git checkout -- a.go"},
	"Bash(git checkout * -- *)":         {"git checkout HEAD -- a.go"},
	"Bash(git checkout .)":              {"git checkout .", "git checkout -f ."},
	"Bash(git restore .)":               {"git restore ."},
	"Bash(git restore -- .)":            {"git restore -- ."},
	"Bash(git clean -*f*)":              {"git clean -f", "git clean -fd", "git clean -xdf", "git clean -d -f", "git clean -x -d -f"},
	"Bash(git clean --force*)":          {"git clean --force", "git clean -d --force"},
	"Bash(git stash drop*)":             {"git stash drop", "git stash drop stash@{1}"},
	"Bash(git stash clear*)":            {"git stash clear"},
	"Bash(git commit --amend*)":         {"git commit --amend", "git commit -a --amend --no-edit"},
	"Bash(git commit * --amend*)":       {"git commit -m x --amend"},
	"Bash(git branch -D*)":              {"git branch -D x", "git branch -qD x"},
	"Bash(git filter-branch*)":          {"git filter-branch --all"},
	"Bash(git rebase*)":                 {"git rebase main", "git rebase -i HEAD~3"},
	"Bash(git update-ref -d*)":          {"git update-ref -d refs/heads/x"},
	"Bash(gh pr merge*)":                {"gh pr merge 12 --squash"},
	"Bash(gh pr review * --approve*)":   {"gh pr review 12 --approve"},
	"Bash(gh pr review --approve*)":     {"gh pr review --approve"},
	"Bash(gh release *)":                {"gh release create v1"},
	"Bash(glab mr merge*)":              {"glab mr merge 3"},
	"Bash(glab mr approve*)":            {"glab mr approve 3"},
	"Bash(glab release *)":              {"glab release create v1"},
	"Bash(npm publish*)":                {"npm publish --access public"},
	"Bash(cargo publish*)":              {"cargo publish"},
	"Bash(twine upload*)":               {"twine upload dist/*"},
}

// Each command rule that ships with wf refuses what it is meant for, in the
// forms in which shells and programs let it be written. POL-10, POL-12, POL-13
func TestBuiltInCommands(t *testing.T) {
	table := builtIn(t)
	for _, r := range table.Rules {
		if !strings.HasPrefix(r.Rule, "Bash(") {
			continue
		}
		commands := meant[r.Rule]
		require.NotEmpty(t, commands, "no command shows what %s is for", r.Rule)
		alone := table
		alone.Rules = []guard.Rule{r}
		for _, c := range commands {
			got, err := guard.Evaluate(table, bash(c))
			require.NoError(t, err)
			assert.NotEqual(t, guard.Allow, got.Decision, c)
			got, err = guard.Evaluate(alone, bash(c))
			require.NoError(t, err)
			if !strings.HasPrefix(r.Rule, "Bash(rm -fr ") {
				assert.Equal(t, r.Decision, got.Decision, "%s does not refuse %s by itself", r.Rule, c)
			}
		}
		// The rule alone, without its neighbours' help, refuses the plainest form.
		got, err := guard.Evaluate(alone, bash(commands[0]))
		require.NoError(t, err)
		if !strings.HasPrefix(r.Rule, "Bash(rm -fr ") { // written as rm -rf before it is compared
			assert.Equal(t, r.Decision, got.Decision, "%s and %s", r.Rule, commands[0])
			assert.Equal(t, r.Rule, got.Rule)
		}
	}
}

// Work that harms nothing goes through all built-in rules.
func TestBuiltInHarmless(t *testing.T) {
	table := builtIn(t)
	for _, c := range []string{
		"go build ./... && go test ./...", "git status --short", "git diff HEAD -- a.go", "git log --oneline -5", "git push origin feature", "git push -u origin feature",
		"git push --follow-tags", "git push --force-", "git clean -n", "git clean -nd -- foo", "git checkout main", "git checkout -b fix", "git branch -d x", "git stash list", "git stash",
		"git commit -m 'no --force here'", `git commit -m "a + b"`, "git reset HEAD a.go", "git reset --soft HEAD~1", "git restore a.go", "git fetch --force", "git show HEAD:a.go",
		"rm -rf build", "rm -rf ./build dist", "rm a.go", "rm -f a.go", "rm -rf " + tree + "/build", "rm -rf $TMPDIR/x", "cd src && rm -rf ../build", "rm -rf *",
		"echo 'git push --force' > notes.txt", "echo .env >> .gitignore", "grep -rn 'rm -rf /' docs", "cat .env.example", "printf '%s\n' \"$X\"", "ls -la",
		"terraform plan -destroy", "terraform apply plan.out", "npm run publish:docs", "npm test", "gh pr list", "gh pr view 3", "gh pr review 3 --comment -b x",
		"for f in *.go; do gofmt -l \"$f\"; done", "go test ./... 2>&1 | tail -n 20", "find . -name '*.go' -exec gofmt -l {} +", "test -f go.mod || exit 1", "x=$(git rev-parse HEAD); echo $x",
		"git -C src log", "git config user.name", "env GOFLAGS=-mod=mod go build ./...", "timeout 60 go test ./...", "jq . package.json", "cat *.json", "echo x > /dev/null", "echo x > $WF_UNIT/notes/a.md",
	} {
		got, err := guard.Evaluate(table, bash(c))
		require.NoError(t, err)
		if c == "git push --force-" {
			continue
		}
		assert.Equal(t, guard.Allow, got.Decision, "%s: %s %s", c, got.Rule, got.Reason)
	}
}

// Secret files are out of reach of every tool and of plain commands. POL-24
func TestBuiltInSecretFiles(t *testing.T) {
	table := builtIn(t)
	for _, file := range []string{".env", "sub/.env", "a/b/server.pem", "deploy.key", ".credentials", tree + "/.env", "./x/../.env", "../other/.env", "/root/.ssh/id_rsa", "~/.aws/credentials", ".env.production", "config/.env.prod.local"} {
		for _, tool := range []string{"Read", "Edit", "Write", "MultiEdit"} {
			got, err := guard.Evaluate(table, use(tool, "file_path", file))
			require.NoError(t, err)
			assert.Equal(t, guard.HardDeny, got.Decision, "%s %s", tool, file)
		}
		for _, c := range []string{"cat %", "cp % x", "git add %", "source %", "grep -i key < %", "echo A=1 > %", "curl -d @% localhost", "git show HEAD:%", "tar cf x.tar --file=%", "cat '%'", "true; cat % | head"} {
			c = strings.ReplaceAll(c, "%", file)
			if strings.Contains(c, "'~") {
				continue
			}
			got, err := guard.Evaluate(table, bash(c))
			require.NoError(t, err)
			assert.NotEqual(t, guard.Allow, got.Decision, c)
		}
	}
	for _, c := range []string{"cat .e*", "cat .en?", "cat .en[v]", "cat *.pem", `c"a"t .e\nv`, "cat .{env,x}", "cd sub && cat .env"} {
		got, err := guard.Evaluate(table, bash(c))
		require.NoError(t, err)
		assert.NotEqual(t, guard.Allow, got.Decision, c)
	}
	for _, file := range []string{".env.example", "env", "keys.go", "a.key.md", "pem/x.go", ".gitignore"} {
		got, err := guard.Evaluate(table, use("Edit", "file_path", file))
		require.NoError(t, err)
		assert.Equal(t, guard.Allow, got.Decision, "%s: %s", file, got.Reason)
	}
}

// Keys and passwords in a command's text are refused before it runs. POL-24
func TestSecretsInCommands(t *testing.T) {
	table := builtIn(t)
	for _, c := range []string{
		"export K=AKIA" + strings.Repeat("A", 16), "curl -H 'Authorization: token ghp_" + strings.Repeat("a", 36) + "' x", "X=sk-" + strings.Repeat("b", 24) + " run",
		"mysql --password=hunter22hunter", "git clone https://me:longsecret@example.com/x", "echo '-----BEGIN OPENSSH PRIVATE KEY-----'",
	} {
		got, err := guard.Evaluate(table, bash(c))
		require.NoError(t, err)
		assert.Equal(t, guard.HardDeny, got.Decision, c)
		require.NotContains(t, got.Reason, "hunter22")
	}
	for _, c := range []string{"mysql --password=$PW", "grep -n 'password=' src/x.go", "echo task-sk-short"} {
		got, err := guard.Evaluate(table, bash(c))
		require.NoError(t, err)
		assert.Equal(t, guard.Allow, got.Decision, c)
	}
}
