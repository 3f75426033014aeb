package wf.no_pushes_test

import data.wf.no_pushes

denied(effect) := n if {
	n := count(no_pushes.deny) with input as {"effects": [{"effect": effect, "by": ["a@t"]}]}
}

test_push if denied("git.push") == 1

test_write if denied("fs.write") == 0

test_guard if {
	some g in no_pushes.guard
	g.decision == "hard_deny"
}
