package guard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// TableVersion is the version of the table's format.
const TableVersion = 1

// Table is everything the guard of one unit decides by. As JSON it is one
// object, kept beside the unit's records, so that each decision can be made
// again and explained later:
//
//	{"guard":1,"unit":"T-003/implement/1","mode":"chat","worktree":"/…/T-003",
//	 "own":["/…/x","/…/home","/…/tmp"],"vars":[{"name":"WF_UNIT","value":"/…/x"}],
//	 "allow":["Edit","Read"],"writes":["src/**"],
//	 "rules":[{"layer":"built-in","rule":"Bash(git push --force*)","decision":"hard_deny","reason":"…"}],
//	 "verbs":["submit_outputs",…],"models":[]}
//
// A reader refuses other versions and keys it does not know: a table that is
// read with a part left out would allow what that part forbids. Rules stand
// strongest first; their order has no meaning beyond that, since the strongest
// match counts. Rejected: rules compiled to automata in the file, which would
// tie the format to one matcher; one list with "allow" among the rules, where
// a misread decision would be an allowance.
type Table struct {
	Guard    int      `json:"guard"` // TableVersion
	Unit     string   `json:"unit"`
	Mode     string   `json:"mode"`
	Worktree string   `json:"worktree"` // absolute
	Own      []string `json:"own"`      // absolute folders the unit may write in every mode
	Vars     []Var    `json:"vars"`     // variables of its environment that name folders
	Allow    []string `json:"allow"`    // the role's tools: Tool, Tool(pattern), Tool(param:value)
	Writes   []string `json:"writes"`   // globs below the worktree that it may change; empty: none
	Rules    []Rule   `json:"rules"`    // hard_deny, deny, ask
	Verbs    []string `json:"verbs"`    // can never be denied
	Models   []string `json:"models"`   // models a subagent may use; empty: its parent's only
}

// Var is a variable whose value the guard knows.
type Var struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Rule is one restriction.
type Rule struct {
	Layer    string   `json:"layer"`
	Rule     string   `json:"rule"`
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason"`
}

// Verbs that every unit has, whatever a role or policy says: without them it
// could neither deliver nor ask. MODE-11
var baseVerbs = []string{"ask_operator", "report", "submit_outputs"}

// Spec is what a table is compiled from.
type Spec struct {
	Unit, Mode, Worktree string
	Own                  []string
	Vars                 []Var
	Allow, Deny          []string // of the role, as resolved by the planner
	Writes               []string
	Policies             []Rule // of the plan's judgement
	Verbs                []string
	Models               []string
}

// Compile makes a unit's table. The error names the rule that cannot be read:
// a unit whose guard would be incomplete is not started.
func Compile(s Spec) (Table, error) {
	t := Table{
		Guard: TableVersion, Unit: s.Unit, Mode: s.Mode, Worktree: s.Worktree, Own: list(s.Own), Vars: append([]Var{}, s.Vars...),
		Allow: list(s.Allow), Writes: list(s.Writes), Models: list(s.Models),
		Verbs: list(slices.Concat(baseVerbs, s.Verbs)),
	}
	for _, d := range s.Deny {
		t.Rules = append(t.Rules, Rule{Layer: "role", Rule: d, Decision: Deny, Reason: "the role may not use it"})
	}
	t.Rules = append(append([]Rule{}, t.Rules...), s.Policies...)
	slices.SortFunc(t.Rules, func(a, b Rule) int {
		return cmp.Or(b.Decision.rank()-a.Decision.rank(), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Layer, b.Layer), strings.Compare(a.Reason, b.Reason))
	})
	t.Rules = slices.Compact(t.Rules)
	return t, t.check()
}

func list(items []string) []string {
	out := append([]string{}, items...)
	slices.Sort(out)
	return slices.Compact(out)
}

// check reads every part once.
func (t Table) check() error {
	if t.Guard != TableVersion {
		return fmt.Errorf("guard table: version %d is not known to this wf", t.Guard)
	}
	for _, dir := range append([]string{t.Worktree}, t.Own...) {
		if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir {
			return fmt.Errorf("guard table: folder %q is not absolute and clean", dir)
		}
	}
	for _, a := range t.Allow {
		if _, err := parseRule(a); err != nil {
			return fmt.Errorf("guard table: allow: %w", err)
		}
	}
	for _, r := range t.Rules {
		if !slices.Contains([]Decision{HardDeny, Deny, Ask}, r.Decision) {
			return fmt.Errorf("guard table: rule %s: a rule says hard_deny, deny or ask, not %q", r.Rule, r.Decision)
		}
		if _, err := parseRule(r.Rule); err != nil {
			return fmt.Errorf("guard table: %w", err)
		}
	}
	if _, err := glob.CompileSet(t.Writes); err != nil {
		return fmt.Errorf("guard table: writes: %w", err)
	}
	return nil
}

// Encode gives the table's bytes, the same for the same table.
func (t Table) Encode() ([]byte, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("guard table: %w", err)
	}
	return append(data, '\n'), nil
}

// ParseTable reads a table strictly.
func ParseTable(data []byte) (Table, error) {
	var t Table
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return Table{}, fmt.Errorf("guard table: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Table{}, errors.New("guard table: something stands behind the JSON value")
	}
	return t, t.check()
}
