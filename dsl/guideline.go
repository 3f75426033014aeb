package dsl

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// guidelineFile is Claude's project settings; wf reads one key of it as `width`.
const guidelineFile = ".claude/settings.json"

// guideline takes workflowSizeGuideline, a word or a number, from the settings
// of Claude in a folder. A file without the key, or that is no JSON, is none of
// wf's business (PLAN-14, NAME-02).
func (d *decoder) guideline(s *Settings, folder string) {
	file := path.Join(folder, guidelineFile)
	data, err := d.files.ReadFile(file)
	if err != nil || len(data) > maxSettings {
		return
	}
	var settings struct {
		Guideline json.RawMessage `json:"workflowSizeGuideline"`
	}
	if json.Unmarshal(data, &settings) != nil || settings.Guideline == nil {
		return
	}
	whole := diag.Range{File: file, Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Line: 1, Column: 1}}
	v, err := expr.FromJSON(settings.Guideline)
	text, ok := v.Text()
	if err != nil || !ok || WidthAgents(text) == 0 {
		d.add(codeUnknownWord, whole, fmt.Sprintf("`workflowSizeGuideline` is %s, which is no guideline for the number of agents.", settings.Guideline), useOneOf([]string{"small", "medium", "large", "unlimited", "a number"}))
		return
	}
	s.Sources = append(s.Sources, Source{Path: file, Kind: "settings", Data: data})
	if have, ok := s.Limit("width"); ok && magnitude(have.Value) <= float64(WidthAgents(text)) {
		return
	}
	d.tighten(s, SettingLimit{Name: "width", Value: expr.Of(text), Range: whole})
}
