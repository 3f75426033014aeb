package dsl

import "slices"

// Tightened gives the settings that hold where both do: of numbers the least,
// of denied lists all, of allowed lists what both allow. The repository's own
// words (its identity, its organisation) and the default adapter are the
// receiver's.
func (s Settings) Tightened(by Settings) Settings {
	out := s
	out.Limits = slices.Clone(s.Limits)
	for _, l := range by.Limits {
		i := slices.IndexFunc(out.Limits, func(have SettingLimit) bool { return have.Name == l.Name })
		switch {
		case i < 0:
			out.Limits = append(out.Limits, l)
		case magnitude(l.Value) < magnitude(out.Limits[i].Value):
			out.Limits[i] = l
		}
	}
	out.Limits = out.sortedLimits()
	out.Allow, out.AllowSet = both(s.Allow, s.AllowSet, by.Allow, by.AllowSet)
	out.Models, out.ModelsSet = both(s.Models, s.ModelsSet, by.Models, by.ModelsSet)
	out.Agents, out.AgentsSet = both(s.Agents, s.AgentsSet, by.Agents, by.AgentsSet)
	out.Network, out.NetworkSet = both(s.Network, s.NetworkSet, by.Network, by.NetworkSet)
	out.Deny, out.Protect = unite(s.Deny, by.Deny), unite(s.Protect, by.Protect)
	if out.Sandbox == "" || by.Sandbox == "landlock" {
		out.Sandbox = by.Sandbox
	}
	for _, source := range by.Sources {
		if !slices.ContainsFunc(out.Sources, func(have Source) bool { return have.Path == source.Path }) {
			out.Sources = append(slices.Clone(out.Sources), source)
		}
	}
	return out
}

func both(a []string, aSet bool, b []string, bSet bool) ([]string, bool) {
	if !aSet || !bSet {
		if aSet {
			return a, true
		}
		return b, bSet
	}
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return !slices.Contains(b, w) }), true
}
