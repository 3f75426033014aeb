package wf.own

deny contains {"msg": "too high"} if to_number(input.repository) > 1
