package verb

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// userConfig is the user's own configuration, config.yaml in their wf folder.
// Program paths come from here and never from a repository.
type userConfig struct {
	program []string // agents.command.program: argv
}

func (e Env) userConfig() (userConfig, error) {
	home, err := e.configHome()
	if err != nil {
		return userConfig{}, nil // no home, no configuration
	}
	file := filepath.Join(home, "config.yaml")
	data, err := readRegular(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && blank(data) {
		return userConfig{}, nil
	}
	if err != nil {
		return userConfig{}, refuseIn(ExitFailure, codeConfig, file, sentence(whyNot(err)), "mend the file, or remove it")
	}
	root, findings := syntax.Parse(file, data)
	var c userConfig
	program := root.Get("agents").Get("command").Get("program")
	if program != nil && program.Kind != syntax.Sequence {
		findings = append(findings, codeConfig.At(program.Range, "agents.command.program is a list: the program and its arguments.", "write `program: [/path/to/agent, --flag]`"))
	}
	if findings.HasErrors() {
		return userConfig{}, &Refusal{Findings: findings, Sources: Sources{file: data}, Exit: ExitFailure}
	}
	if program != nil {
		for _, item := range program.Items {
			c.program = append(c.program, item.Value)
		}
	}
	return c, nil
}
