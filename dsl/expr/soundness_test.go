package expr

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// generator writes random expressions, most of them nonsense to the checker.
type generator struct {
	*rand.Rand
	loops int
}

var atoms = []string{
	"1", "0", "2.5", "9223372036854775807", `"a"`, `"done"`, `"2 USD"`, "true", "nil", "[]", `["b", "a"]`, "[1, 2.5]",
	"inputs.n", "inputs.x", "inputs.on", "inputs.opt", "inputs.goal", "inputs.budget", "inputs.wait", "inputs.where", "inputs.level",
	"inputs.labels", "inputs.env", "inputs.blob", "inputs.areas", "inputs.sizes", "inputs.title",
	"tickets.change", "tickets.report.status", "tickets.report.outputs.text", "tickets.report.outputs.area", "tickets.survey.outputs.areas",
	"tickets.survey.outputs.count", "tickets.survey.outputs.note", "tickets.survey.outputs.raw", "each.value", "each.value.why", "each.index", `money("1 USD")`, `duration("1m")`,
}

func (g *generator) pick(from []string) string { return from[g.IntN(len(from))] }

func (g *generator) write(depth int) string {
	if depth <= 0 {
		if g.loops > 0 && g.IntN(2) == 0 {
			return g.pick([]string{"#", ".name", ".status", ".outputs.size", ".outputs.summary", ".size", ".key"})
		}
		return g.pick(atoms)
	}
	sub := func() string { return g.write(depth - 1 - g.IntN(2)) }
	switch g.IntN(9) {
	case 0, 1:
		op := g.pick([]string{"+", "-", "*", "/", "%", "**", "==", "!=", "<", ">=", "and", "or", "in", "contains", "??", "??"})
		return fmt.Sprintf("(%s %s %s)", sub(), op, sub())
	case 2:
		return fmt.Sprintf("(%s ? %s : %s)", sub(), sub(), sub())
	case 3:
		return g.pick([]string{"-", "not "}) + "(" + sub() + ")"
	case 4:
		return sub() + g.pick([]string{"[0]", "?.name", ".path", "?.size", `["A"]`, ".outputs.size"})
	case 5:
		return fmt.Sprintf("[%s, %s]", sub(), sub())
	case 6:
		return fmt.Sprintf("{a: %s, name: %s}", sub(), sub())
	}
	f := functions[g.IntN(len(functions))]
	args := []string{sub()}
	for len(args) < f.least {
		if f.loops {
			g.loops++
		}
		args = append(args, sub())
		if f.loops {
			g.loops--
		}
	}
	return f.Name + "(" + strings.Join(args, ", ") + ")"
}

// canary is the word that untrusted writers leave in everything they may choose freely.
const canary = "canary"

func tainted(t *testing.T) Vars {
	vars := fixtureVars(t)
	mark := func(v Value, words ...string) Value {
		text := v.String()
		for _, w := range words {
			require.Contains(t, text, w)
			text = strings.ReplaceAll(text, w, strings.TrimSuffix(w, `"`)+canary+`"`)
		}
		return sealedValue(t, text)
	}
	vars.Inputs = mark(vars.Inputs, `"$(rm -rf /)"`)
	vars.Tickets = mark(vars.Tickets, `"slow"`, `"srv/api"`, `"n"`, `"s"`)
	vars.EachValue = mark(vars.EachValue, `"slow"`, `"srv/[a]"`)
	return vars
}

// What the checker accepts compiles under the library's strict types and evaluates
// to a value of the type inferred, or fails for a reason that only values know. What
// it calls clean carries no word of an untrusted writer.
func TestCheckerIsSound(t *testing.T) {
	scope, vars := fixture().Indexed(), tainted(t)
	accepted, evaluated := 0, 0
	for seed := range uint64(10_000) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		text := "${{ " + g.write(1+g.IntN(3)) + " }}"
		checked, found := check(text, scope, Type{})
		if found.HasErrors() {
			continue
		}
		accepted++
		p, err := Compile(text, scope, Type{})
		require.NoError(t, err, text)
		v, err := p.Eval(vars)
		if err != nil {
			for _, hole := range []string{"wrong operands", "interface conversion", "nil", "cannot", "invalid", "unknown", "missing"} {
				require.NotContains(t, err.Error()[strings.LastIndex(err.Error(), ": "):], hole, text)
			}
			continue
		}
		evaluated++
		if !checked.Tainted {
			require.NotContains(t, v.String(), canary, text)
		}
		_, wrong := Conform(v, checked.Type)
		require.Empty(t, wrong, "%s: %s is not %s", text, v, checked.Type)
	}
	require.Greater(t, accepted, 800)
	require.Greater(t, evaluated, 700)
	t.Logf("%d accepted, %d evaluated", accepted, evaluated)
}
