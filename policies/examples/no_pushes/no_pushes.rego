# METADATA
# title: No pushes
# description: Branches stay local; a person delivers them.
package wf.no_pushes

deny contains {"msg": sprintf("%s could push", [concat(", ", use.by)]), "code": "PUSH-1"} if {
	some use in input.effects
	use.effect == "git.push"
}

guard contains {"rule": "Bash(git push*)", "decision": "hard_deny", "reason": "a person delivers the branches"}
