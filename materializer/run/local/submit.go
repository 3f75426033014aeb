package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/agent"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/ticket"
)

// Limits of what is taken from an exchange folder.
const (
	maxSubmission = 1 << 20
	maxTicketFile = 1 << 20
	maxArtifact   = 8 << 20
	maxArtifacts  = 100
)

// submission reads what the unit delivered. Nothing in the exchange folder is
// followed out of it, and nothing but regular files is read.
func (s *session) submission(ended *run.Ended) {
	root, err := os.OpenRoot(s.places.exchange)
	if err != nil {
		ended.SubmitBad = clean(err.Error())
		return
	}
	defer root.Close()
	data, err := readRegular(root, agent.OutputsFile, maxSubmission)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		ended.SubmitBad = clean(err.Error())
	default:
		ended.Submitted, ended.SubmitBad = parseSubmission(s.secrets.apply(data))
	}
	if ended.Submitted != nil {
		ended.Observed.Cited = s.cited(root, ended.Submitted.Evidence)
	}
	s.ticketFile(root, ended)
}

// parseSubmission reads outputs.json strictly: a key that is not known would be
// a verdict or a value that silently does not count.
func parseSubmission(data []byte) (*run.Submission, string) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var out run.Submission
	if err := d.Decode(&out); err != nil {
		return nil, clean(fmt.Sprintf("%s: %v", agent.OutputsFile, err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, agent.OutputsFile + ": something stands behind the JSON value"
	}
	return &out, ""
}

func readRegular(root *os.Root, name string, limit int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// cited gives the entries of the evidence that exist: path:line in the judged
// tree, or an artifact of the unit.
func (s *session) cited(exchange *os.Root, evidence []string) []string {
	tree, err := os.OpenRoot(s.places.tree)
	if err != nil {
		return nil
	}
	defer tree.Close()
	var out []string
	for _, entry := range evidence {
		if len(out) < maxClaims && (placeExists(tree, entry) || artifactExists(exchange, entry)) {
			out = append(out, entry)
		}
	}
	return out
}

func placeExists(tree *os.Root, entry string) bool {
	i := strings.LastIndexByte(entry, ':')
	if i <= 0 {
		return false
	}
	line, err := strconv.Atoi(entry[i+1:])
	if err != nil || line < 1 {
		return false
	}
	data, err := readRegular(tree, filepath.FromSlash(entry[:i]), maxArtifact)
	return err == nil && line <= bytes.Count(data, []byte("\n"))+1 && len(data) > 0
}

func artifactExists(exchange *os.Root, entry string) bool {
	name, ok := strings.CutPrefix(path.Clean(entry), agent.ArtifactDir+"/")
	if !ok {
		return false
	}
	info, err := exchange.Lstat(filepath.Join(agent.ArtifactDir, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// ticketFile checks the unit's copy and takes the sections it may write.
func (s *session) ticketFile(root *os.Root, ended *run.Ended) {
	data, err := readRegular(root, ticket.FileName, maxTicketFile)
	if err != nil {
		ended.Observed.TicketFile = []string{clean(err.Error())}
		return
	}
	sections, broken := ticket.Check(s.ticket, data, s.owned)
	for _, b := range broken {
		ended.Observed.TicketFile = append(ended.Observed.TicketFile, clean(b))
	}
	for _, sec := range sections {
		text := string(s.secrets.apply([]byte(sec.Text)))
		ended.Observed.Sections = append(ended.Observed.Sections, run.Section{Name: sec.Name, Text: text})
	}
}

// keep copies into the state what the unit had and left: prompt, submission,
// artifacts. The unit's own folders go.
func (s *session) keep() error {
	root, err := os.OpenRoot(s.places.exchange)
	if err != nil {
		return fmt.Errorf("unit %s: %w", s.id, err)
	}
	defer root.Close()
	names := []string{agent.PromptFile, agent.OutputsFile, ticket.FileName}
	names = append(names, artifacts(root)...)
	for _, name := range names {
		if err := s.keepOne(root, name); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(s.places.root); err != nil {
		return fmt.Errorf("unit %s: %w", s.id, err)
	}
	return nil
}

func artifacts(root *os.Root) []string {
	var out []string
	// An unreadable folder is one the unit broke: there is then nothing to keep.
	_ = fs.WalkDir(root.FS(), agent.ArtifactDir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && len(out) < maxArtifacts {
			out = append(out, p)
		}
		return nil
	})
	slices.Sort(out)
	return out
}

func (s *session) keepOne(root *os.Root, name string) error {
	data, err := readRegular(root, name, maxArtifact)
	if err != nil {
		return nil // missing or not a file: there is nothing to keep
	}
	to := filepath.Join(s.places.kept, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("unit %s: %w", s.id, err)
	}
	if err := os.WriteFile(to, s.secrets.apply(data), 0o600); err != nil {
		return fmt.Errorf("unit %s: %w", s.id, err)
	}
	return nil
}
