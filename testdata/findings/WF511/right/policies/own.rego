package wf.own

warn contains {"msg": "many units"} if input.limits.units > 50

except contains {"rule": "wf.own.warn", "reason": "agreed for the migration", "until": "2027-03-31"}
