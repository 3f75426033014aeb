# METADATA
# title: Gates without network
# description: A gate that fetches is a gate that passes today and fails tomorrow.
package wf.offline_gates

deny contains {"msg": msg, "code": "GATE-1", "node": ticket.address} if {
	some ticket in input.tickets
	some gate in ticket.gates
	some host in gate.network
	host != "none"
	msg := sprintf("gate %s of %s reaches %s", [gate.name, ticket.address, host])
}
