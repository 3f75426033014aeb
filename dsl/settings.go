package dsl

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// SettingsFile is the name of the settings beside workflows/.
const SettingsFile = "wf.yaml"

// Settings are what the wf.yaml files from the root to a workflow say together.
// An inner one only tightens: of numbers the least holds, denied lists unite,
// allowed lists intersect. Lists are sorted.
type Settings struct {
	Repository   string // the repository's identity, "" where the root names none
	Agent        string // adapter of roles that name none, "" where none is named
	Limits       []SettingLimit
	Allow        []string // tools; meaningful when AllowSet
	AllowSet     bool
	Deny         []string
	Models       []string // meaningful when ModelsSet
	ModelsSet    bool
	Agents       []string
	AgentsSet    bool
	Network      []string
	NetworkSet   bool
	Protect      []string
	Approvals    string // ApprovalsRemote, or "" where an approval is used up in the clone alone
	Sandbox      string // least confinement of the host: landlock, none; "" where nothing is said
	Organisation *Organisation
	Sources      []Source
}

// ApprovalsRemote says that an approval is used up on the remote, for all clones.
const ApprovalsRemote = "remote"

// SettingLimit is the tightest value that a settings file gives to a limit.
type SettingLimit struct {
	Name  string     // a field of limits
	Value expr.Value // of the field's type, in normal form
	Range diag.Range
}

// Organisation pins the organisation's policy layer.
type Organisation struct {
	Source, Digest string
	Range          diag.Range
}

// Limit returns the setting of a limit.
func (s Settings) Limit(name string) (SettingLimit, bool) {
	for _, l := range s.Limits {
		if l.Name == name {
			return l, true
		}
	}
	return SettingLimit{}, false
}

// SettingsPaths lists where a workflow's settings may stand, the root first.
func SettingsPaths(workflow string) []string {
	paths := []string{SettingsFile}
	dir := ""
	for part := range strings.SplitSeq(Folder(workflow), "/") {
		if part != "" {
			dir = path.Join(dir, part)
			paths = append(paths, path.Join(dir, SettingsFile))
		}
	}
	return paths
}

// LoadSettings reads the settings that hold for a workflow. Files that do not
// exist say nothing; one that is broken is an error among the findings.
func LoadSettings(workflow string, files Files) (Settings, diag.Findings) {
	var s Settings
	var found diag.Findings
	for i, file := range SettingsPaths(workflow) {
		d := &decoder{file: file, folder: path.Dir(file), files: files, literals: true, vague: map[string]bool{}}
		d.base = d.workflowScopes()
		if _, err := files.ReadFile(file); !errors.Is(err, fs.ErrNotExist) {
			d.settingsFile(&s, i == 0)
		}
		d.guideline(&s, d.folder)
		found = append(found, d.found...)
	}
	s.Limits = s.sortedLimits()
	return s, sentences(found).Sorted()
}

func (d *decoder) settingsFile(s *Settings, outermost bool) {
	data, ok := d.read(diag.Range{File: d.file}, d.file, "settings", maxSettings)
	if !ok {
		return
	}
	s.Sources = append(s.Sources, d.sources...)
	if saysNothing(data) {
		return
	}
	root, wrong := syntax.Parse(d.file, data)
	d.found = append(d.found, wrong...)
	if root != nil && root.Kind != syntax.Null {
		d.settingsOf(s, root, outermost)
	}
}

