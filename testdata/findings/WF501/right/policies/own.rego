package wf.own

deny contains {"msg": "no writers"} if {
	some t in input.tickets
	some s in t.stages
	s.writes == "scope"
}
