package wf.pinned_programs_test

import data.wf.pinned_programs

denied(need) := n if {
	n := count(pinned_programs.deny) with input as {"requirements": [need]}
}

test_pinned if denied({"kind": "adapter", "name": "claude", "value": "2.1.197"}) == 0

test_range if denied({"kind": "adapter", "name": "claude", "value": ">=2.1.0"}) == 1

test_no_version if denied({"kind": "adapter", "name": "codex"}) == 1

test_replay_is_built_in if denied({"kind": "adapter", "name": "replay"}) == 0

test_other_needs if denied({"kind": "model", "name": "sonnet"}) == 0
