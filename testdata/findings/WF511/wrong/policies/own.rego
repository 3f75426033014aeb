package wf.own

warn contains {"msg": "many units"} if input.limits.units > 50

except contains {"rule": "wf.audit.ask", "reason": "we are careful", "until": "2027-03-31"}
