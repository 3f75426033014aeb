# METADATA
# title: Only pinned agent programs
# description: A program whose version floats is another program tomorrow.
package wf.pinned_programs

deny contains {"msg": msg, "code": "PIN-1"} if {
	some need in input.requirements
	need.kind == "adapter"
	need.name != "replay"
	not regex.match(`^=?\s*v?[0-9]+\.[0-9]+\.[0-9]+$`, object.get(need, "value", ""))
	msg := sprintf("the program of %s is not pinned to one version", [need.name])
}
