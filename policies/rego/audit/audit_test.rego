package wf.audit_test

import data.wf.audit

asked(effect) if {
	count(audit.ask) == 1 with input as {"effects": [{"effect": effect, "by": ["builder@change"]}]}
}

test_writable_audit_is_asked if asked("audit.writable")

test_other_effects_are_not if not asked("fs.write")
