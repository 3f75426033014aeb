package wf.own

deny contains {"msg": "not today"} if time.parse_rfc3339_ns(input.base.date) > 1800000000000000000
