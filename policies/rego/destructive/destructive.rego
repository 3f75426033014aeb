# METADATA
# title: Destructive commands
# description: Commands that destroy state or others' work are refused before they start.
package wf.destructive

# METADATA
# title: Every command in destructive.json
guard contains {"rule": rule, "decision": decision, "reason": reason} if {
	some decision, rules in data.destructive
	some rule, reason in rules
}
