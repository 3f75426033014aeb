# METADATA
# title: Another vendor checks what was written
# description: A model does not see its own blind spots, so each writing ticket has a verdict stage of another adapter.
package wf.qa_by_another_vendor

deny contains {"msg": msg, "code": "QA-1", "node": ticket.address} if {
	some ticket in input.tickets
	some stage in ticket.stages
	stage.writes != "none"
	vendor := adapter[stage.role]
	not checked_by_another(ticket, vendor)
	msg := sprintf("%s writes %s, and no stage of another vendor judges it", [vendor, ticket.address])
}

adapter[role.name] := role.adapter if some role in input.roles

checked_by_another(ticket, vendor) if {
	some stage in ticket.stages
	count(stage.verdicts) > 0
	adapter[stage.role] != vendor
}
