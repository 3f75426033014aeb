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

untrusted(agent) := {sprintf("the untrusted input %s", [i.name]) | some i in input.inputs; i.untrusted} |
	{sprintf("what the agents of %s wrote", [e.from]) | some e in input.edges; e.to == agent.ticket; e.why == "reference"} |
	{"what it reads on the network" | "open" in agent.network}
