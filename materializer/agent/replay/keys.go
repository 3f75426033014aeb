package replay

// Key is a field of a step, for schemas and editors. Kind is text, texts (a
// list, or one text), files (names to texts), duration, money, int, flag or
// value (anything).
type Key struct{ Name, Kind, Doc string }

// Keys lists what a step may hold, in the order in which it is done.
func Keys() []Key {
	return []Key{
		{"delay", "duration", "How long to wait first, such as 200ms."},
		{"says", "text", "What the agent says."},
		{"run", "texts", "A command, word by word, run in the worktree."},
		{"edit", "files", "Files to write whole: path to text."},
		{"unasked", "files", "Edits that the guard is not asked for."},
		{"delete", "texts", "Paths to delete."},
		{"section", "files", "Sections of the unit's ticket file: name to text."},
		{"ask", "text", "A question to the operator."},
		{"blocked", "text", "Why the agent cannot go on."},
		{"cost", "money", "What the step costs, such as 0.30 USD."},
		{"verdict", "text", "The verdict that is delivered."},
		{"reason", "text", "The reason for the verdict."},
		{"evidence", "texts", "What the verdict cites: path:line."},
		{"outputs", "value", "The outputs that are delivered."},
		{"raw", "text", "Text for the agent's stream, as it is."},
		{"exit", "int", "End with this status."},
		{"crash", "flag", "End by SIGKILL."},
		{"hang", "flag", "Do nothing more, and do not end."},
	}
}
