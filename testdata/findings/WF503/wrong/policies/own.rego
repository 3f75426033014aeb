package wf.own

deny contains {"msg": "not today"} if time.now_ns() > 1800000000000000000
