package wf.own

guard contains {"rule": "Bash(git push*)", "decision": "deny", "reason": "a person delivers"}
