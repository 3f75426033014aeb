# METADATA
# title: Approval without a person
# description: How much --auto-approve covers; beyond it a person decides.
package wf.approval

# METADATA
# title: An amount that is none
deny contains {"msg": "auto_approve.model_call must be a whole number of micro-dollars, 0 or more", "code": "auto-approve", "level": "hard"} if {
	not amount
}

amount if {
	data.auto_approve.model_call >= 0
	data.auto_approve.model_call == floor(data.auto_approve.model_call)
}
