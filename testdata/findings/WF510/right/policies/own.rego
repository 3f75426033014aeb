package wf.own

deny contains {"msg": "too many units", "level": "hard"} if input.limits.units >= 0
