package wf.own

deny contains {"msg": "too many units", "severity": "high"} if input.limits.units >= 0
