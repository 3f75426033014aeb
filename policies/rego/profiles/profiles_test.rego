package wf.profiles_test

import data.wf.profiles

codes(plan) := {d.code | some d in profiles.deny with input as plan}

plan(role, agent, stage) := {
	"roles": [role],
	"agents": [agent],
	"tickets": [{"address": "change", "stages": [stage]}],
}

reader := {"name": "qa", "mode": "review", "allow": ["Read", "Grep"]}

reader_agent := {"name": "qa@change", "mode": "review", "effects": ["model.call"]}

reader_stage := {"name": "qa", "mode": "review", "writes": "none"}

test_reader_within_profile if {
	codes(plan(reader, reader_agent, reader_stage)) == set()
}

test_writer_within_profile if {
	codes(plan(
		{"name": "b", "mode": "chat", "allow": ["Edit", "Bash(go test:*)"]},
		{"name": "b@change", "mode": "chat", "effects": ["fs.write", "process.exec"]},
		{"name": "b", "mode": "chat", "writes": "scope"},
	)) == set()
}

test_unknown_mode if {
	codes(plan({"name": "x", "mode": "root", "allow": []}, reader_agent, reader_stage)) == {"profile-mode"}
}

test_edit_in_review if {
	codes(plan(object.union(reader, {"allow": ["Edit(src/**)"]}), reader_agent, reader_stage)) == {"profile-tool"}
}

test_effect_in_review if {
	codes(plan(reader, object.union(reader_agent, {"effects": ["git.push"]}), reader_stage)) == {"profile-effect"}
}

test_writing_stage_in_plan_mode if {
	codes(plan(reader, reader_agent, {"name": "p", "mode": "plan", "writes": "scope"})) == {"profile-stage"}
}
