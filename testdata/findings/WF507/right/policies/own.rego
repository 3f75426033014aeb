package wf.own

warn contains {"msg": "many units"} if input.limits.units > 50
