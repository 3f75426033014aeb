package wf.width_test

import data.wf.width

warned(agents, guideline) if {
	count(width.warn) == 1 with input as {
		"limits": {"width": "medium", "widthAgents": guideline},
		"bounds": {"agents": {"value": agents}, "widest": ["T-002", "T-003"]},
	}
}

test_at_the_guideline if warned(15, 15)

test_above_it if warned(40, 15)

test_below_it if not warned(14, 15)

test_unlimited if not warned(1000, 0)

test_says_where if {
	some w in width.warn with input as {
		"limits": {"width": "small", "widthAgents": 5},
		"bounds": {"agents": {"value": 6}, "widest": ["T-002"]},
	}
	contains(w.msg, "widest at T-002")
}
