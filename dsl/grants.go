package dsl

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// secret reads what makes an input a secret. A secret is no value of the
// workflow: expressions cannot name it, but for the env of a gate.
func (d *decoder) secret(in *Input, o object) {
	source := o.word("source")
	in.Secret = o.flag("secret")
	if !in.Secret {
		if source.text != "" {
			d.add(codeSecretForm, o.keyRange("source"), fmt.Sprintf("input `%s` has a `source` and is no secret.", in.Name), "Add `secret: true`, or remove it.")
		}
		return
	}
	d.unrun("secrets", "`secret: true`", o.keyRange("secret"))
	if in.Source = in.Name; source.text != "" {
		in.Source = d.part(source, "source")
	}
	switch {
	case o.get("default") != nil:
		d.add(codeSecretForm, o.keyRange("default"), fmt.Sprintf("input `%s` is a secret, and a file of the repository gives it a value.", in.Name), "Remove the value, and change the secret where it is in use. `source:` names where it comes from.")
	case in.Type.Kind != 0 && in.Type.Kind != expr.String:
		d.add(codeSecretForm, o.keyRange("type"), fmt.Sprintf("input `%s` is a secret of type %s; a secret is text.", in.Name, in.Type), "Write `type: string`.")
	case in.Untrusted:
		d.add(codeSecretForm, o.keyRange("untrusted"), fmt.Sprintf("input `%s` is a secret of the operator, and no stranger fills it.", in.Name), "Remove `untrusted`.")
	}
}

