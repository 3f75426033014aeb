package expr

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAlways(t *testing.T) {
	statuses := func(name string) []string {
		return map[string][]string{"needed": {"done"}, "maybe": {"done", "skipped"}}[name]
	}
	cases := map[string]string{
		"true": "true", "false": "false", "!true": "false", "not false": "true",
		"inputs.a || true": "true", "inputs.a && false": "false", "inputs.a || false": "", "inputs.a && true": "",
		"inputs.a or inputs.b or true": "true", "true ? true : inputs.a": "true", "inputs.a ? true : true": "true", "inputs.a ? true : false": "",
		"inputs.a == inputs.a": "true", "inputs.a != inputs.a": "false", "inputs.a == inputs.b": "",
		`"x" == "y"`: "false", `"x" != "y"`: "true",
		`inputs.w == "x" && inputs.w == "y"`: "false", `inputs.w == "x" || inputs.w == "y"`: "",
		`inputs.w != "x" || inputs.w != "y"`: "true", `inputs.w != "x" && inputs.w != "y"`: "",
		`inputs.w == "x" && inputs.a && inputs.w != "x"`: "false", `inputs.w == "x" || inputs.w != "x"`: "true",
		"inputs.a && !inputs.a": "false", "inputs.a || not inputs.a": "true", "inputs.a && inputs.a": "",
		`tickets.needed.status == "done"`: "true", `tickets.needed.status != "done"`: "false", `tickets.needed.status == "skipped"`: "false",
		`tickets.maybe.status == "done"`: "", `tickets.maybe.status == "parked"`: "false", `tickets.maybe.status in ["done", "skipped"]`: "true",
		`tickets.maybe.status in ["parked", "cancelled"]`: "false", `tickets.maybe.status in ["done", "parked"]`: "",
		`tickets.other.status == "parked"`: "", `tickets["needed"].status == "done"`: "true", `"done" == tickets.needed.status`: "true",
		"len(inputs.l) > 0": "", "any(inputs.l, # == \"a\" && # == \"b\")": "",
	}
	for text, want := range cases {
		template, found := Parse("${{ "+text+" }}", nil)
		require.Empty(t, found, text)
		value, ok := template.Always(statuses)
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want == "true", value, text)
		}
	}
	for _, text := range []string{"", "true", "${{ true }} or so", "${{ ( }}"} {
		template, _ := Parse(text, nil)
		_, ok := template.Always(nil)
		require.False(t, ok, text)
		require.Empty(t, template.RequiresDone())
	}
}

// What Always says is what evaluation gives, over every value of the names.
func TestAlwaysIsTrue(t *testing.T) {
	parts := []string{"inputs.a", "inputs.b", `inputs.w == "x"`, `inputs.w == "y"`, `inputs.w != "x"`, "true", "false", "!inputs.a"}
	scope := Scope{Phase: RunPhase, Taint: Untrusted, Inputs: []Field{{"a", Type{Kind: Bool}}, {"b", Type{Kind: Bool}}, {"w", Type{Kind: String}}}}
	var texts []string
	for _, x := range parts {
		for _, y := range parts {
			for _, z := range parts {
				texts = append(texts, x+" && "+y+" || "+z, "("+x+" || "+y+") && "+z, x+" ? "+y+" : "+z, "!("+x+" && "+y+") && "+z)
			}
		}
	}
	decided := 0
	for _, text := range texts {
		template, _ := Parse("${{ "+text+" }}", nil)
		want, ok := template.Always(nil)
		if !ok {
			continue
		}
		decided++
		program, err := Compile(template.Source(), scope, Type{Kind: Bool})
		require.NoError(t, err, text)
		for i := range 12 {
			v, err := program.Eval(Vars{Inputs: OfMap([]Entry{{"a", Of(i&1 == 1)}, {"b", Of(i&2 == 2)}, {"w", Of([]string{"x", "y", "z"}[i/4])}})})
			require.NoError(t, err)
			got, _ := v.Bool()
			require.Equal(t, want, got, "%s for %d", text, i)
		}
	}
	require.Greater(t, decided, 300)
}

func TestRequiresDone(t *testing.T) {
	cases := map[string][]string{
		`tickets.a.status == "done"`:                                     {"a"},
		`"done" == tickets.a.status`:                                     {"a"},
		`tickets["a"].status == "done"`:                                  {"a"},
		`(tickets.a.status == "done" and inputs.x != "done")`:            {"a"},
		`!(tickets.a.status != "done" || tickets.b.status != "done")`:    {"a", "b"},
		`not (tickets.a.status != "done")`:                               {"a"},
		`tickets.a.status == "done" || inputs.x`:                         nil,
		`!(tickets.a.status == "done")`:                                  nil,
		`tickets.a.status != "done"`:                                     nil,
		`tickets.a.status == "skipped"`:                                  nil,
		`inputs.x == "tickets.a.status == 'done'"`:                       nil,
		`tickets.a.status == "done" && len("a || b") > 0 && !inputs.odd`: {"a"},
	}
	for text, want := range cases {
		template, found := Parse("${{ "+text+" }}", nil)
		require.Empty(t, found, text)
		got := template.RequiresDone()
		slices.Sort(got)
		require.Equal(t, want, got, text)
	}
}

// Weighing a condition neither panics nor contradicts an evaluation.
func FuzzAlways(f *testing.F) {
	for _, seed := range []string{`inputs.a || !inputs.a`, `inputs.w == "x" && inputs.w != "x"`, `inputs.a ? inputs.b : true`, `inputs.w in ["x"] or false`, `not (inputs.a and (inputs.b or true))`, `inputs.a == inputs.a`, `((`} {
		f.Add(seed)
	}
	scope := Scope{Phase: RunPhase, Taint: Untrusted, Inputs: []Field{{"a", Type{Kind: Bool}}, {"b", Type{Kind: Bool}}, {"w", Type{Kind: String}}}}
	f.Fuzz(func(t *testing.T, text string) {
		template, _ := Parse("${{ "+text+" }}", nil)
		template.RequiresDone()
		want, ok := template.Always(nil)
		program, err := Compile(template.Source(), scope, Type{Kind: Bool})
		if !ok || err != nil {
			return
		}
		for i := range 12 {
			v, err := program.Eval(Vars{Inputs: OfMap([]Entry{{"a", Of(i&1 == 1)}, {"b", Of(i&2 == 2)}, {"w", Of([]string{"x", "y", ""}[i/4])}})})
			if err != nil {
				continue
			}
			got, _ := v.Bool()
			require.Equal(t, want, got, "%s for %d", text, i)
		}
	})
}
