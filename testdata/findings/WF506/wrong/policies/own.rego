package wf.own

deny := true if input.limits.units > 100
