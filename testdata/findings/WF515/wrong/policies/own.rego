package wf.own

deny contains {"msg": "too expensive"} if input.limits.bugdet > 5000000
