# METADATA
# title: Only what is committed
# description: In CI, a plan of files that nobody else has is not reviewed.
package wf.committed_only

deny contains {"msg": sprintf("%s differs from the base commit", [source.path]), "code": "CI-1"} if {
	some source in input.sources
	source.uncommitted
}
