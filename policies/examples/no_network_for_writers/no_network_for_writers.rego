# METADATA
# title: No network for writers
# description: Who can change files reaches the model and nothing else.
package wf.no_network_for_writers

deny contains {"msg": msg, "code": "NET-1", "node": agent.name} if {
	some agent in input.agents
	"fs.write" in agent.effects
	"network.egress" in agent.effects
	msg := sprintf("%s writes and reaches the network", [agent.name])
}
