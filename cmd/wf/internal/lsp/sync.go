package lsp

import (
	"encoding/json"
	"strings"
)

func (s *server) didOpen(raw json.RawMessage) (any, error) {
	p, err := params[didOpenParams](raw)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := p.TextDocument
	root, path := locate(t.URI)
	s.docs[t.URI] = newDocument(t.URI, root, path, t.Version, t.Text, s.units)
	s.changed(t.URI)
	return nil, nil
}

func (s *server) didChange(raw json.RawMessage) (any, error) {
	p, err := params[didChangeParams](raw)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, errClosed
	}
	s.docs[d.uri] = d.edited(p.TextDocument.Version, p.ContentChanges)
	s.changed(d.uri)
	return nil, nil
}

func (s *server) didClose(raw json.RawMessage) (any, error) {
	p, err := params[documentParams](raw)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.docs, p.TextDocument.URI)
	s.changed(p.TextDocument.URI)
	return nil, nil
}

func (s *server) didSave(raw json.RawMessage) (any, error) {
	p, err := params[documentParams](raw)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed(p.TextDocument.URI)
	return nil, nil
}

func (s *server) didChangeFiles(raw json.RawMessage) (any, error) {
	p, err := params[watchedParams](raw)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range p.Changes {
		s.changed(c.URI)
	}
	return nil, nil
}

// changed has a document read again, and all whose reading has read it; the
// caller holds the lock.
func (s *server) changed(uri string) {
	s.due[uri] = true
	root, path := locate(uri)
	for other, r := range s.readings {
		if r.root == root && r.files[path] {
			s.due[other] = true
		}
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake already
	}
}

// isOurs reports whether a document is one that wf has something to say about.
// Definitions of agents are opened for what workflows say of them.
func isOurs(path string) bool {
	return strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")
}
