package planner

import (
	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// Request is everything a plan is a function of. Nothing of the host, the user
// or the clock belongs here.
type Request struct {
	Workflow   *dsl.Workflow // with its settings, without error findings
	Inputs     []InputValue  // in the order of precedence: a later one wins
	Refs       []Ref         // what RefsWanted asked for
	Base       Base
	Repository string
	Tracked    []string // paths of the base commit; witnesses are taken from them where one fits
	Bytes      int64    // of all tracked files of the base commit: what one worktree takes
	// Uncommitted are paths of sources that differ from the base commit.
	Uncommitted []string
	Facts       Facts
}

// InputValue is an input as a person gave it: Text from a flag or the
// environment, Value where Typed.
type InputValue struct {
	Name   string
	Text   string
	Typed  bool
	Value  expr.Value
	Origin string // environment, file, flag
}

// Facts are about the repository at hand and not the base commit. They become
// findings and never enter the plan's bytes.
type Facts struct {
	Dirty    []string // tracked or untracked paths the base commit lacks
	Unpushed int      // commits of the base that no remote has
	InTheWay []string // branches whose names keep those of tickets from being made
}

// Make plans. With error findings there is no plan; warnings and notes stand in
// the plan as well, but for those about Facts.
func Make(req Request) (*Plan, diag.Findings) {
	m := &maker{req: req, wf: req.Workflow, plan: blank(req), indexOf: map[string]int{}, programs: map[programKey]*expr.Program{}, inputs: map[string]expr.Value{}}
	steps := []func(){
		m.bindInputs, m.include, m.resolveLimits, m.resolveRoles, m.connect, m.expand,
		m.link, m.skip, m.hire, m.bound, m.conflict, m.imply, m.effects, m.finish, m.noSecrets,
	}
	for _, step := range steps {
		step()
		if m.found.HasErrors() {
			return nil, m.found.Sorted()
		}
	}
	m.about(req.Facts)
	return m.plan, m.found.Sorted()
}

func blank(req Request) *Plan {
	return &Plan{
		Format:     Format,
		Workflow:   WorkflowRef{Name: req.Workflow.Name, Path: req.Workflow.File, Description: req.Workflow.Description},
		Repository: req.Repository,
		Base:       req.Base,
	}
}

// maker is one planning in progress.
type maker struct {
	req   Request
	wf    *dsl.Workflow
	plan  *Plan
	found diag.Findings
	vars  expr.Vars // inputs alone

	programs map[programKey]*expr.Program
	inputs   map[string]expr.Value // records of some inputs, by their names
	roles    map[string]*Role
	declared declared
	children [][]int        // by declared ticket: indices into plan.Tickets
	shape    []shape        // by planned ticket
	indexOf  map[string]int // planned ID → index in plan.Tickets
	order    []int          // of planned tickets
	graph    *ticketGraph
	folder   *string // against which the part under way is read; nil: the workflow's
	included int     // tickets of included workflows
	limits   [][]int // by planned ticket: indices into plan.Includes
}

func (m *maker) find(c diag.Code, at diag.Range, detail, hint string, related ...diag.Related) {
	f := c.At(at, detail, hint)
	f.Related = related
	m.found = append(m.found, f)
	if f.Severity == diag.Error {
		return
	}
	m.plan.Notices = append(m.plan.Notices, Notice{Code: c.ID, Level: f.Severity.String(), Message: detail, Line: at.Start.Line})
}

// AddPolicy puts what the policy layers said into the plan, with their files.
func (p *Plan) AddPolicy(j Judgement, sources []Source) {
	p.Policy = j
	p.Sources = sortSources(append(p.Sources, sources...))
	p.fill()
}
