package verb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/journal"
	"github.com/seed9cc7a46e/wf/materializer/run/report"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/approval"
)

// WriteFile writes a file the user named, in one step.
func WriteFile(e Env, name string, data []byte) error {
	return writeRefusal(name, writeNew(e.abs(name), data, true))
}

// IsPlanFile reports whether an argument names a plan file and not a workflow:
// it is called like one, or it is a file that begins like one.
func IsPlanFile(e Env, arg string) bool {
	if strings.HasSuffix(arg, ".wfplan") {
		return true
	}
	if info, err := os.Stat(e.abs(arg)); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(e.abs(arg))
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := f.Read(head) // a file that cannot be read is no plan file
	return bytes.HasPrefix(bytes.TrimSpace(head[:n]), []byte("{")) && !strings.HasSuffix(arg, dsl.Suffix)
}

// Against is the difference to the base that was named, else to the plan that
// was applied last; nil without either.
func (p Planned) Against() *planner.Change {
	if p.Plan.Change != nil {
		return p.Plan.Change
	}
	if p.Previous == nil {
		return nil
	}
	c := planner.Diff(p.Previous, p.Plan)
	return &c
}

// Changes reports whether applying the plan would do anything new.
func (p Planned) Changes() bool {
	c := p.Against()
	return c == nil || !c.Empty()
}

// Told parts the findings that end the command from those told within the plan.
func (p Planned) Told() (errs, rest diag.Findings) {
	for _, f := range p.Findings {
		if f.Severity == diag.Error {
			errs = append(errs, f)
		} else {
			rest = append(rest, f)
		}
	}
	return errs, rest
}

// RunLine is one run in a list.
type RunLine struct {
	Run      string `json:"run"`
	Workflow string `json:"workflow"`
	State    string `json:"state"` // open, over, damaged
	Note     string `json:"note"`
}

// Runs lists the runs of this repository.
func Runs(ctx context.Context, e Env) ([]RunLine, error) {
	p, err := e.project(ctx)
	if err != nil {
		return nil, err
	}
	d, err := p.state()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := p.runs(d)
	if err != nil {
		return nil, err
	}
	out := []RunLine{}
	for _, r := range all {
		o, err := p.read(r)
		if err != nil {
			out = append(out, RunLine{Run: r.ID, State: "damaged", Note: "see `wf journal verify " + r.ID + "`"})
			continue
		}
		line := RunLine{Run: r.ID, Workflow: o.plan.Workflow.Name, State: "open"}
		if o.closed() {
			line.State = "over"
		}
		var counts []string
		for _, c := range report.Of(o.state).Counts {
			counts = append(counts, fmt.Sprintf("%d %s", c.N, c.Status))
		}
		line.Note = strings.Join(counts, ", ")
		out = append(out, line)
	}
	return out, nil
}

// previous is the plan of this workflow that was applied last.
func (p *project) previous(path string) (*planner.Plan, error) {
	d, err := p.state()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	_, all, err := p.openRuns(d)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o *opened) bool { return o.plan.Workflow.Path != path || !o.started })
	if len(all) == 0 {
		return nil, nil
	}
	return latest(all).plan, nil
}

// Explain gives the page of a finding code.
func Explain(code string) (string, error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	page, err := diag.Page(code)
	if errors.Is(err, fs.ErrNotExist) {
		return "", refuse(ExitFailure, codeNoCode, fmt.Sprintf("There is no finding %s.", code), "codes look like WF203; they stand in brackets behind error, warning or note")
	}
	return page, err
}

// Codes lists the finding codes that Explain has a page for.
func Codes() ([]string, error) { return diag.Pages() }

// Versions are the version of wf and of every format it keeps.
type Versions struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	System   string `json:"system"`
	Language int    `json:"language"`
	Plan     int    `json:"plan"`
	Journal  int    `json:"journal"`
	Rules    int    `json:"rules"`
	Approval int    `json:"approval"`
}

// VersionOf gives them.
func VersionOf(e Env) Versions {
	return Versions{
		Version: e.Version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Language: dsl.Format, Plan: planner.Format, Journal: journal.Format, Rules: run.Rules, Approval: approval.Format,
	}
}
