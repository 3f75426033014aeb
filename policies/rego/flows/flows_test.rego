package wf.flows_test

import data.wf.flows

asks(effects, network, inputs, edges) := n if {
	n := count(flows.ask) with input as {
		"agents": [{"name": "a@t", "ticket": "T-002", "effects": effects, "network": network}],
		"inputs": inputs,
		"edges": edges,
	}
}

both := ["secret.read", "network.egress"]

pull_request := [{"name": "title", "untrusted": true}]

trusted := [{"name": "goal"}]

reference := [{"from": "T-001", "to": "T-002", "why": "reference"}]

test_untrusted_input if asks(both, ["api.example.org"], pull_request, []) == 1

test_upstream_text if asks(both, ["api.example.org"], trusted, reference) == 1

test_open_network if asks(both, ["open"], trusted, []) == 1

test_order_alone_is_no_flow if asks(both, ["api.example.org"], trusted, [{"from": "T-001", "to": "T-002", "why": "needs"}]) == 0

test_another_ticket if asks(both, ["api.example.org"], trusted, [{"from": "T-001", "to": "T-009", "why": "reference"}]) == 0

test_no_secret if asks(["network.egress"], ["open"], pull_request, []) == 0

test_no_egress if asks(["secret.read"], ["model"], pull_request, []) == 0
