package wf.own

guard contains {"rule": "Bsh(git push*)", "decision": "deny", "reason": "a person delivers"}
