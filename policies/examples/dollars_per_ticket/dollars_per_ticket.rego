# METADATA
# title: At most so many dollars for a ticket
# description: A ticket that needs more is too big, or too dear.
package wf.dollars_per_ticket

deny contains {"msg": msg, "code": "COST-1", "node": ticket.address} if {
	some ticket in input.tickets
	ticket.budget > data.ticket_budget.microdollars
	msg := sprintf("%s may use %d micro-dollars; %d is the most", [ticket.address, ticket.budget, data.ticket_budget.microdollars])
}
