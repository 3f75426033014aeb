package wf.opus_for_judges_test

import data.wf.opus_for_judges

denied(mode, model) := n if {
	n := count(opus_for_judges.deny) with input as {"agents": [{"name": "a@t", "mode": mode, "model": model}]}
}

test_builder if denied("chat", "claude-opus-4") == 1

test_judge if denied("review", "claude-opus-4") == 0

test_other_model if denied("chat", "sonnet") == 0
