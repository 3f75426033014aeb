package wf.approval_test

import data.wf.approval

test_nothing_is_an_amount if count(approval.deny) == 0

test_negative_is_none if count(approval.deny) == 1 with data.auto_approve as {"model_call": -1}

test_fraction_is_none if count(approval.deny) == 1 with data.auto_approve as {"model_call": 0.5}

test_absent_is_none if count(approval.deny) == 1 with data.auto_approve as {}
