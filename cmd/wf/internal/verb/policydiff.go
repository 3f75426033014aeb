package verb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/planfile"
	"github.com/seed9cc7a46e/wf/policies"
)

// Verdicts of the policies over one plan.
const (
	VerdictAllowed   = "allowed"
	VerdictAsks      = "asks"
	VerdictDenied    = "denied"
	VerdictUndecided = "undecided" // a policy could not be evaluated
)

// PolicyDiffed says what becomes of every workflow under the policies of the
// working tree, against those of a commit.
type PolicyDiffed struct {
	Base      string           `json:"base"` // as it was named
	Workflows []WorkflowChange `json:"workflows"`
}

// WorkflowChange is one workflow under both.
type WorkflowChange struct {
	Workflow string           `json:"workflow"`
	Before   string           `json:"before"` // allowed, asks, denied, undecided; "" where there is no plan
	After    string           `json:"after"`
	Gained   []planner.Ruling `json:"gained"`
	Lost     []planner.Ruling `json:"lost"`
	Why      string           `json:"why"` // of undecided, or of no plan
}

// Changed reports whether the policies say something else about the workflow.
func (w WorkflowChange) Changed() bool {
	return w.Before != w.After || len(w.Gained)+len(w.Lost) > 0
}

// Changed counts the workflows about which the policies say something else.
func (d PolicyDiffed) Changed() int {
	n := 0
	for _, w := range d.Workflows {
		if w.Changed() {
			n++
		}
	}
	return n
}

// Undecided reports whether the policies of the working tree could not be
// evaluated for some workflow.
func (d PolicyDiffed) Undecided() bool {
	return slices.ContainsFunc(d.Workflows, func(w WorkflowChange) bool { return w.After == VerdictUndecided })
}

// PolicyDiff plans every workflow of the working tree and has it judged twice:
// by the policies of a commit and by those of the working tree. req.Inputs go to the
// workflows that have such an input.
func PolicyDiff(ctx context.Context, e Env, req PlanRequest) (PolicyDiffed, error) {
	p, err := e.project(ctx)
	if err != nil {
		return PolicyDiffed{}, err
	}
	commit, err := p.repo.Commit(ctx, req.Base)
	if err != nil {
		return PolicyDiffed{}, repositoryRefusal(err)
	}
	all, err := p.workflows()
	if err != nil {
		return PolicyDiffed{}, systemRefusal(err)
	}
	facts, err := p.facts(ctx, "")
	if err != nil {
		return PolicyDiffed{}, err
	}
	out := PolicyDiffed{Base: req.Base, Workflows: []WorkflowChange{}}
	for _, f := range all {
		change, err := p.diffPolicies(ctx, f, commit, req, facts)
		if err != nil {
			return PolicyDiffed{}, err
		}
		out.Workflows = append(out.Workflows, change)
	}
	return out, ctx.Err()
}

func (p *project) diffPolicies(ctx context.Context, f dsl.Found, commit string, req PlanRequest, facts facts) (WorkflowChange, error) {
	out := WorkflowChange{Workflow: f.Qualified()}
	l := p.load(f.Path)
	if l.findings.HasErrors() {
		out.Why = "the workflow has errors; see `wf validate " + out.Workflow + "`"
		return out, nil
	}
	inputs, err := p.inputs(PlanRequest{Inputs: req.Inputs, InputsFile: req.InputsFile, lenient: true}, l.workflow)
	if err != nil {
		return out, err
	}
	plan, findings, err := p.make(ctx, l, inputs, facts)
	if err != nil {
		return out, err
	}
	if plan == nil || findings.HasErrors() {
		out.Why = "no plan: " + firstError(findings)
		return out, nil
	}
	document, err := planfile.Unjudged(plan)
	if err != nil {
		return out, err
	}
	before, why, err := p.verdictAt(ctx, commit, l, document, plan)
	if err != nil {
		return out, err
	}
	after, whyAfter, err := p.verdictAt(ctx, "", l, document, plan)
	if err != nil {
		return out, err
	}
	out.Before, out.After, out.Why = before.word, after.word, cmp.Or(whyAfter, why)
	out.Gained, out.Lost = without(after.rulings, before.rulings), without(before.rulings, after.rulings)
	return out, nil
}

func firstError(fs diag.Findings) string {
	for _, f := range fs.Sorted() {
		if f.Severity == diag.Error {
			return f.Detail
		}
	}
	return "it cannot be made"
}

type verdictOf struct {
	word    string
	rulings []planner.Ruling
}

