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
		m.plan.Roles = append(m.plan.Roles, m.role(r))
	}
	slices.SortFunc(m.plan.Roles, func(a, b Role) int { return compareText(a.Name, b.Name) })
	for i := range m.plan.Roles {
		m.roles[m.plan.Roles[i].Name] = &m.plan.Roles[i]
	}
}

func (m *maker) role(r dsl.Role) Role {
	out := Role{
		Name:         r.Name,
		Mode:         orWord(string(r.Mode), string(dsl.Chat)),
		Adapter:      m.text(r.Agent, m.vars),
		Model:        m.text(r.Model, m.vars),
		Fallback:     m.texts(r.Fallback, m.vars),
		Deny:         sorted(m.texts(r.Deny, m.vars)),
		Network:      sorted(m.texts(r.Network, m.vars)),
		Reads:        sorted(m.texts(r.Reads, m.vars)),
		Env:          sorted(r.Env),
		Instructions: r.Instructions,
	}
	if !r.Agent.Set {
		out.Adapter = orWord(m.req.Settings.Agent, orWord(out.Adapter, replay))
	}
	if len(out.Network) == 0 {
		out.Network = []string{"model"}
	}
	out.Allow = resolveTools(out.Mode, m.texts(r.Allow, m.vars), r.AllowSet, out.Deny)
	out.Budget, _ = m.money(r.Budget, m.vars)
	if out.Adapter == replay {
		out.Script = m.script()
	}
	m.allowed("model", r.Model.Range, m.req.Settings.Models, append(slices.Clone(out.Fallback), out.Model)...)
	m.allowed("agent", r.Agent.Range, m.req.Settings.Agents, out.Adapter)
	m.allowed("network", r.Range, m.req.Settings.Network, out.Network...)
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

func (m *maker) allowed(what string, at diag.Range, list []string, names ...string) {
	if list == nil {
		return
	}
	for _, name := range names {
		if name == "" || what == "network" && (name == "none" || name == "model") || slices.Contains(list, name) {
			continue
		}
		m.find(codeNotAllowed, at, fmt.Sprintf("The %s %s is not among those wf.yaml allows.", what, name), whatWords(list))
	}
}
