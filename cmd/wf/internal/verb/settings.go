package verb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/policies"
)

// organisation gives the organisation's layer: the folder that WF_ORG_POLICY
// names. It only adds. Where wf.yaml pins a digest, another content is as good
// as none, and a missing layer is a policy that did not run.
func (p *project) organisation(pin *dsl.Organisation) ([]policies.LayerSource, error) {
	folder := p.env.Getenv("WF_ORG_POLICY")
	if folder == "" && pin == nil {
		return nil, nil
	}
	if folder == "" {
		return nil, refuseIn(ExitUnevaluated, codeOrganisation, dsl.SettingsFile, fmt.Sprintf("The settings pin the organisation's policies (%s), and WF_ORG_POLICY names no folder that holds them.", pin.Source), "fetch them and set WF_ORG_POLICY to their folder")
	}
	files, err := organisationFiles(p.env.abs(folder))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0 {
		return nil, refuseIn(ExitUnevaluated, codeOrganisation, folder, "WF_ORG_POLICY names a folder without policies.", "set it to the folder that holds the organisation's *.rego files")
	}
	if err != nil {
		return nil, systemRefusal(err)
	}
	if pin != nil && pin.Digest != "" {
		if got := digestOf(files); got != pin.Digest {
			return nil, refuseIn(ExitUnevaluated, codeOrganisation, folder, fmt.Sprintf("The policies there have the digest %s; wf.yaml pins %s.", got, pin.Digest), "fetch the pinned version, or pin the new digest in wf.yaml in a change of its own")
		}
	}
	return []policies.LayerSource{{Name: policies.LayerOrganisation, Files: files}}, nil
}

// pinned is the pin of the base commit: a change cannot take it away or move it
// for itself. Where the base has none, the working tree's holds.
func (p *project) pinned(ctx context.Context, base string, l loaded) (*dsl.Organisation, error) {
	settings, findings := dsl.LoadSettings("", commitTree{ctx, p.repo, base})
	if findings.HasErrors() {
		return nil, &Refusal{Findings: findings, Exit: ExitUnevaluated}
	}
	if settings.Organisation != nil {
		return settings.Organisation, nil
	}
	return l.settings.Organisation, nil
}

func organisationFiles(folder string) ([]policies.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []policies.File
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isPolicy(name) {
			return err
		}
		data, err := root.ReadFile(name)
		out = append(out, policies.File{Path: "organisation/" + name, Data: data})
		return err
	})
	return out, err
}

// digestOf names a set of policy files by names and bytes.
func digestOf(files []policies.File) string {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b policies.File) int { return strings.Compare(a.Path, b.Path) })
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %s\n", planner.Hash(f.Data), f.Path)
	}
	return planner.Hash([]byte(b.String()))
}
