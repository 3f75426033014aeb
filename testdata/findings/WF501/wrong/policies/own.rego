package wf.own

deny[msg] { msg := "no writers" }
