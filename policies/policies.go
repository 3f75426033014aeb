// Package policies defines the Judgement's making: what layers of Rego say
// about a plan.
//
// Enter with Judge. Each layer is compiled and evaluated on its own, so that
// an inner layer can add rulings and never change an outer one's rules or data.
// Whatever keeps a policy from deciding is a finding together with
// ErrUnevaluated, never a pass. Check compiles without a plan, Test runs the
// tests that stand beside the rules.
package policies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// ErrUnevaluated says that a policy could not be evaluated; the findings say
// which and why. It has an exit code of its own (7), apart from a denial (3).
var ErrUnevaluated = errors.New("policy could not be evaluated")

// Names of the layers, outermost first.
const (
	LayerBuiltIn      = "built-in"
	LayerOrganisation = "organisation"
	LayerProject      = "project"
	LayerPackage      = "package"
)

var layerOrder = []string{LayerBuiltIn, LayerOrganisation, LayerProject, LayerPackage}

// File is a policy file: *.rego holds rules, NAME.json is read by them as
// data.NAME, *_test.rego is left to Test, everything else is ignored.
type File struct {
	Path string // slash-separated, relative to the repository's root; as findings name it
	Data []byte
}

// LayerSource is a layer before it is compiled. Two sources may share a name:
// base and head of a change are both given, and both must allow.
type LayerSource struct {
	Name  string // built-in, organisation, project, package
	Base  bool   // as the base commit has it, where that differs from the working tree
	Files []File
}

// Options are the judge's surroundings.
type Options struct {
	// Schema is the JSON Schema of the input. Nil means InputSchema.
	Schema []byte
	// Date is the day exceptions are held against, RFC 3339: the base commit's
	// at plan, the clock's at apply. Empty means the plan's base date.
	Date string
	// Timeout bounds compiling and evaluating all layers. Zero means 10 seconds,
	// and one more for each MiB of the plan.
	Timeout time.Duration
	// Memory bounds the growth of the heap while a layer is evaluated, in bytes.
	// Zero means 512 MiB.
	Memory uint64
}

const (
	defaultTimeout = 10 * time.Second
	defaultMemory  = 512 << 20
)

// Judge evaluates every layer over planJSON, the plan document without its
// judgement (planfile.Unjudged), and gives rulings in layer, rule and node
// order. plan is the same document, for the lines that findings point at.
//
// The findings hold the rulings and what is wrong with the policies. When a
// policy could not be evaluated the Judgement is empty and the error is
// ErrUnevaluated; any other error means that wf could not do its job.
func Judge(ctx context.Context, planJSON []byte, plan *planner.Plan, sources []LayerSource, opts Options) (planner.Judgement, diag.Findings, error) {
	ctx, stop := context.WithTimeout(ctx, withDefault(opts.Timeout, timeoutFor(planJSON)))
	defer stop()
	input, err := readInput(planJSON)
	if err != nil {
		return planner.Judgement{}, nil, err
	}
	layers, findings, err := compileWithin(ctx, sources, opts.Schema)
	if err != nil || findings.HasErrors() {
		return unevaluated(findings, err)
	}
	day, err := dayOf(opts.Date, plan.Base.Date)
	if err != nil {
		return planner.Judgement{}, nil, err
	}
	v := newVerdict(plan, day)
	for _, l := range layers {
		answers, found := l.evaluate(ctx, input, withDefault(opts.Memory, defaultMemory))
		v.findings = append(v.findings, found...)
		v.add(l, answers)
	}
	if v.unevaluated() {
		return unevaluated(v.findings, nil)
	}
	return v.judgement(), v.findings.Sorted(), nil
}

// timeoutFor grows with the plan: rules look at each of its tickets.
func timeoutFor(planJSON []byte) time.Duration {
	return defaultTimeout + time.Duration(len(planJSON)>>20)*time.Second
}

// unevaluated keeps what stands in the way and drops what some layers said:
// half a judgement must not look like one.
func unevaluated(fs diag.Findings, err error) (planner.Judgement, diag.Findings, error) {
	if err == nil {
		err = ErrUnevaluated
	}
	fs = slices.DeleteFunc(fs, func(f diag.Finding) bool { return f.Severity != diag.Error || f.Code == codeDenied.ID })
	return planner.Judgement{}, fs.Sorted(), err
}

// compileWithin compiles until the deadline.
func compileWithin(ctx context.Context, sources []LayerSource, schema []byte) ([]*layer, diag.Findings, error) {
	type outcome struct {
		layers   []*layer
		findings diag.Findings
		err      error
	}
	got, over := within(ctx.Done(), func() outcome {
		layers, findings, err := compileAll(sources, schema)
		return outcome{layers, findings, err}
	})
	if over {
		return nil, diag.Findings{codeEval.At(diag.Range{File: "policies"}, "Compiling the policies ran past the deadline.", "Make the rules smaller; what does not decide denies.")}, nil
	}
	return got.layers, got.findings, got.err
}

func readInput(planJSON []byte) (ast.Value, error) {
	v, err := valueOf(planJSON)
	if err != nil {
		return nil, fmt.Errorf("reading the plan for the policies: %w", err)
	}
	obj, ok := v.(ast.Object)
	if !ok {
		return nil, errors.New("reading the plan for the policies: not a JSON object")
	}
	if obj.Get(ast.StringTerm("policy")) != nil {
		return nil, errors.New("reading the plan for the policies: it already holds a judgement")
	}
	return v, nil
}

func dayOf(date, base string) (time.Time, error) {
	if date == "" {
		date = base
	}
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return time.Time{}, fmt.Errorf("date to hold exceptions against: %w", err)
	}
	return t.UTC(), nil
}

func withDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
