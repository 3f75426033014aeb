package planner

import (
	"slices"
	"strings"
)

// tier orders tools by what they can do at most.
type tier int

// read < write < execute < external, the tiers of the language.
const (
	tierRead tier = iota + 1
	tierWrite
	tierExecute
	tierExternal
)

// tools is the closed list of tool names with their tiers. A name that is not in
// it, and every mcp__ name, counts as external: the widest.
var tools = []struct {
	name string
	tier tier
}{
	{"Read", tierRead}, {"Grep", tierRead}, {"Glob", tierRead}, {"LS", tierRead}, {"TodoWrite", tierRead},
	{"Edit", tierWrite}, {"MultiEdit", tierWrite}, {"NotebookEdit", tierWrite}, {"Write", tierWrite},
	{"Bash", tierExecute},
	{"Agent", tierExternal}, {"Task", tierExternal}, {"WebFetch", tierExternal}, {"WebSearch", tierExternal},
}

// readingTools stay whatever an allow list says.
var readingTools = []string{"Glob", "Grep", "Read"}

// profile is what a mode allows where its role narrows nothing.
type profile struct {
	mode    string
	highest tier
	tools   []string
}

var profiles = []profile{
	{"chat", tierExternal, []string{"Bash", "Edit", "Glob", "Grep", "Read", "Write"}},
	{"review", tierRead, readingTools},
	{"plan", tierRead, readingTools},
	{"orchestrate", tierRead, readingTools},
}

// tierWords are the tiers as policies and people write them.
var tierWords = map[tier]string{tierRead: "read", tierWrite: "write", tierExecute: "execute", tierExternal: "external"}

// ModeTiers gives the highest tier of tools that a mode has where its role
// names none, and the highest that a role in it may name: a chat role reaches
// external tools, such as those of an MCP server, by name alone and as policies
// allow. The built-in policies state the first as data; a test there holds
// that the two never disagree. MODE-03, MODE-07
func ModeTiers(mode string) (has, may string) {
	at := slices.IndexFunc(profiles, func(p profile) bool { return p.mode == mode })
	if at < 0 {
		return "", ""
	}
	var most tier
	for _, name := range profiles[at].tools {
		most = max(most, tierOf(name))
	}
	return tierWords[most], tierWords[profiles[at].highest]
}

func tierOf(rule string) tier {
	name, _, _ := strings.Cut(rule, "(")
	for _, t := range tools {
		if t.name == name {
			return t.tier
		}
	}
	return tierExternal
}

// resolveTools gives the tools a mode leaves of an allow and a deny list, sorted.
// A tool denied by name is gone; one denied by pattern stays, and the guard keeps
// the pattern.
func resolveTools(mode string, allow []string, allowSet bool, deny []string) []string {
	at := slices.IndexFunc(profiles, func(p profile) bool { return p.mode == mode })
	if at < 0 {
		return []string{} // no profile, no power
	}
	p := profiles[at]
	from := p.tools
	if allowSet {
		from = append(slices.Clone(readingTools), allow...)
	}
	out := []string{}
	for _, rule := range from {
		if tierOf(rule) <= p.highest && !slices.Contains(deny, rule) {
			out = append(out, rule)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func reaches(tools []string, t tier) bool {
	return slices.ContainsFunc(tools, func(rule string) bool { return tierOf(rule) == t })
}
