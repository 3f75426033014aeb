package wf.own

guard contains {"rule": "mcp__github__*", "decision": "deny", "reason": "no servers"}
