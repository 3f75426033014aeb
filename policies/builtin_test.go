package policies

import (
	"context"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/planner"
)

// The built-in layer's own tests pass and see every condition hold and not hold. MODE-03, MODE-13, POL-10, POL-12, POL-24, HUM-01
func TestBuiltInRules(t *testing.T) {
	report, err := Test(context.Background(), BuiltInTests(), "")
	require.NoError(t, err)
	require.Empty(t, report.Findings)
	require.NotEmpty(t, report.Cases)
	for _, c := range report.Cases {
		require.True(t, c.Passed, "%s:%d %s %s %s", c.File, c.Line, c.Name, c.Error, c.Output)
	}
	for _, f := range report.Files {
		require.Empty(t, f.Missed, f.File)
	}
	require.True(t, report.Passed())
	require.True(t, report.Covered())
	requireBothWays(t, report)
}

// requireBothWays holds that every condition was seen true and false.
func requireBothWays(t *testing.T, report TestReport) {
	t.Helper()
	for _, f := range report.Files {
		require.NotEmpty(t, f.Rules, f.File)
		for _, r := range f.Rules {
			require.Empty(t, r.OneSided, "%s:%d %s", f.File, r.Line, r.Name)
		}
	}
	require.True(t, report.BothWays())
}

// Every topic has its rule, its test and its explanation.
func TestBuiltInTopics(t *testing.T) {
	entries, err := builtIn.ReadDir("rego")
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		topic := e.Name()
		for _, name := range []string{topic + ".rego", topic + "_test.rego", "README.md"} {
			data, err := builtIn.ReadFile(path.Join("rego", topic, name))
			require.NoError(t, err)
			require.NotEmpty(t, data)
			if name == topic+".rego" {
				require.True(t, strings.HasPrefix(string(data), "# METADATA\n# title: "), topic)
				require.Contains(t, string(data), "# description: ", topic)
			}
		}
	}
}

func TestBuiltInCompiles(t *testing.T) {
	findings, err := Check([]LayerSource{BuiltIn()}, nil)
	require.NoError(t, err)
	require.Empty(t, findings)
}

// The four profiles are those of the design. MODE-01, MODE-04
func TestProfiles(t *testing.T) {
	profiles, err := Profiles()
	require.NoError(t, err)
	modes := []string{"chat", "review", "plan", "orchestrate"}
	var effects []string
	for _, e := range planner.EffectList {
		effects = append(effects, e.Name)
	}
	require.Len(t, profiles, len(modes))
	for _, m := range modes {
		p, ok := profiles[m]
		require.True(t, ok, m)
		require.Equal(t, m == "chat", p.Worktree == "writable")
		// The planner resolves tools by the same tiers. MODE-03
		has, may := planner.ModeTiers(m)
		require.Equal(t, p.Tier, has, m)
		require.True(t, m == "chat" || may == p.Tier, "a role in %s may name more than the mode has", m)
		for _, e := range p.DeniedEffects {
			require.Contains(t, effects, e)
			require.NotEqual(t, "network.egress", e, "network is an axis of its own (MODE-14)")
			require.NotEqual(t, "secret.read", e, "secrets are an axis of their own (MODE-14)")
		}
	}
	require.Equal(t, "submit_plan", profiles["plan"].Required)
	require.Equal(t, "propose_orchestration", profiles["orchestrate"].Required)
}

// Security reads the tiers as data; they are the planner's.
func TestEffectTiers(t *testing.T) {
	tiers, err := readBuiltIn[map[string]struct{ Tier, Meaning string }]("rego/effects/effects.json")
	require.NoError(t, err)
	require.Len(t, tiers, len(planner.EffectList))
	for _, e := range planner.EffectList {
		require.Equal(t, e.Tier, tiers[e.Name].Tier, e.Name)
		require.NotEmpty(t, tiers[e.Name].Meaning)
	}
}

// Every rule of the built-in layer says what it is for.
func TestList(t *testing.T) {
	rules, findings, err := List([]LayerSource{BuiltIn()})
	require.NoError(t, err)
	require.Empty(t, findings)
	require.NotEmpty(t, rules)
	titles := map[string]bool{}
	for _, r := range rules {
		require.NotEmpty(t, r.Title, r.Name)
		require.NotEmpty(t, r.Description, r.Name)
		require.False(t, titles[r.Title], "%s:%d %s is titled as another", r.File, r.Line, r.Title)
		titles[r.Title] = true
	}
}
