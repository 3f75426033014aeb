package wf.own

guard contains {"rule": "Bash(curl *", "decision": "deny", "reason": "no network"}
