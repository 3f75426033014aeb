// Package text formats what customers read.
package text

// Quote puts a text in quotation marks.
func Quote(s string) string { return "“" + s + "”" }
