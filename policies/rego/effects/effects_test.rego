package wf.effects_test

import data.wf.effects

codes(uses, agent_effects) := {d.code |
	some d in effects.deny with input as {"effects": uses, "agents": [{"name": "a@t", "effects": agent_effects}]}
}

write := {"effect": "fs.write", "tier": "local"}

test_known_effect_in_its_tier if codes([write], ["fs.write"]) == set()

test_unknown_effect if codes([{"effect": "fs.teleport", "tier": "local"}], []) == {"effect-unknown"}

test_lowered_tier if codes([{"effect": "git.push", "tier": "local"}], []) == {"effect-tier"}

test_unlisted_effect if codes([write], ["git.push"]) == {"effect-unlisted"}

test_sixteen_effects if count(data.effects) == 16
