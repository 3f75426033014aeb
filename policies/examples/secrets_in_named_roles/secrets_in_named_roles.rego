# METADATA
# title: Secrets only in named roles
# description: Only roles on the list may read a credential.
package wf.secrets_in_named_roles

deny contains {"msg": msg, "code": "SECRET-1", "node": agent.name} if {
	some agent in input.agents
	"secret.read" in agent.effects
	not agent.role in data.secret_roles
	msg := sprintf("%s can read a secret, and its role %s is not on the list", [agent.name, agent.role])
}
