# METADATA
# title: Git's own folder
# description: Hooks, refs and configuration below .git decide what git does next; no unit writes them.
package wf.gitfolder

# METADATA
# title: A glob that names git's own folder
deny contains {"msg": msg, "code": "git-folder", "level": "hard", "node": ticket.address} if {
	some ticket in input.tickets
	some pattern in writable(ticket)
	some part in split(pattern, "/")
	lower(part) == ".git"
	msg := sprintf("%s may write %s, which is git's own", [ticket.address, pattern])
}

writable(ticket) := {pattern |
	some list in [ticket.scope, ticket.mayChange, stage_patterns(ticket)]
	some pattern in list
}

stage_patterns(ticket) := [pattern |
	some stage in ticket.stages
	some pattern in object.get(stage, "writeGlobs", [])
]
