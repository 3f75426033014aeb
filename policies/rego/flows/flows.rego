# METADATA
# title: Untrusted flows
# description: Untrusted content, a secret and a way out must not meet in one unit without a person knowing.
package wf.flows

# METADATA
# title: Untrusted content, a secret and egress in one agent
ask contains {"msg": msg, "code": "exfiltration", "from": "security", "node": agent.name} if {
	some agent in input.agents
	"secret.read" in agent.effects
	"network.egress" in agent.effects
	some source in untrusted(agent)
	msg := sprintf("agent %s can read a secret, reach the network and is steered by %s", [agent.name, source])
}

untrusted(agent) := (untrusted_inputs | object.get(written, agent.ticket, set())) | {"what it reads on the network" | "open" in agent.network}

untrusted_inputs contains sprintf("the untrusted input %s", [i.name]) if {
	some i in input.inputs
	i.untrusted
}

# By ticket: the tickets whose agents wrote what it reads.
written[edge.to] contains sprintf("what the agents of %s wrote", [edge.from]) if {
	some edge in input.edges
	edge.why == "reference"
}
