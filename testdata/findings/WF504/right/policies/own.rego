package wf.own

deny contains {"msg": "no"} if input.limits.units > 100
