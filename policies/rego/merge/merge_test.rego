package wf.merge_test

import data.wf.merge

asked(deliver) := {a.node | some a in merge.ask with input as {"tickets": [{"address": "ship", "deliver": deliver}]}}

test_merge_is_asked if asked("merge") == {"ship"}

test_branch_is_not if asked("branch") == set()

test_pull_request_is_not if asked("pull_request") == set()

test_merge_command_is_refused if {
	some g in merge.guard
	g.rule == "Bash(gh pr merge*)"
	g.decision == "hard_deny"
}
