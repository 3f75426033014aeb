package wf.qa_by_another_vendor_test

import data.wf.qa_by_another_vendor

denied(stages) := n if {
	n := count(qa_by_another_vendor.deny) with input as {
		"roles": [{"name": "builder", "adapter": "claude"}, {"name": "twin", "adapter": "claude"}, {"name": "judge", "adapter": "codex"}],
		"tickets": [{"address": "t", "stages": stages}],
	}
}

write := {"role": "builder", "writes": "scope", "verdicts": []}

check(role) := {"role": role, "writes": "none", "verdicts": [{"verdict": "PASS", "to": "done"}]}

test_other_vendor if denied([write, check("judge")]) == 0

test_same_vendor if denied([write, check("twin")]) == 1

test_no_check if denied([write]) == 1

test_reads_only if denied([check("twin")]) == 0
