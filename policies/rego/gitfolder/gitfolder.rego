# METADATA
# title: Git's own folder
# description: Hooks, refs and configuration below .git decide what git does next; no unit writes them.
package wf.gitfolder

# METADATA
# title: A glob that names git's own folder
deny contains {"msg": msg, "code": "git-folder", "level": "hard", "node": near.address} if {
	some near in nearly
	some part in split(near.pattern, "/")
	lower(part) == ".git"
	msg := sprintf("%s may write %s, which is git's own", [near.address, near.pattern])
}

# Few globs have .git in them at all, so only those are taken apart.
nearly contains {"address": ticket.address, "pattern": pattern} if {
	some ticket in input.tickets
	some pattern in ticket.scope
	contains(lower(pattern), ".git")
}

nearly contains {"address": ticket.address, "pattern": pattern} if {
	some ticket in input.tickets
	some pattern in ticket.mayChange
	contains(lower(pattern), ".git")
}

nearly contains {"address": ticket.address, "pattern": pattern} if {
	some ticket in input.tickets
	some stage in ticket.stages
	some pattern in stage.writeGlobs
	contains(lower(pattern), ".git")
}
