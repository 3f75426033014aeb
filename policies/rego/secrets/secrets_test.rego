package wf.secrets_test

import data.wf.secrets

rules contains g.rule if some g in secrets.guard

test_reading_is_refused if {
	every rule in ["Read(**/.env)", "Read(**/*.pem)", "Read(**/*.key)", "Read(**/.credentials)", "Read(**/id_ed25519)"] {
		rule in rules
	}
}

test_writing_is_refused if {
	"Write(**/.env)" in rules
	"Edit(**/*.pem)" in rules
}

test_examples_are_free if not "Read(**/.env.example)" in rules

test_all_hard if {
	every g in secrets.guard {
		g.decision == "hard_deny"
	}
}
