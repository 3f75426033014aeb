package wf.own

deny contains {"msg": "no writers"} if {
	some r in input.roles
	r.mode == "chat"
}
