package wf.untouchable_paths_test

import data.wf.untouchable_paths

denied(unlocked) := n if {
	n := count(untouchable_paths.deny) with input as {"tickets": [{"address": "t", "mayChange": [unlocked]}]}
}

test_workflows if denied(".github/workflows/ci.yml") == 1

test_policies if denied("policies/**") == 1

test_manifest if denied("go.mod") == 0
