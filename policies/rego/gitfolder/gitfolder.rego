# METADATA
# title: Git's own folder
# description: Hooks, refs and configuration below .git decide what git does next; no unit writes them.
package wf.gitfolder

# METADATA
# title: A glob that names git's own folder
deny contains {"msg": msg, "code": "git-folder", "level": "hard", "node": ticket.address} if {
	some ticket in input.tickets
	some glob in writable(ticket)
	some part in split(glob, "/")
	lower(part) == ".git"
	msg := sprintf("%s may write %s, which is git's own", [ticket.address, glob])
}

writable(ticket) := {glob | some glob in ticket.scope} |
	{glob | some glob in ticket.mayChange} |
	{glob | some stage in ticket.stages; some glob in stage.writeGlobs}