var onlySecret = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$\{\{\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}$`) })

// envOf reads the variables of a gate. A variable may be a secret as a whole;
// anything beside it is the expression's to refuse.
func (d *decoder) envOf(o object, sc *scopes) []EnvVar {
	f := field(o.owner, "env")
	var out []EnvVar
	for _, e := range d.entries(o.get("env"), "`env`") {
		v := EnvVar{Name: e.Key.Value, Range: e.Key.Range}
		if m := onlySecret().FindStringSubmatch(e.Value.Value); m != nil && e.Value.Kind == syntax.Scalar && slices.Contains(d.secrets, m[1]) {
			v.Secret = m[1]
		} else {
			v.Value = d.scalar(e.Value, f, f.typ, sc)
		}
		d.variable(word{text: v.Name, at: v.Range})
		out = append(out, v)
	}
	return out
}

// grants reads what a role is given beyond its worktree.
func (d *decoder) grants(r *Role, o object) {
	for _, w := range o.words("secrets") {
		if !slices.Contains(d.secrets, w.text) {
			f := unknownWord(codeUnknownSecret, w.text, w.at, fmt.Sprintf("No secret input `%s` is declared under `inputs:`.", w.text), d.secrets)
			if f.Hint == "" {
				f.Hint = fmt.Sprintf("Declare it: `inputs: {%s: {type: string, secret: true}}`.", w.text)
			}
			d.report(f)
			continue
		}
		r.Secrets = append(r.Secrets, w.text)
	}
	for _, n := range d.names(o.get("mcp"), "`mcp`", "server", false) {
		r.MCP = append(r.MCP, d.server(n))
	}
	for _, w := range o.words("skills") {
		if file, ok := d.skill(w); ok {
			r.Skills = append(r.Skills, Skill{Name: path.Base(path.Dir(file)), File: file, Range: w.at})
		}
	}
	r.Auth, r.Customisation = o.word("auth").text, o.word("customisation").text
}

func (d *decoder) server(n namedNode) MCPServer {
	o := d.object(ownerMCP, "server `"+n.name+"`", n.at, n.node)
	s := MCPServer{Name: n.name, URL: o.scalar("url", d.base), Env: d.variables(o.words("env")), Range: n.at}
	run := o.get("run")
	switch {
	case o.node == nil:
	case run != nil && s.URL.Set:
		d.add(codeExclusive, o.keyRange("url"), fmt.Sprintf("server `%s` has `run` and `url`; it is a program here, or it is somewhere else.", n.name), "Keep one of them.")
	case run == nil && !s.URL.Set:
		d.add(codeMissing, n.at, fmt.Sprintf("server `%s` has neither `run` nor `url`.", n.name), "Add one, as in `run: npx some-server`.")
	case run != nil && run.Kind != syntax.Scalar:
		d.wrongShape(run, "`run`", "a command")
	case run != nil:
		s.Argv = d.command(run, d.base)
	}
	return s
}

// skill finds the SKILL.md of a folder: by path, or by name under the nearest
// .claude/skills.
func (d *decoder) skill(w word) (string, bool) {
	if strings.Contains(w.text, "/") {
		folder, ok := d.resolve(w, "skill")
		if !ok {
			return "", false
		}
		file := path.Join(folder, "SKILL.md")
		_, ok = d.read(w.at, file, "skill", maxInstructions)
		return file, ok
	}
	file, ok := d.nearest(path.Join(".claude/skills", w.text, "SKILL.md"))
	if !ok {
		d.add(codeNoFile, w.at, fmt.Sprintf("No `.claude/skills/%s/SKILL.md` from here to the root.", w.text), "Name the path of a skill's folder.")
		return "", false
	}
	_, ok = d.read(w.at, file, "skill", maxInstructions)
	return file, ok
}

// nearest finds a file in the folder that holds workflows/, or in the next one
// above that has it.
func (d *decoder) nearest(name string) (string, bool) {
	for dir := d.folder; ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		file := path.Join(dir, name)
		if _, err := d.files.ReadFile(file); !errors.Is(err, fs.ErrNotExist) {
			return file, true
		}
		if dir == "" {
			return "", false
		}
	}
}

// rulesFiles are the standing rules of a repository, as agent programs read them.
var rulesFiles = []string{"AGENTS.md", "CLAUDE.md"}

// standingRules takes in the rules from the root to the workflow's folder, where
// a role sees the repository's settings. They are the base commit's: a plan holds
// their digests.
func (d *decoder) standingRules(roles []Role) []string {
	if len(roles) > 0 && !slices.ContainsFunc(roles, func(r Role) bool { return r.Customisation != "none" }) {
		return nil
	}
	var out []string
	for _, settings := range SettingsPaths(d.file) {
		for _, name := range rulesFiles {
			file := path.Join(path.Dir(settings), name)
			data, err := d.files.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			whole := diag.Range{File: file}
			switch {
			case err != nil:
				d.add(codeNoFile, whole, fmt.Sprintf("`%s` cannot be read: %v.", file, err), "It must be a regular file inside the repository.")
			case len(data) > maxInstructions:
				d.add(codeFileTooLarge, whole, fmt.Sprintf("`%s` has %d bytes; at most %d are read.", file, len(data), maxInstructions), "Shorten it.")
			default:
				d.keep(Source{Path: file, Kind: "rules", Data: data})
				out = append(out, file)
			}
		}
	}
	return out
}

// services reads what the runner starts beside units and gates.
func (d *decoder) services(o object, sc *scopes) []Service {
	var out []Service
	for _, item := range d.items(o.get("services"), "`services`", false) {
		label, at := "service", item.Range
		if name := item.Get("name"); name != nil && name.Kind == syntax.Scalar {
			label, at = "service `"+name.Value+"`", name.Range
		}
		so := d.object(ownerService, label, at, item)
		s := Service{Name: d.part(so.word("name"), "service"), Port: so.scalar("port", sc), Ready: so.scalar("ready", sc), Env: d.envOf(so, sc),
			Timeout: so.scalar("timeout", sc), Workdir: so.scalar("workdir", sc), Range: at}
		if run := so.get("run"); run != nil && run.Kind == syntax.Scalar {
			s.Argv = d.command(run, sc)
		} else if run != nil {
			d.wrongShape(run, "`run`", "a command")
		}
		if n, ok := s.Port.Value.Int(); ok && (n < 1 || n > 65535) {
			d.add(codeOutOfRange, s.Port.Range, fmt.Sprintf("port %d; ports are numbers from 1 to 65535.", n), "Write the port it listens on, or leave it out.")
		}
		if i := slices.IndexFunc(out, func(have Service) bool { return s.Name != "" && have.Name == s.Name }); i >= 0 {
			d.report(related(codeTwiceService.At(at, fmt.Sprintf("two services are called `%s`; their addresses could not be told apart.", s.Name), "Rename one."), out[i].Range, "the first"))
		}
		out = append(out, s)
	}
	return out
}

// variables are those of a ticket's gates and services.
func (t *Ticket) variables() []EnvVar {
	var out []EnvVar
	for _, g := range t.Gates {
		out = append(out, g.Env...)
	}
	for _, s := range t.Services {
		out = append(out, s.Env...)
	}
	return out
}
