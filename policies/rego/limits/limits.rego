# METADATA
# title: Hard limits
# description: The bounds of a plan lie within its limits; a plan that says otherwise is not carried out.
package wf.limits

# METADATA
# title: Money beyond the budget
deny contains {"msg": msg, "code": "limit-cost", "level": "hard"} if {
	input.bounds.cost.value > input.limits.budget
	msg := sprintf("the cost bound is %d micro-dollars and the budget %d", [input.bounds.cost.value, input.limits.budget])
}

# METADATA
# title: More sessions at once than the concurrency
deny contains {"msg": msg, "code": "limit-concurrency", "level": "hard"} if {
	input.bounds.atOnce.value > input.limits.concurrency
	msg := sprintf("%d sessions at once, and the concurrency is %d", [input.bounds.atOnce.value, input.limits.concurrency])
}

# METADATA
# title: A unit that may spend more than the whole run
warn contains {"msg": msg, "code": "limit-unit", "node": agent.name} if {
	some agent in input.agents
	agent.budget > input.limits.budget
	msg := sprintf("one unit of %s could use up the whole budget of the run and more", [agent.name])
}
