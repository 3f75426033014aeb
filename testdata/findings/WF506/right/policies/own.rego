package wf.own

deny contains {"msg": "too many units"} if input.limits.units > 100
