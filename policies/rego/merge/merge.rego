# METADATA
# title: Merge authority
# description: Agents advance branches; merging and releasing belong to the operator.
package wf.merge

# METADATA
# title: A ticket that delivers by merging
ask contains {"msg": msg, "code": "merge", "from": "operator", "node": ticket.address} if {
	some ticket in input.tickets
	ticket.deliver == "merge"
	msg := sprintf("%s merges into the base branch when it is done", [ticket.address])
}

# METADATA
# title: Commands that merge, approve or release
guard contains {"rule": rule, "decision": "hard_deny", "reason": reason} if {
	some rule, reason in data.merge_commands
}
