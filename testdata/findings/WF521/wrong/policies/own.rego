package wf.own

ask contains {"msg": "security has a look at writers", "from": "security", "node": t.address} if {
	some t in input.tickets
	some s in t.stages
	s.writes == "scope"
}
