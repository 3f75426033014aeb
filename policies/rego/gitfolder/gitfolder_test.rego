package wf.gitfolder_test

import data.wf.gitfolder

denied(ticket) if {
	count(gitfolder.deny) == 1 with input as {"tickets": [object.union({"address": "change", "scope": ["src/**"], "mayChange": [], "stages": []}, ticket)]}
}

test_source_is_free if not denied({"scope": ["src/**", ".github/**", ".gitignore"]})

test_scope if denied({"scope": [".git/hooks/**"]})

test_any_case if denied({"scope": ["vendor/.GIT/config"]})

test_may_change if denied({"mayChange": ["**/.git/**"]})

test_other_places_are_free if not denied({"mayChange": [".gitattributes", "go.mod"], "stages": [{"writeGlobs": ["docs/**"]}]})

test_stage if denied({"stages": [{"writeGlobs": [".git"]}]})
