# METADATA
# title: The dearest model judges only
# description: Models of the list are for review; building with them costs more than it gives.
package wf.opus_for_judges

deny contains {"msg": msg, "code": "MODEL-1", "node": agent.name} if {
	some agent in input.agents
	agent.mode != "review"
	some model in data.dear_models
	contains(agent.model, model)
	msg := sprintf("%s runs on %s in mode %s", [agent.name, agent.model, agent.mode])
}
