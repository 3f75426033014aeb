# METADATA
# title: Secret files
# description: Files that hold keys and passwords are not read or written, whatever the brief says.
package wf.secrets

# METADATA
# title: Every tool of secret_files.json on every file of it
guard contains {"rule": rule, "decision": "hard_deny", "reason": "the file holds secrets; ask the operator for what you need"} if {
	some tool in data.secret_files.tools
	some file in data.secret_files.files
	rule := sprintf("%s(%s)", [tool, file])
}
