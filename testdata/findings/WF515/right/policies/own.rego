package wf.own

deny contains {"msg": "too expensive"} if input.limits.budget > 5000000
