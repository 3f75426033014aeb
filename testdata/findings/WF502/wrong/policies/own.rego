package wf.own

deny contains {"msg": "no writers"} if {
	writers := [t | some t in input.tickets]
}
