package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// places are a gate's folders, all below the host's scratch folder and gone afterwards.
type places struct{ root, tree, home, temp, cache, gocache string }

func makePlaces(h Host) (places, error) {
	if err := os.MkdirAll(h.Scratch, 0o700); err != nil {
		return places{}, err
	}
	scratch, err := filepath.EvalSymlinks(h.Scratch)
	if err != nil {
		return places{}, err
	}
	root, err := os.MkdirTemp(scratch, "gate-")
	if err != nil {
		return places{}, err
	}
	p := places{root: root, tree: filepath.Join(root, "tree"), home: filepath.Join(root, "home"), temp: filepath.Join(root, "tmp"), cache: filepath.Join(root, "cache")}
	p.gocache = filepath.Join(p.cache, "go")
	for _, dir := range []string{p.tree, p.home, p.temp, p.cache, p.gocache} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return p, err
		}
	}
	return p, nil
}

// remove takes the folders away, also those that a gate made unwritable.
func (p places) remove() {
	if p.root == "" {
		return
	}
	_ = filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(p.root) // what stays lies in a scratch folder that clean removes
}

// hide takes the throwaway folder's name out of a text: it says nothing to a
// reader, and differs from run to run.
func (p places) hide(text string) string {
	if p.root == "" {
		return text
	}
	text = strings.ReplaceAll(text, p.tree+string(filepath.Separator), "")
	text = strings.ReplaceAll(text, p.tree, ".")
	return strings.ReplaceAll(text, p.root, "…")
}

// Marker is the process marker of a gate, so that whoever takes a killed run
// over can find what the gate left (process.Reap).
func Marker(h Host, record string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(h.Scratch) + "\x00" + record))
	return "wf-gate:" + hex.EncodeToString(sum[:16])
}
