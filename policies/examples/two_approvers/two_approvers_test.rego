package wf.two_approvers_test

import data.wf.two_approvers

asked(agents, guideline) := {a.from | some a in two_approvers.ask with input as {
	"limits": {"widthAgents": guideline},
	"bounds": {"agents": {"value": agents}},
}}

test_wide if asked(15, 15) == {"platform", "security"}

test_narrow if asked(14, 15) == set()

test_unlimited if asked(99, 0) == set()
