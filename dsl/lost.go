package dsl

import (
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// followers are the codes that only echo a field which could not be read: a
// role is unknown where `roles` is a list. They are told once it is mended.
var followers = map[string][]diag.Code{
	"`roles`":     {codeUnknownRole},
	"`pipelines`": {codeUnknownPipeline},
	"`types`":     {codeType},
	"`gates`":     {codeUnknownProof},
	"`reviewers`": {codeNobodyConfirms},
	"`confirm`":   {codeNobodyConfirms},
	"`kind`":      {codeNobody},
}

// unknownNames are the expressions' codes for a name and a field that is not there.
var unknownNames = map[string]string{"`inputs`": "WF202", "`kind`": "WF203"}

// lost keeps that a field, as labels write it, could not be read.
func (d *decoder) lost(label string) {
	if d.unread == nil {
		d.unread = map[string]bool{}
	}
	d.unread[label] = true
}

// withoutLost leaves out what follows from a field that could not be read.
func (d *decoder) withoutLost(found diag.Findings) diag.Findings {
	if len(d.unread) == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(f diag.Finding) bool {
		for label := range d.unread {
			if unknownNames[label] == f.Code || slices.ContainsFunc(followers[label], func(c diag.Code) bool { return c.ID == f.Code }) {
				return true
			}
		}
		return false
	})
}