// saysNothing reports whether a file holds only blank lines and comments.
func saysNothing(data []byte) bool {
	for line := range strings.SplitSeq(string(data), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// settingsOf tightens s by one file.
func (d *decoder) settingsOf(s *Settings, root *syntax.Node, outermost bool) {
	whole := diag.Range{File: d.file, Start: root.Range.Start, End: root.Range.Start}
	o := d.object(ownerSettings, "the settings", whole, root)
	if !outermost {
		for _, name := range []string{"repository", "organisation"} {
			if o.get(name) != nil {
				d.add(codeRootOnly, o.keyRange(name), "`"+name+"` is said once, in the wf.yaml at the repository's root.", "Move it there.")
			}
		}
	} else {
		s.Repository = o.word("repository").text
		s.Organisation = d.organisation(o)
	}
	if a := o.word("agent"); a.text != "" && d.adapter(a) {
		s.Agent = a.text
	}
	d.settingLimits(s, o)
	d.settingTools(s, o)
	narrow(&s.Models, &s.ModelsSet, o, "models")
	narrow(&s.Agents, &s.AgentsSet, o, "agents")
	narrow(&s.Network, &s.NetworkSet, o, "network")
	s.Protect = unite(s.Protect, texts(o.words("protect")))
	d.sandbox(s, o)
	if o.word("approvals").text == ApprovalsRemote {
		s.Approvals = ApprovalsRemote // an inner file that says local takes nothing back
	}
}

func (d *decoder) organisation(o object) *Organisation {
	n := o.get("organisation")
	if n == nil {
		return nil
	}
	oo := d.object(ownerOrganisation, "`organisation`", o.keyRange("organisation"), n)
	return &Organisation{Source: oo.word("source").text, Digest: oo.word("digest").text, Range: o.keyRange("organisation")}
}

// sandbox keeps the tighter floor: landlock is tighter than none.
func (d *decoder) sandbox(s *Settings, o object) {
	w := o.word("sandbox")
	switch {
	case w.text == "":
	case w.text == "none" && s.Sandbox == "landlock":
		d.add(codeNoEffect, w.at, "An outer wf.yaml asks for `landlock`; an inner one only tightens.", "Remove it.")
	default:
		s.Sandbox = w.text
	}
}

func (d *decoder) settingTools(s *Settings, o object) {
	n := o.get("tools")
	if n == nil {
		return
	}
	to := d.object(ownerTools, "`tools`", o.keyRange("tools"), n)
	for _, w := range slices.Concat(to.words("allow"), to.words("deny")) {
		d.found = append(d.found, toolName(w.text, w.at, false)...)
	}
	narrow(&s.Allow, &s.AllowSet, to, "allow")
	s.Deny = unite(s.Deny, texts(to.words("deny")))
}

// narrow intersects an allowed list with what an inner file allows.
func narrow(have *[]string, set *bool, o object, name string) {
	if o.get(name) == nil {
		return
	}
	words := texts(o.words(name))
	slices.Sort(words)
	words = slices.Compact(words)
	if *set {
		words = slices.DeleteFunc(words, func(w string) bool { return !slices.Contains(*have, w) })
	}
	*have, *set = words, true
}

func unite(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// settingLimits keeps the least of each limit.
func (d *decoder) settingLimits(s *Settings, o object) {
	n := o.get("limits")
	if n == nil || n.Kind == syntax.Null {
		return
	}
	lo := d.partial(ownerLimits, "`limits`", o.keyRange("limits"), n)
	for _, name := range fieldNames(ownerLimits) {
		if lo.get(name) == nil {
			continue
		}
		v := lo.scalar(name, d.base)
		if v.Known {
			d.tighten(s, SettingLimit{name, v.Value, lo.keyRange(name)})
		}
	}
}

func (d *decoder) tighten(s *Settings, l SettingLimit) {
	i := slices.IndexFunc(s.Limits, func(have SettingLimit) bool { return have.Name == l.Name })
	switch {
	case i < 0:
		s.Limits = append(s.Limits, l)
	case magnitude(l.Value) < magnitude(s.Limits[i].Value):
		s.Limits[i] = l
	default:
		f := d.add(codeNoEffect, l.Range, "An outer wf.yaml sets the same or a lower limit; the least holds.", "Lower it, or remove it.")
		f.Related = []diag.Related{{Range: s.Limits[i].Range, Message: "the limit that holds"}}
	}
}

// magnitude orders limits of one kind; widths by the agents they stand for.
func magnitude(v expr.Value) float64 {
	if micros, ok := v.Money(); ok {
		return float64(micros)
	}
	if length, ok := v.Duration(); ok {
		return length.Seconds()
	}
	if text, ok := v.Str(); ok {
		return float64(WidthAgents(text))
	}
	n, _ := v.Number()
	return n
}

// sortedLimits gives the limits in the order of the field table.
func (s Settings) sortedLimits() []SettingLimit {
	order := fieldNames(ownerLimits)
	out := slices.Clone(s.Limits)
	slices.SortStableFunc(out, func(a, b SettingLimit) int {
		return slices.Index(order, a.Name) - slices.Index(order, b.Name)
	})
	return out
}
