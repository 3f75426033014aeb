package wf.own

deny contains {"msg": "no merges", "node": t.address} if {
	some t in input.tickets
	t.deliver == "merge"
}
