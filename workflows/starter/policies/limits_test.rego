package wf.limits_test

import data.wf.limits

test_a_small_budget_is_allowed if {
	count(limits.deny) == 0 with input as {"limits": {"budget": 5000000}, "agents": []}
}

test_a_large_budget_is_denied if {
	count(limits.deny) == 1 with input as {"limits": {"budget": 20000001}, "agents": []}
}

test_an_open_network_is_denied if {
	count(limits.deny) == 1 with input as {
		"limits": {"budget": 1},
		"agents": [{"name": "writer@note", "network": ["open"]}],
	}
}

test_the_network_of_the_model_is_allowed if {
	count(limits.deny) == 0 with input as {
		"limits": {"budget": 1},
		"agents": [{"name": "writer@note", "network": ["model"]}],
	}
}
