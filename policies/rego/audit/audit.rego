# METADATA
# title: Audit
# description: Where no sandbox confines the units, they could change what proves their work.
package wf.audit

# METADATA
# title: The audit could be written by the audited
ask contains {"msg": msg, "code": "audit-writable", "from": "security", "level": "hard"} if {
	some use in input.effects
	use.effect == "audit.writable"
	msg := sprintf("no sandbox keeps %s from journal, evidence and approvals", [concat(", ", use.by)])
}
