package lsp

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
)

// locate gives the repository of a document and the document's path in it. A
// document that is no file is a file of its own, of no repository.
func locate(uri string) (root, rel string) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || !path.IsAbs(u.Path) {
		return "", path.Base(strings.TrimPrefix(uri, "untitled:"))
	}
	file := filepath.Clean(filepath.FromSlash(u.Path))
	root = rootOf(filepath.Dir(file))
	rel, err = filepath.Rel(root, file)
	if err != nil {
		return "", filepath.Base(file)
	}
	return root, filepath.ToSlash(rel)
}

// rootOf is the nearest folder upwards that git knows as a root; outside of
// repositories the one that holds workflows/, or the folder itself.
func rootOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if filepath.Base(dir) == "workflows" {
		return filepath.Dir(dir)
	}
	return dir
}

// uriOf is the address of a file; an open document has the one its client gave it.
func (v view) uriOf(file string) string {
	if d := v.open[file]; d != nil {
		return d.uri
	}
	return (&url.URL{Scheme: "file", Path: path.Join(filepath.ToSlash(v.root), file)}).String()
}

// openRoot is a repository's files on disk; nil files where there are none.
type openRoot struct{ files verb.Files }

// view is what a reading sees: open documents first, then the disk. It notes
// the files that were asked for.
type view struct {
	root  string
	disk  verb.Files
	open  map[string]*document // of this repository, by path
	asked map[string]bool
}

// look makes a view of the repository at root; the caller holds the lock.
func (s *server) look(root string) view {
	if s.roots[root] == nil {
		r := &openRoot{}
		if root != "" {
			if files, err := verb.OpenFiles(root); err == nil { // a folder that is gone has no files
				r.files = files
			}
		}
		s.roots[root] = r
	}
	v := view{root: root, disk: s.roots[root].files, open: map[string]*document{}, asked: map[string]bool{}}
	for _, d := range s.docs {
		if d.root == root {
			v.open[d.path] = d
		}
	}
	return v
}

// viewOf is look for a document.
func (s *server) viewOf(d *document) view {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.look(d.root)
}

// ReadFile makes a view a dsl.Files.
func (v view) ReadFile(file string) ([]byte, error) {
	v.asked[file] = true
	if d := v.open[file]; d != nil {
		return []byte(d.text), nil
	}
	if v.disk == nil {
		return nil, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
	}
	return v.disk.ReadFile(file)
}

// document gives a file as a document, open or not; nil where it cannot be read.
func (v view) document(file string, units encoding) *document {
	if d := v.open[file]; d != nil {
		return d
	}
	data, err := v.ReadFile(file)
	if err != nil {
		return nil
	}
	return newDocument(v.uriOf(file), v.root, file, 0, string(data), units)
}
