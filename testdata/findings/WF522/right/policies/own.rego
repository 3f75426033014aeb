package wf.own

warn contains {"msg": "more than nine units at once"} if input.limits.concurrency > 9
