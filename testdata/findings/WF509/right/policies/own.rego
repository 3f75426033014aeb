package wf.own

deny contains {"msg": "too high"} if {
	regex.match(`^[0-9]+$`, input.repository)
	to_number(input.repository) > 1
}
