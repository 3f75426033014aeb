# METADATA
# title: Limits of this repository
# description: What no workflow here may exceed, whoever wrote it.
package wf.limits

deny contains {
	"msg": "A run in this repository may cost 25 USD at most.",
	"code": "limits.budget",
	"level": "hard",
} if {
	input.limits.budget > 25000000
}

ask contains {
	"msg": sprintf("Ticket %s delivers by merge.", [ticket.address]),
	"from": "maintainers",
	"node": ticket.address,
} if {
	some ticket in input.tickets
	ticket.deliver == "merge"
}
