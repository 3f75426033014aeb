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
		powers := m.bounded(a, m.powers(a))
		a.Effects = names(powers)
		for _, p := range powers {
			uses[p] = append(uses[p], a.Name)
		}
	}
	for i := range m.plan.Tickets {
		t := &m.plan.Tickets[i]
		if t.Skipped {
			continue
		}
		for _, p := range m.runnerPowers(t) {
			uses[p.power] = append(uses[p.power], t.ID+p.by)
		}
		for _, g := range t.Gates {
			for _, p := range m.gatePowers(g) {
				uses[p] = append(uses[p], t.ID+"/gate/"+g.Name)
			}
		}
		for p, by := range m.aroundPowers(t) {
			uses[p] = append(uses[p], by...)
		}
	}
	m.plan.Effects = listUses(uses)
}

// bounded keeps what a proposal hires to the effects of its bounds. Where the
// author gave none, they are those of its roles.
func (m *maker) bounded(a *Agent, powers []power) []power {
	if !a.proposed() {
		return powers
	}
	t := &m.plan.Tickets[m.indexOf[a.Ticket]]
	if d := m.wf.Tickets[m.shape[m.indexOf[a.Ticket]].declared]; !d.Within.EffectsSet {
		t.Within.Effects = inOrder(append(t.Within.Effects, names(powers)...))
		return powers
	}
	return slices.DeleteFunc(powers, func(p power) bool { return !slices.Contains(t.Within.Effects, p.effect) })
}

// runnerPower is what the runner itself does for a ticket.
type runnerPower struct {
	power
	by string
}

// runnerPowers are what a ticket asks the runner to do to the world.
func (m *maker) runnerPowers(t *Ticket) []runnerPower {
	var out []runnerPower
	add := func(by, why string, effects ...string) {
		for _, e := range effects {
			out = append(out, runnerPower{power{effect: e, why: why}, "/" + by})
		}
	}
	switch t.Deliver {
	case "pull_request":
		add("deliver", "the runner opens a pull request when the operator delivers", "git.push", "pr.create")
	case "merge":
		add("deliver", "the runner merges when the operator delivers", "git.commit")
	}
	if t.Notify != nil {
		add("notify", "a command hears of the ticket's statuses", "process.exec")
		if beyondModel(t.Notify.Network) {
			add("notify", "the command that hears of statuses declares a network", "network.egress")
		}
	}
	return out
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
	servers               []MCPServer
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
	for _, s := range u.servers {
		if len(s.Argv) > 0 {
			add("an MCP server that it is given is a program", "process.exec")
		} else {
			add("it is given a remote MCP server", "sync.write", "network.egress")
		}
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
		floor:    r.Sandbox,
		servers:  r.MCP,
		executes: a.Adapter == "command" || reaches(a.Tools, tierExecute),
		edits:    reaches(a.Tools, tierWrite),
		writes:   m.stageWrites(a),
		offline:  slices.Equal(a.Network, []string{"none"}) || a.Adapter == replay,
		reaches:  beyondModel(a.Network) || slices.ContainsFunc(a.Tools, isWeb),
		external: slices.ContainsFunc(a.Tools, func(t string) bool { return strings.HasPrefix(t, "mcp__") }),
		credentials: slices.ContainsFunc(r.Env, isCredential) || len(r.Secrets) > 0 || r.Auth == "key" || r.Auth == "login" || m.readsCredential(r) ||
			slices.ContainsFunc(r.MCP, func(s MCPServer) bool { return slices.ContainsFunc(s.Env, isCredential) }),
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
	if a.proposed() {
		return a.Mode == string(dsl.Chat) && len(t.Within.Scope) > 0
	}
	if a.Role == t.OnConflict {
		return true
	}
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
	if g.Check != "" && len(g.Argv) == 0 && g.Script == "" { // built in: executes nothing
		if g.Check == "http" {
			return []power{{effect: "network.egress", why: "the gate asks an address"}}
		}
		return nil
	}
	out := []power{{effect: "process.exec", why: "a gate executes what an agent wrote"}}
	if beyondModel(g.Network) {
		out = append(out, power{effect: "network.egress", why: "the gate declares a network"})
	}
	if slices.ContainsFunc(g.Env, func(e EnvVar) bool { return e.Secret != "" }) {
		out = append(out, power{effect: "secret.read", why: "a secret is passed to the gate"})
		if beyondModel(g.Network) {
			for _, e := range withCredential {
				out = append(out, power{effect: e, why: "the gate has a network and a secret"})
			}
		}
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
