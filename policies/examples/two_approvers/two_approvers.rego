# METADATA
# title: Two approvers for a wide plan
# description: From the width guideline on, two groups have a look.
package wf.two_approvers

wide if {
	input.limits.widthAgents > 0
	input.bounds.agents.value >= input.limits.widthAgents
}

ask contains {"msg": "the plan is wide", "code": "WIDE-1", "from": group} if {
	wide
	some group in data.wide_groups
}
