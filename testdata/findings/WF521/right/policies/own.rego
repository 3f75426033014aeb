package wf.own

ask contains {"msg": "security has a look at merges", "from": "security", "node": t.address} if {
	some t in input.tickets
	t.deliver == "merge"
}
