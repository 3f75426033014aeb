package wf.committed_only_test

import data.wf.committed_only

denied(uncommitted) := n if {
	n := count(committed_only.deny) with input as {"sources": [{"path": "workflows/x.wf.yaml", "uncommitted": uncommitted}]}
}

test_committed if denied(false) == 0

test_uncommitted if denied(true) == 1
