package wf.own

denies contains {"msg": "too many units"} if input.limits.units > 100

warn contains {"msg": "many units"} if input.limits.units > 50
