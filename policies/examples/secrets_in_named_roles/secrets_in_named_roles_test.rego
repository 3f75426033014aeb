package wf.secrets_in_named_roles_test

import data.wf.secrets_in_named_roles

denied(role, effects) := n if {
	n := count(secrets_in_named_roles.deny) with input as {"agents": [{"name": "a@t", "role": role, "effects": effects}]}
}

test_named_role if denied("releaser", ["secret.read"]) == 0

test_other_role if denied("builder", ["secret.read"]) == 1

test_no_secret if denied("builder", ["fs.write"]) == 0
