package wf.own
