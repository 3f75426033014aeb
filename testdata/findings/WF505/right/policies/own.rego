package wf.own

deny contains {"msg": "too many units"} if input.limits.units > 100

warn contains {"msg": "many units"} if input.limits.units > 50
