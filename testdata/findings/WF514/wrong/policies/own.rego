package wf.own

deny contains {"msg": "model is not on the list"} if {
	some a in input.agents
	not data.allowed.models[a.model]
}
