package wf.own

deny contains {"msg": m} if some m in data.names
