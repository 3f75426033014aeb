package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// reading is what was found in one version of a document.
type reading struct {
	root     string
	version  int
	files    map[string]bool         // paths it has read, or looked for
	found    diag.Findings           // about the document itself
	said     map[string][]diagnostic // by URI
	workflow *dsl.Workflow
}

// watch reads documents that are due, until the session ends.
func (s *server) watch(ctx context.Context, conn *jsonrpc2.Conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		for uri, ok := s.next(); ok && ctx.Err() == nil; uri, ok = s.next() {
			for _, p := range s.readAgain(uri) {
				// A client that has gone needs no diagnostics.
				_ = conn.Notify(ctx, "textDocument/publishDiagnostics", p)
			}
		}
	}
}

// next takes a document that is due.
func (s *server) next() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Sorted(maps.Keys(s.due))
	if len(all) == 0 {
		return "", false
	}
	delete(s.due, all[0])
	return all[0], true
}

// readAgain reads a document and gives what the client is to be told anew: all
// files that this reading or the one before says something of.
func (s *server) readAgain(uri string) []publishParams {
	s.mu.Lock()
	d, before := s.docs[uri], s.readings[uri]
	var v view
	if d != nil {
		v = s.look(d.root)
	}
	s.mu.Unlock()
	var r *reading
	if d != nil && isOurs(d.path) {
		r = readDocument(d, v)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r == nil {
		delete(s.readings, uri)
	} else {
		s.readings[uri] = r
	}
	concerned := map[string]bool{}
	for _, one := range []*reading{before, r} {
		if one != nil {
			for file := range one.said {
				concerned[file] = true
			}
		}
	}
	var out []publishParams
	for _, file := range slices.Sorted(maps.Keys(concerned)) {
		out = append(out, s.saidOf(file))
	}
	return out
}

// saidOf gathers what all readings say of a file; the caller holds the lock.
func (s *server) saidOf(file string) publishParams {
	p := publishParams{URI: file, Diagnostics: []diagnostic{}}
	if r := s.readings[file]; r != nil {
		p.Version = &r.version
	}
	seen := map[string]bool{}
	for _, uri := range slices.Sorted(maps.Keys(s.readings)) {
		for _, d := range s.readings[uri].said[file] {
			if key := fmt.Sprint(d.Range, d.Code, d.Message); !seen[key] {
				seen[key] = true
				p.Diagnostics = append(p.Diagnostics, d)
			}
		}
	}
	return p
}

// readDocument checks a document as `wf validate` does. A fault of wf itself
// costs the diagnostics of this version, and not the session.
func readDocument(d *document, v view) (r *reading) {
	r = &reading{root: d.root, version: d.version, files: v.asked, said: map[string][]diagnostic{d.uri: {}}}
	defer func() {
		if fault := recover(); fault != nil {
			r.said[d.uri] = []diagnostic{{Severity: 1, Source: "wf", Code: "WF", Message: fmt.Sprintf("wf could not read this file: %v", fault)}}
		}
	}()
	read := verb.Check(d.path, v)
	r.workflow = read.Workflow
	texts := map[string]*document{d.path: d}
	for _, f := range read.Findings {
		if f.Range.File == d.path {
			r.found = append(r.found, f)
		}
		if _, known := texts[f.Range.File]; !known {
			texts[f.Range.File] = v.document(f.Range.File, d.units)
		}
		if at := texts[f.Range.File]; at != nil {
			r.said[at.uri] = append(r.said[at.uri], v.diagnostic(f, at))
		} else {
			r.said[d.uri] = append(r.said[d.uri], v.diagnostic(f, nil))
		}
	}
	return r
}

// diagnostic writes a finding for the client; a nil document is a file that is not there.
func (v view) diagnostic(f diag.Finding, d *document) diagnostic {
	out := diagnostic{Severity: int(f.Severity), Code: f.Code, Source: "wf", Message: sentences(f)}
	if d == nil {
		return out
	}
	out.Range = d.span(f.Range.Start.Offset, f.Range.End.Offset)
	for _, r := range f.Related {
		if at := v.document(r.Range.File, d.units); at != nil {
			out.Related = append(out.Related, related{location{at.uri, at.span(r.Range.Start.Offset, r.Range.End.Offset)}, r.Message})
		}
	}
	return out
}

// sentences are summary, reason and way out.
func sentences(f diag.Finding) string {
	parts := []string{f.Summary + "."}
	for _, text := range []string{f.Detail, f.Hint} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}
