package planner

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// Floors of confinement.
const (
	floorNone      = "none"
	floorLandlock  = "landlock"
	floorNamespace = "namespace"
)

// power is one effect and the reason for it.
type power struct {
	effect, why string
	partial     bool
}

// effects derives what every agent and every gate can cause, for the declared
// floor and never for this host.
func (m *maker) effects() {
	uses := map[power][]string{}
	for i := range m.plan.Agents {
		a := &m.plan.Agents[i]
		powers := m.powers(a)
		a.Effects = names(powers)
		for _, p := range powers {
			uses[p] = append(uses[p], a.Name)
		}
	}
	for _, t := range m.plan.Tickets {
		if t.Skipped {
			continue
		}
		for _, g := range t.Gates {
			for _, p := range m.gatePowers(g) {
				uses[p] = append(uses[p], t.ID+"/gate/"+g.Name)
			}
		}
	}
	m.plan.Effects = listUses(uses)
}

func listUses(uses map[power][]string) []EffectUse {
	out := make([]EffectUse, 0, len(uses))
	for p, by := range uses {
		out = append(out, EffectUse{Effect: p.effect, Tier: EffectList[effectAt[p.effect]].Tier, By: by, Why: p.why, Partial: p.partial})
	}
	slices.SortFunc(out, func(a, b EffectUse) int {
		return cmp.Or(cmp.Compare(effectAt[a.Effect], effectAt[b.Effect]), cmp.Compare(a.Why, b.Why))
	})
	return out
}

func names(powers []power) []string {
	out := make([]string, 0, len(powers))
	for _, p := range powers {
		out = append(out, p.effect)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(effectAt[a], effectAt[b]) })
	return slices.Compact(out)
}

// floor is the least confinement the settings ask of a host; a role may have its own.
func (m *maker) floor() string { return orWord(m.wf.Settings.Sandbox, floorLandlock) }

// unit is what bears on an agent's effects.
type unit struct {
	floor                 string
	executes, edits       bool // by its tools or its make
	writes                bool // a stage of it writes
	reaches               bool // a network beyond the model's
	offline               bool // network: none, which the floor landlock keeps whole
	external, credentials bool
}

func (m *maker) powers(a *Agent) []power {
	u := m.unit(a)
	if a.Adapter == replay && !u.executes {
		return m.replayPowers(a)
	}
	var out []power
	add := func(why string, effects ...string) {
		for _, e := range effects {
			if !slices.ContainsFunc(out, func(p power) bool { return p.effect == e }) {
				out = append(out, power{effect: e, why: why})
			}
		}
	}
	if a.Adapter != replay && (a.Adapter != "command" || !slices.Equal(a.Network, []string{"none"})) {
		add("it runs on "+a.Adapter, "model.call")
	}
	if u.writes && (u.edits || u.executes) {
		add("its stage writes and its tools can", "fs.write")
	}
	if u.executes {
		add(whyExec(a), "process.exec")
	}
	u.reach(add)
	if u.executes && u.floor == floorLandlock && !u.reaches && !u.offline {
		out = append(out, power{"network.egress", "what it executes can reach other hosts at the gateway's port: landlock limits ports, not hosts", true})
	}
	return out
}

func whyExec(a *Agent) string {
	if a.Adapter == "command" {
		return "its adapter is a program of its own"
	}
	return "its tools include a shell"
}

// reach adds what leaves the worktree.
func (u unit) reach(add func(why string, effects ...string)) {
	if u.credentials {
		add("a credential is passed to it", "secret.read")
	}
	if u.reaches {
		add("its network goes beyond the model", "network.egress")
	}
	if u.external {
		add("its tools include services outside", "sync.write", "network.egress")
	}
	if u.executes && u.reaches {
		add("it executes and has a network", "package.install")
	}
	if u.executes && u.reaches && u.credentials {
		add("it executes, has a network and holds a credential", withCredential...)
	}
	if u.floor == floorNone && u.executes {
		add("nothing confines what it executes", unconfined...)
	}
	if u.floor == floorNone && u.edits {
		add("nothing confines what it edits", unconfinedEdits...)
	}
}

func (m *maker) unit(a *Agent) unit {
	r, ok := m.roles[a.Role]
	if !ok {
		return unit{} // a stage that nobody is hired for yet, as of a review
	}
	u := unit{
		floor:       r.Sandbox,
		executes:    a.Adapter == "command" || reaches(a.Tools, tierExecute),
		edits:       reaches(a.Tools, tierWrite),
		writes:      m.stageWrites(a),
		offline:     slices.Equal(a.Network, []string{"none"}) || a.Adapter == replay,
		reaches:     beyondModel(a.Network) || slices.ContainsFunc(a.Tools, isWeb),
		external:    slices.ContainsFunc(a.Tools, func(t string) bool { return strings.HasPrefix(t, "mcp__") }),
		credentials: slices.ContainsFunc(r.Env, isCredential) || m.readsCredential(r),
	}
	return u
}

func isWeb(tool string) bool {
	return strings.HasPrefix(tool, "WebFetch") || strings.HasPrefix(tool, "WebSearch")
}

func isCredential(name string) bool { return !slices.Contains(harmlessEnv, name) }

func (m *maker) readsCredential(r *Role) bool {
	if len(r.Reads) == 0 {
		return false
	}
	known := patterns{}
	return slices.ContainsFunc(r.Reads, func(path string) bool {
		return slices.ContainsFunc(credentialFiles, func(g string) bool {
			_, ok := known.intersect(path+"/**", g)
			return ok || known.get(g).Match(path)
		})
	})
}

func beyondModel(network []string) bool {
	return slices.ContainsFunc(network, func(n string) bool { return n != "none" && n != "model" })
}

func (m *maker) stageWrites(a *Agent) bool {
	t := &m.plan.Tickets[m.indexOf[a.Ticket]]
	return slices.ContainsFunc(t.Stages, func(s Stage) bool { return s.Role == a.Role && s.Writes != string(dsl.WritesNone) })
}

// replayPowers: without a shell the embedded agent makes the edits of its script
// and nothing else. It calls no model, so that it needs no network.
func (m *maker) replayPowers(a *Agent) []power {
	if m.stageWrites(a) {
		return []power{{effect: "fs.write", why: "its stage writes"}}
	}
	return nil
}

func (m *maker) gatePowers(g Gate) []power {
	if g.Check != "" {
		return nil // built in: reads the candidate, executes nothing
	}
	out := []power{{effect: "process.exec", why: "a gate executes what an agent wrote"}}
	if beyondModel(g.Network) {
		out = append(out, power{effect: "network.egress", why: "the gate declares a network"})
	}
	if m.floor() == floorNone {
		for _, e := range unconfined {
			out = append(out, power{effect: e, why: "nothing confines what a gate executes"})
		}
	}
	return dedupe(out)
}

func dedupe(list []power) []power {
	var out []power
	for _, p := range list {
		if !slices.ContainsFunc(out, func(q power) bool { return q.effect == p.effect }) {
			out = append(out, p)
		}
	}
	return out
}

func keyValue(t *Ticket) expr.Value {
	if t.Key == "" {
		return expr.Value{}
	}
	return expr.Of(t.Key)
}
