package expr

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

func area() Type {
	return Type{Kind: Record, Name: "area", Fields: []Field{
		{"name", Type{Kind: Slug}}, {"path", Type{Kind: Path}}, {"why", Type{Kind: String}}, {"size", Type{Kind: Int, Optional: true}},
	}}
}

func of(k Kind) Type { return Type{Kind: k} }

func maybe(k Kind) Type { return Type{Kind: k, Optional: true} }

// fixture is a scope with every kind of name in it.
func fixture() Scope {
	return Scope{
		Field: "tickets.report.brief", Phase: RunPhase, Taint: Untrusted,
		Inputs: []Field{
			{"goal", of(String)}, {"n", of(Int)}, {"x", of(Number)}, {"on", of(Bool)}, {"opt", maybe(String)},
			{"budget", of(Money)}, {"wait", of(Duration)}, {"where", of(Path)}, {"globs", ListOf(of(Glob))},
			{"level", Type{Kind: Enum, Enum: []string{"low", "high"}}}, {"labels", ListOf(of(String))},
			{"env", Type{Kind: Map, Elem: &Type{Kind: String}}}, {"blob", of(JSON)}, {"areas", ListOf(area())},
			{"title", Type{Kind: String, Untrusted: true}}, {"head", Type{Kind: Ref, Untrusted: true}}, {"sizes", ListOf(maybe(Int))},
		},
		Secrets: []string{"token"},
		Tickets: []TicketShape{
			{Name: "survey", Outputs: []Field{{"areas", ListOf(area())}, {"count", of(Int)}, {"note", of(String)}, {"raw", of(JSON)}, {"kind", Type{Kind: Enum, Enum: []string{"a", "b"}}}}},
			{Name: "change", List: true, Optional: true, Key: of(Slug), Outputs: []Field{{"summary", of(String)}, {"size", of(Int)}}},
			{Name: "report", Optional: true, Outputs: []Field{{"text", of(String)}, {"area", area()}, {"draft", maybe(String)}}},
			{Name: "my-ticket", Outputs: []Field{{"ok", of(Bool)}}},
		},
		Each:   &EachShape{Key: of(Slug), Value: area().AsUntrusted(), Index: true, AtRun: true},
		Matrix: []Field{{"os", of(String)}},
	}
}

func sealedValue(t testing.TB, json string) Value {
	t.Helper()
	v, err := FromJSON([]byte(json))
	require.NoError(t, err)
	return v
}

func fixtureVars(t testing.TB) Vars {
	return Vars{
		Inputs: sealedValue(t, `{"goal":"ship it","n":3,"x":1.5,"on":true,"budget":"2 USD","wait":"10m","where":"a[b]/c",
			"globs":["src/**"],"level":"high","labels":["b","a","b"],"env":{"B":"2","A":"1"},"blob":{"z":[1,null]},
			"areas":[{"name":"api","path":"srv/api","why":"slow","size":3},{"name":"ui","path":"web","why":"old"}],
			"title":"$(rm -rf /)","head":"main","sizes":[1,null]}`),
		Tickets: sealedValue(t, `{
			"survey":{"status":"done","outputs":{"areas":[{"name":"api","path":"srv/api","why":"slow"}],"count":1,"note":"n","raw":[1],"kind":"a"}},
			"change":[{"key":"api","status":"done","outputs":{"summary":"s","size":4}},{"key":"ui","status":"parked","outputs":null}],
			"report":{"status":"skipped","outputs":null},
			"my-ticket":{"status":"done","outputs":{"ok":true}}}`),
		EachKey: Of("api"), EachValue: sealedValue(t, `{"name":"api","path":"srv/[a]","why":"slow"}`), EachIndex: 2,
		Matrix: sealedValue(t, `{"os":"linux"}`),
	}
}

// offsets is an `at` that keeps byte offsets, so that a test can read what a
// finding underlines.
func offsets(start, end int) diag.Range {
	return diag.Range{File: "f", Start: diag.Pos{Offset: start}, End: diag.Pos{Offset: end}}
}

// said renders findings as `WF202 «gaol»`, in the order of the text.
func said(text string, found diag.Findings) []string {
	out := []string{}
	for _, f := range found {
		out = append(out, f.Code+" «"+text[f.Range.Start.Offset:f.Range.End.Offset]+"»")
	}
	return out
}

// check parses and checks text in a scope.
func check(text string, scope Scope, want Type) (Checked, diag.Findings) {
	t, found := Parse(text, offsets)
	checked, more := t.Check(scope, want)
	return checked, append(found, more...)
}

func details(found diag.Findings) string {
	var b strings.Builder
	for _, f := range found {
		b.WriteString(f.Detail + " | " + f.Hint + "\n")
	}
	return b.String()
}
