package wf.dollars_per_ticket_test

import data.wf.dollars_per_ticket

denied(budget) := n if {
	n := count(dollars_per_ticket.deny) with input as {"tickets": [{"address": "t", "budget": budget}]}
}

test_at_the_most if denied(5000000) == 0

test_above if denied(5000001) == 1
