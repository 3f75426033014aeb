# METADATA
# title: Limits of this repository
# description: What no workflow here may exceed, whoever wrote it.
package wf.limits

deny contains {
	"msg": "A run in this repository may cost 20 USD at most.",
	"code": "limits.budget",
	"level": "hard",
} if {
	input.limits.budget > 20000000
}

deny contains {
	"msg": sprintf("Agent %s reaches the open network.", [agent.name]),
	"code": "limits.network",
} if {
	some agent in input.agents
	"open" in agent.network
}
