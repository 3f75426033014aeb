package wf.offline_gates_test

import data.wf.offline_gates

denied(network) := n if {
	n := count(offline_gates.deny) with input as {"tickets": [{"address": "t", "gates": [{"name": "tests", "network": network}]}]}
}

test_offline if denied(["none"]) == 0

test_no_list if denied([]) == 0

test_host if denied(["proxy.example.org"]) == 1

test_open if denied(["open"]) == 1
