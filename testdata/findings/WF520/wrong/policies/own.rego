package wf.own

deny contains {"msg": "no writers", "node": t.address} if {
	some t in input.tickets
	some s in t.stages
	s.writes == "scope"
}
