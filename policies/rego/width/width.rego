# METADATA
# title: Width
# description: A guideline for the number of agents; it warns and steers, and never stops a plan by itself.
package wf.width

# METADATA
# title: At least as many agents as the guideline speaks of
warn contains {"msg": msg, "code": "width"} if {
	input.limits.widthAgents > 0
	input.bounds.agents.value >= input.limits.widthAgents
	where := concat(", ", input.bounds.widest)
	advice := sprintf("widest at %s: lower `max` there, join tickets, or set limits.width", [where])
	msg := sprintf("%d agents, and width %s speaks up from %d; %s", [input.bounds.agents.value, input.limits.width, input.limits.widthAgents, advice])
}