// verdictAt judges a plan by the policies of a commit alone, or of the working
// tree where commit is empty.
func (p *project) verdictAt(ctx context.Context, commit string, l loaded, document []byte, plan *planner.Plan) (verdictOf, string, error) {
	organisation, err := p.organisation(l.settings.Organisation)
	if err != nil {
		return verdictOf{}, "", err
	}
	layers := append([]policies.LayerSource{policies.BuiltIn()}, organisation...)
	for i, folder := range policyFolders(l.path) {
		read := func() ([]policies.File, error) { return p.policyFiles(folder) }
		if commit != "" {
			read = func() ([]policies.File, error) { return p.policyFilesAt(ctx, commit, folder) }
		}
		files, err := read()
		if err != nil {
			return verdictOf{}, "", err
		}
		if len(files) > 0 {
			name := policies.LayerPackage
			if i == 0 {
				name = policies.LayerProject
			}
			layers = append(layers, policies.LayerSource{Name: name, Files: files})
		}
	}
	j, findings, err := policies.Judge(ctx, document, plan, layers, policies.Options{})
	switch {
	case errors.Is(err, policies.ErrUnevaluated):
		return verdictOf{word: VerdictUndecided}, firstError(findings) + " `wf policy check` tells where.", nil
	case err != nil:
		return verdictOf{}, "", err
	}
	out := verdictOf{word: VerdictAllowed, rulings: kinds(j)}
	if len(j.Asks) > 0 {
		out.word = VerdictAsks
	}
	if len(j.Denials) > 0 {
		out.word = VerdictDenied
	}
	return out, "", nil
}

func kinds(j planner.Judgement) []planner.Ruling {
	return slices.Concat(j.Denials, j.Asks, j.Warns)
}

// without gives the rulings of a that b has not; that a rule moved to another
// line is no change.
func without(a, b []planner.Ruling) []planner.Ruling {
	key := func(r planner.Ruling) string {
		return strings.Join([]string{r.Layer, r.Rule, r.Msg, r.Code, r.Level, r.Node, r.From}, "\x00")
	}
	have := map[string]bool{}
	for _, r := range b {
		have[key(r)] = true
	}
	out := []planner.Ruling{}
	for _, r := range a {
		if !have[key(r)] {
			out = append(out, r)
		}
	}
	return out
}

var policyName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,59}$`) })

// PolicyInit writes a rule and its test that check and pass as they are.
func PolicyInit(ctx context.Context, e Env, name, folder string) (Written, error) {
	p, err := e.project(ctx)
	if err != nil {
		return Written{}, err
	}
	name = strings.ReplaceAll(name, "-", "_")
	if !policyName().MatchString(name) || strings.HasSuffix(name, "_test") {
		return Written{}, refuse(ExitUsage, codeNoPolicy, fmt.Sprintf("%q cannot be the name of a policy: it becomes package wf.NAME.", name), "use lower-case letters, digits and _, as in `wf policy init few_writers`")
	}
	if path.Base(path.Clean(folder)) != "policies" {
		return Written{}, refuse(ExitUsage, codeNoPolicy, fmt.Sprintf("wf reads policies from folders called policies/, and not from %s.", folder), "name one, as in --dir services/api/policies")
	}
	replace := strings.NewReplacer("NAME", name, "CODE", strings.ToUpper(strings.ReplaceAll(name, "_", "-"))+"-1")
	var out Written
	for _, f := range []struct{ suffix, text string }{{".rego", starterRule}, {"_test.rego", starterTest}} {
		if err := p.lay(&out, path.Join(folder, name+f.suffix), []byte(replace.Replace(f.text)), false); err != nil {
			return out, systemRefusal(err)
		}
	}
	out.Next = []string{"wf policy test " + folder, "wf policy diff --base HEAD", "wf policy explain " + name + " --plan WORKFLOW"}
	return out, nil
}

const starterRule = `# METADATA
# title: Who writes is checked
# description: A ticket that changes files has a gate that runs, so that somebody other than its agent looks at the work.
package wf.NAME

# input is the plan, as ` + "`wf plan WORKFLOW --json`" + ` prints it. Besides deny there are warn, ask, guard and except.
deny contains {"msg": msg, "code": "CODE", "node": ticket.address} if {
	some ticket in input.tickets
	some stage in ticket.stages
	stage.writes != "none"
	count(ticket.gates) == 0
	msg := sprintf("%s changes files, and no gate looks at them", [ticket.address])
}
`

const starterTest = `package wf.NAME_test

import data.wf.NAME

# A test makes as much of a plan as its rule reads.
denied(ticket) if {
	count(NAME.deny) == 1 with input as {"tickets": [object.union({"address": "change"}, ticket)]}
}

writer := [{"writes": "scope"}]

reader := [{"writes": "none"}]

test_writer_without_gate if denied({"stages": writer, "gates": []})

test_writer_with_gate if not denied({"stages": writer, "gates": [{"name": "tests"}]})

test_reader_without_gate if not denied({"stages": reader, "gates": []})
`
