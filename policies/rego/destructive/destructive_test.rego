package wf.destructive_test

import data.wf.destructive

decisions(rule) := {g.decision | some g in destructive.guard; g.rule == rule}

test_hard if {
	every rule in [
		"Bash(git push --force*)", "Bash(git push * -f*)", "Bash(terraform destroy*)", "Bash(pulumi destroy*)", "Bash(cdk destroy*)",
		"Bash(rm -rf /*)",
	] {
		decisions(rule) == {"hard_deny"}
	}
}

test_denied if {
	every rule in [
		"Bash(git reset --hard*)", "Bash(git checkout -- *)", "Bash(git clean -*f*)", "Bash(git stash drop*)",
		"Bash(git commit --amend*)",
	] {
		decisions(rule) == {"deny"}
	}
}

test_harmless_is_not_named if decisions("Bash(git status*)") == set()

test_each_has_a_reason if {
	every g in destructive.guard {
		g.reason != ""
	}
}
