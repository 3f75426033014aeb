package planner

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// replay is the embedded adapter: it calls no model and costs nothing but what its script says.
const replay = "replay"

// resolveRoles settles every role, and refuses what the settings do not allow.
func (m *maker) resolveRoles() {
	m.roles = map[string]*Role{}
	m.plan.Roles = make([]Role, 0, len(m.wf.Roles))
	for _, r := range m.wf.Roles {
		m.folder = r.Folder
		m.plan.Roles = append(m.plan.Roles, m.role(r))
	}
	m.folder = nil
	slices.SortFunc(m.plan.Roles, func(a, b Role) int { return compareText(a.Name, b.Name) })
	for i := range m.plan.Roles {
		m.roles[m.plan.Roles[i].Name] = &m.plan.Roles[i]
	}
}

func (m *maker) role(r dsl.Role) Role {
	s := &m.wf.Settings
	if r.Within != nil {
		s = r.Within
	}
	out := Role{
		Name:         r.Name,
		Mode:         orWord(string(r.Mode), string(dsl.Chat)),
		Adapter:      m.text(r.Agent, m.vars),
		Model:        m.text(r.Model, m.vars),
		Fallback:     m.texts(r.Fallback, m.vars),
		Deny:         sorted(m.texts(r.Deny, m.vars)),
		Network:      sorted(m.texts(r.Network, m.vars)),
		Reads:        sorted(m.places(m.texts(r.Reads, m.vars))),
		Sandbox:      orWord(r.Sandbox, m.floor()),
		Env:          sorted(r.Env),
		Instructions: r.Instructions, Children: m.childrenOf(r), Inspector: r.Inspector,
	}
	if r.Instructions == "" {
		out.Text = r.Text
	}
	m.grant(&out, r)
	out.Children = min(out.Children, m.whole(r.Children, m.vars, out.Children))
	out.Adapter = orWord(out.Adapter, orWord(s.Agent, replay))
	if len(out.Network) == 0 {
		out.Network = []string{"model"}
	}
	out.Deny = sorted(append(out.Deny, s.Deny...))
	out.Allow = withinSettings(s, resolveTools(out.Mode, m.texts(r.Allow, m.vars), r.AllowSet, out.Deny))
	out.Budget, _ = m.money(r.Budget, m.vars)
	if out.Adapter == replay {
		out.Script = m.script()
	}
	m.allowed("model", r.Model.Range, s.ModelsSet, s.Models, append(slices.Clone(out.Fallback), out.Model)...)
	m.allowed("agent", r.Agent.Range, s.AgentsSet, s.Agents, out.Adapter)
	m.allowed("network", r.Range, s.NetworkSet, s.Network, out.Network...)
	return out
}

// script gives the path of the workflow's script for the replay adapter, where there is one.
func (m *maker) script() string {
	for _, s := range m.wf.Sources {
		if s.Kind == "script" {
			return s.Path
		}
	}
	return ""
}

// withinSettings drops tools that the settings do not allow; reading tools stay.
func withinSettings(s *dsl.Settings, tools []string) []string {
	if !s.AllowSet {
		return tools
	}
	return slices.DeleteFunc(tools, func(rule string) bool {
		return tierOf(rule) > tierRead && !slices.Contains(s.Allow, rule)
	})
}

func (m *maker) allowed(what string, at diag.Range, set bool, list []string, names ...string) {
	if !set {
		return
	}
	for _, name := range names {
		if name == "" || what == "network" && (name == "none" || name == "model") || slices.Contains(list, name) {
			continue
		}
		m.find(codeNotAllowed, at, fmt.Sprintf("The %s %s is not among those wf.yaml allows.", what, name), whatWords(list))
	}
}
