package wf.own

deny contains {"msg": "more than nine units at once"} if input.limits.concurrency > 9

except contains {"rule": "wf.own.deny", "reason": "agreed for the migration", "until": "2026-12-31"}
