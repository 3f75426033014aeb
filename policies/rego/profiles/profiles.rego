# METADATA
# title: Capability profiles
# description: A mode bounds what a role may do; nothing a workflow writes lifts it.
package wf.profiles

# METADATA
# title: A mode outside the four
deny contains {"msg": msg, "code": "profile-mode", "level": "hard"} if {
	some role in input.roles
	not data.modes[role.mode]
	msg := sprintf("role %s has the mode %q, which has no capability profile", [role.name, role.mode])
}

# METADATA
# title: A tool the mode never has
deny contains {"msg": msg, "code": "profile-tool", "level": "hard"} if {
	some role in input.roles
	some tool in role.allow
	name := regex.replace(tool, `\(.*`, "")
	name in data.modes[role.mode].denied_tools
	msg := sprintf("role %s allows %s, and the mode %s never writes", [role.name, tool, role.mode])
}

# METADATA
# title: An effect the mode never causes
deny contains {"msg": msg, "code": "profile-effect", "level": "hard", "node": agent.name} if {
	some agent in input.agents
	some effect in agent.effects
	effect in data.modes[agent.mode].denied_effects
	msg := sprintf("agent %s could cause %s, and the mode %s never may", [agent.name, effect, agent.mode])
}

# METADATA
# title: A stage that writes in a mode that never writes
deny contains {"msg": msg, "code": "profile-stage", "level": "hard", "node": ticket.address} if {
	some ticket in input.tickets
	some stage in ticket.stages
	stage.writes != "none"
	data.modes[stage.mode].worktree == "read-only"
	msg := sprintf("stage %s of %s writes, and its mode %s is read-only", [stage.name, ticket.address, stage.mode])
}
