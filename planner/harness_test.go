package planner

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

const workflowPath = "workflows/try.wf.yaml"

// request loads a workflow text, which must be free of errors.
func request(t testing.TB, text string, inputs ...string) Request {
	t.Helper()
	return requestAt(t, workflowPath, fstest.MapFS{workflowPath: {Data: []byte(text)}}, inputs...)
}

func requestAt(t testing.TB, file string, files fstest.MapFS, inputs ...string) Request {
	t.Helper()
	settings, found := dsl.LoadSettings(file, files)
	require.Empty(t, texts(found))
	w, found := dsl.Load(file, files, settings)
	require.Empty(t, texts(errorsOf(found)))
	req := Request{Workflow: w, Base: Base{Commit: strings.Repeat("a", 40), Date: "2026-01-01T00:00:00Z"}, Repository: "repo"}
	for _, in := range inputs {
		name, value, _ := strings.Cut(in, "=")
		req.Inputs = append(req.Inputs, InputValue{Name: name, Text: value, Origin: "flag"})
	}
	return req
}

// plan makes a plan, which must be free of errors.
func plan(t testing.TB, text string, inputs ...string) (*Plan, diag.Findings) {
	t.Helper()
	p, found := Make(request(t, text, inputs...))
	require.Empty(t, texts(errorsOf(found)))
	require.NotNil(t, p)
	return p, found
}

// refuse makes no plan, and gives the findings.
func refuse(t testing.TB, text string, inputs ...string) diag.Findings {
	t.Helper()
	p, found := Make(request(t, text, inputs...))
	require.Nil(t, p)
	require.True(t, found.HasErrors())
	return found
}

func errorsOf(found diag.Findings) (out diag.Findings) {
	for _, f := range found {
		if f.Severity == diag.Error {
			out = append(out, f)
		}
	}
	return out
}

func texts(found diag.Findings) (out []string) {
	for _, f := range found {
		out = append(out, f.Code+" "+f.Summary+": "+f.Detail+" "+f.Hint)
	}
	return out
}

func codes(found diag.Findings) (out []string) {
	for _, f := range found {
		out = append(out, f.Code)
	}
	return out
}

func ticket(t testing.TB, p *Plan, address string) *Ticket {
	t.Helper()
	for i := range p.Tickets {
		if p.Tickets[i].Address == address {
			return &p.Tickets[i]
		}
	}
	require.Fail(t, "no ticket "+address)
	return nil
}
