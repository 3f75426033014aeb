package wf.own

guard contains {"rule": "mcp__wf__*", "decision": "deny", "reason": "no servers"}
