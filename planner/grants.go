package planner

import (
	"slices"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// grant puts what a role is given beyond its worktree into the plan, each with
// the digest of the file it comes from, or the place it is at.
func (m *maker) grant(out *Role, r dsl.Role) {
	out.Secrets = sorted(r.Secrets)
	for _, s := range r.MCP {
		server := MCPServer{Name: s.Name, URL: m.text(s.URL, m.vars), Env: sorted(s.Env)}
		if len(s.Argv) > 0 {
			server.Argv = m.texts(s.Argv, m.vars)
		}
		out.MCP = append(out.MCP, server)
	}
	for _, s := range r.Skills {
		out.Skills = append(out.Skills, Skill{Name: s.Name, Path: s.File, Digest: m.digestOf(s.File)})
	}
	out.Auth, out.Customisation = orWord(r.Auth, "gateway"), orWord(r.Customisation, "repository")
}

func (m *maker) digestOf(file string) string {
	for _, s := range m.wf.Sources {
		if s.Path == file {
			return Hash(s.Data)
		}
	}
	return ""
}

// secretsOf lists the secret inputs. A plan has their names and no value.
func (m *maker) secretsOf(w *dsl.Workflow, prefix string) {
	for _, in := range w.Inputs {
		if in.Secret {
			m.plan.Secrets = append(m.plan.Secrets, Secret{Name: prefix + in.Name, Source: in.Source})
		}
	}
}

// equipTicket puts what surrounds the ticket's units into the plan.
func (m *maker) equipTicket(p *Ticket, t *dsl.Ticket, vars expr.Vars) {
	for _, s := range t.Services {
		p.Services = append(p.Services, Service{
			Name: s.Name, Argv: m.texts(s.Argv, vars), Port: m.whole(s.Port, vars, 0), Ready: m.text(s.Ready, vars), Env: envOf(s.Env),
			TimeoutSeconds: m.seconds(s.Timeout, vars, defaultReady), Workdir: m.place(m.text(s.Workdir, vars)),
		})
	}
}

func envOf(list []dsl.EnvVar) []EnvVar {
	var out []EnvVar
	for _, e := range list {
		out = append(out, EnvVar{Name: e.Name, Value: e.Value.Template.Source(), Secret: e.Secret})
	}
	return out
}

// aroundPowers are the effects of what runs beside a ticket's units.
func (m *maker) aroundPowers(t *Ticket) map[power][]string {
	uses := map[power][]string{}
	use := func(by string, list []power) {
		for _, p := range list {
			uses[p] = append(uses[p], by)
		}
	}
	for _, s := range t.Services {
		list := []power{{effect: "process.exec", why: "a service executes what an agent wrote"}}
		if slices.ContainsFunc(s.Env, func(e EnvVar) bool { return e.Secret != "" }) {
			list = append(list, power{effect: "secret.read", why: "a secret is passed to the service"})
		}
		use(t.ID+"/service/"+s.Name, list)
	}
	return uses
}

// givenSecret refuses a value for a secret. The value is not repeated.
func (m *maker) givenSecret(in dsl.Input, given bool) {
	if given {
		m.find(codeSecretValue, in.Range, "The input "+in.Name+" is a secret, and a plan holds every value it is made for.", "Take the value away, change the secret, and name its source in your own configuration: `secrets: {"+in.Source+": {env: NAME}}`.")
	}
}
