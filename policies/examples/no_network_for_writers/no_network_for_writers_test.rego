package wf.no_network_for_writers_test

import data.wf.no_network_for_writers

denied(effects) := n if {
	n := count(no_network_for_writers.deny) with input as {"agents": [{"name": "a@t", "effects": effects}]}
}

test_writer_with_network if denied(["fs.write", "network.egress"]) == 1

test_writer_without if denied(["fs.write", "model.call"]) == 0

test_reader_with_network if denied(["network.egress"]) == 0
