package wf.own

warn contains {"msg": "more than one unit at once"} if input.limits.concurrency > 1
