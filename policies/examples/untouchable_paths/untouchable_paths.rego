# METADATA
# title: Paths no ticket may unlock
# description: may_change lifts a protection; these stay.
package wf.untouchable_paths

deny contains {"msg": msg, "code": "PATH-1", "level": "hard", "node": ticket.address} if {
	some ticket in input.tickets
	some unlocked in ticket.mayChange
	some path in data.untouchable
	startswith(unlocked, path)
	msg := sprintf("%s unlocks %s, and %s stays as it is", [ticket.address, unlocked, path])
}
