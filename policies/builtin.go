package policies

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

//go:embed rego
var builtIn embed.FS

// builtInRoot is where the built-in files lie in this repository, and how
// findings name them.
const builtInRoot = "policies"

// BuiltIn is the layer that ships with wf, without its tests and explanations.
func BuiltIn() LayerSource {
	return LayerSource{Name: LayerBuiltIn, Files: builtInFiles(func(p string) bool {
		return !strings.HasSuffix(p, "_test.rego") && (path.Ext(p) == ".rego" || path.Ext(p) == ".json")
	})}
}

// BuiltInTests is the layer with its tests, as Test takes it.
func BuiltInTests() []File {
	return builtInFiles(func(p string) bool { return path.Ext(p) == ".rego" || path.Ext(p) == ".json" })
}

func builtInFiles(take func(string) bool) []File {
	var out []File
	err := fs.WalkDir(builtIn, "rego", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !take(p) {
			return err
		}
		data, err := builtIn.ReadFile(p)
		out = append(out, File{Path: path.Join(builtInRoot, p), Data: data})
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("reading the built-in policies: %v", err)) // the bytes are part of the program
	}
	return out
}

// Profile is a capability profile: what a mode may do at most.
type Profile struct {
	Label         string   `json:"label"`          // what people see
	Tier          string   `json:"tier"`           // highest tier of tools it has unless its role names others: read, write, execute, external
	Worktree      string   `json:"worktree"`       // writable, read-only
	DeniedTools   []string `json:"denied_tools"`   // never on the surface, whatever a role allows
	DeniedEffects []string `json:"denied_effects"` // never caused, whatever a role allows
	Verbs         []string `json:"verbs"`          // beyond submit_outputs, report and ask_operator
	Required      string   `json:"required"`       // verb the unit must use; empty: none
	Guidance      string   `json:"guidance"`       // for the capability preamble
}

// Profiles are the built-in capability profiles by mode, from rego/profiles/modes.json.
func Profiles() (map[string]Profile, error) {
	return readBuiltIn[map[string]Profile]("rego/profiles/modes.json")
}

// AutoApproval is what --auto-approve may cover.
type AutoApproval struct {
	ModelCall planner.Money `json:"model_call"` // greatest worst-case cost of all model calls, in micro-dollars
}

const (
	autoApproveName = "auto_approve"
	autoApproveData = autoApproveName + ".json"
)

// AutoApprove reads the amount up to which model.call needs no person. The
// built-in one is nothing: only the replay agent runs. The outermost other
// layer that has an auto_approve.json sets it; inner ones only lower it.
func AutoApprove(sources []LayerSource) (AutoApproval, error) {
	out, err := readBuiltIn[AutoApproval]("rego/approval/" + autoApproveData)
	if err != nil {
		return AutoApproval{}, err
	}
	set := false
	for _, name := range layerOrder[1:] {
		for _, src := range sources {
			if src.Name != name {
				continue
			}
			for _, f := range src.Files {
				if path.Base(f.Path) != autoApproveData {
					continue
				}
				var a AutoApproval
				if err := json.Unmarshal(f.Data, &a); err != nil || a.ModelCall < 0 {
					return AutoApproval{}, fmt.Errorf("%s: %w", f.Path, ErrUnevaluated)
				}
				if !set || a.ModelCall < out.ModelCall {
					out = a
				}
				set = true
			}
		}
	}
	return out, nil
}

func readBuiltIn[T any](name string) (T, error) {
	var out T
	data, err := builtIn.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return out, fmt.Errorf("built-in policy data %s: %w", name, err)
	}
	return out, nil
}
