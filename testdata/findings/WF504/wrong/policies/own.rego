package team.rules

deny contains {"msg": "no"} if input.limits.units > 100
