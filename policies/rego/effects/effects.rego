# METADATA
# title: Effect tiers
# description: The list of effects is closed, and each has one tier that no plan can lower.
package wf.effects

# METADATA
# title: An effect outside the closed list
deny contains {"msg": msg, "code": "effect-unknown", "level": "hard"} if {
	some use in input.effects
	not data.effects[use.effect]
	msg := sprintf("the plan names the effect %q, which has no tier", [use.effect])
}

# METADATA
# title: An effect in a wrong tier
deny contains {"msg": msg, "code": "effect-tier", "level": "hard"} if {
	some use in input.effects
	tier := data.effects[use.effect].tier
	use.tier != tier
	msg := sprintf("the plan puts the effect %s into the tier %s; it is %s", [use.effect, use.tier, tier])
}

# METADATA
# title: An agent's effect that the plan does not list
deny contains {"msg": msg, "code": "effect-unlisted", "level": "hard", "node": agent.name} if {
	some agent in input.agents
	some effect in agent.effects
	not listed[effect]
	msg := sprintf("agent %s could cause %s, which the plan's effects do not list", [agent.name, effect])
}

listed contains use.effect if some use in input.effects
