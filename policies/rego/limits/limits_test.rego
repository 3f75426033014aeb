package wf.limits_test

import data.wf.limits

codes(cost, at_once, unit) := {d.code | some d in (limits.deny | limits.warn) with input as {
	"limits": {"budget": 2000000, "concurrency": 4},
	"bounds": {"cost": {"value": cost}, "atOnce": {"value": at_once}},
	"agents": [{"name": "a@t", "budget": unit}],
}}

test_within if codes(2000000, 4, 2000000) == set()

test_cost if codes(2000001, 4, 1) == {"limit-cost"}

test_concurrency if codes(1, 5, 1) == {"limit-concurrency"}

test_unit if codes(1, 1, 2000001) == {"limit-unit"}
