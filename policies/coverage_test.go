package policies

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sided = `package wf.own

deny contains {"msg": "x"} if {
	some a in input.agents
	a.mode == "chat"
	not quiet(a)
	n := count(a.effects)
	n > 1
}

quiet(a) if {
	a.budget == 0
} else if {
	a.units == 0
}

warn contains {"msg": "y"} if "fs.write" in input.agents[_].effects

ask contains {"msg": "z", "from": "security"} if every a in input.agents { a.count > 0 }
`

// Every condition of a rule is seen both ways by its tests, or is named.
func TestSides(t *testing.T) {
	agents := func(list ...string) string { return "{\"agents\": [" + strings.Join(list, ", ") + "]}" }
	agent := func(mode string, budget, units, count int, effects string) string {
		return fmt.Sprintf(`{"mode": %q, "budget": %d, "units": %d, "count": %d, "effects": [%s]}`, mode, budget, units, count, effects)
	}
	two := `"fs.write", "git.push"`
	loud, none := agent("chat", 1, 1, 1, two), agent("chat", 1, 1, 1, `"git.push"`)
	all := []string{agents(loud), agents(none), agents(agent("plan", 1, 1, 1, two)), agents(agent("chat", 0, 1, 1, two)), agents(agent("chat", 1, 0, 0, two))}
	rows := map[string]struct {
		inputs []string
		want   []string
	}{
		"all": {all, nil},
		"one that fires": {all[:1], []string{
			`5 a.mode == "chat" always true`, `6 not quiet(a) always true`, `8 n > 1 always true`, `12 a.budget == 0 always false`,
			`14 a.units == 0 always false`, `17 "fs.write" in input.agents[_].effects always true`,
			`19 every a in input.agents { a.count > 0 } always true`, `19 a.count > 0 always true`,
		}},
		"none": {[]string{`{}`}, []string{
			`4 some a in input.agents always false`, `5 a.mode == "chat" never`, `6 not quiet(a) never`, `7 n := count(a.effects) never`, `8 n > 1 never`,
			`12 a.budget == 0 never`, `14 a.units == 0 never`, `17 "fs.write" in input.agents[_].effects always false`,
			`19 every a in input.agents { a.count > 0 } always false`, `19 a.count > 0 never`,
		}},
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			tests := "package wf.own_test\n\nimport data.wf.own\n"
			for i, in := range r.inputs {
				tests += fmt.Sprintf("\ntest_%d if count(own.deny | own.warn | own.ask) >= 0 with input as %s\n", i, in)
			}
			report, err := Test(context.Background(), []File{{Path: "p/own.rego", Data: []byte(sided)}, {Path: "p/own_test.rego", Data: []byte(tests)}}, "")
			require.NoError(t, err)
			require.Empty(t, report.Findings)
			require.True(t, report.Passed())
			var got []string
			for _, rc := range report.Files[0].Rules {
				for _, s := range rc.OneSided {
					got = append(got, fmt.Sprintf("%d %s %s", s.Line, s.Text, s.Seen))
				}
			}
			require.Equal(t, r.want, got)
			require.Equal(t, r.want == nil, report.BothWays())
		})
	}
}

func TestOnlySomeTests(t *testing.T) {
	rule := File{Path: "p/own.rego", Data: []byte("package wf.own\n\nwarn contains {\"msg\": \"x\"} if input.limits.budget > 5\n")}
	tests := File{Path: "p/own_test.rego", Data: []byte("package wf.own_test\n\nimport data.wf.own\n\ntest_a if count(own.warn) == 0 with input as {}\n\ntest_b if count(own.warn) == 1 with input as {}\n")}
	report, err := Test(context.Background(), []File{rule, tests}, "test_a$")
	require.NoError(t, err)
	require.Len(t, report.Cases, 1)
	require.True(t, report.Passed())
	_, err = Test(context.Background(), []File{rule, tests}, "(")
	require.Error(t, err)
}
