package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// server is one session with a client.
type server struct {
	version string
	left    chan struct{} // closed by exit
	wake    chan struct{} // something is to be read again
	methods map[string]method

	mu       sync.Mutex
	phases   map[string]bool // initialize, shutdown: said
	units    encoding
	register bool // the client wants to be told which files to watch
	docs     map[string]*document
	due      map[string]bool      // documents to read again, closed ones too
	readings map[string]*reading  // the last reading of each document
	roots    map[string]*openRoot // repositories by their folder
}

// method answers one request; params is null where the client gave none.
type method func(params json.RawMessage) (any, error)

func newServer(version string) *server {
	s := &server{
		version: version, left: make(chan struct{}), wake: make(chan struct{}, 1), units: utf16Units, phases: map[string]bool{},
		docs: map[string]*document{}, due: map[string]bool{}, readings: map[string]*reading{}, roots: map[string]*openRoot{},
	}
	s.methods = map[string]method{
		"initialize": s.initialize, "shutdown": func(json.RawMessage) (any, error) { return nil, nil },
		"initialized": ignore, "$/setTrace": ignore, "$/cancelRequest": ignore, "workspace/didChangeConfiguration": ignore,
		"textDocument/didOpen": s.didOpen, "textDocument/didChange": s.didChange, "textDocument/didClose": s.didClose,
		"textDocument/didSave": s.didSave, "workspace/didChangeWatchedFiles": s.didChangeFiles,
		"textDocument/completion": at(s, complete), "textDocument/hover": at(s, hover), "textDocument/definition": at(s, define),
		"textDocument/documentSymbol": of(s, symbols), "textDocument/formatting": of(s, formatting), "textDocument/codeAction": s.codeActions,
	}
	return s
}

func ignore(json.RawMessage) (any, error) { return nil, nil }

// handle answers a message. Requests come one at a time, in order, so that
// each is answered for the text that the client had when it asked; a cancelled
// one has been answered before its cancellation is read, as the protocol allows.
func (s *server) handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if fault := recover(); fault != nil { // one bad answer must not end the session
			result, err = nil, refusal(jsonrpc2.CodeInternalError, fmt.Sprintf("wf could not answer %s: %v", req.Method, fault))
		}
	}()
	if err := s.admit(req); err != nil {
		return nil, err
	}
	if req.Method == "exit" {
		close(s.left)
		return nil, nil
	}
	answer, known := s.methods[req.Method]
	if !known {
		return nil, refusal(jsonrpc2.CodeMethodNotFound, "wf does not answer "+req.Method)
	}
	params := json.RawMessage("null")
	if req.Params != nil {
		params = *req.Params
	}
	if result, err = answer(params); err == nil && req.Method == "initialized" && s.register {
		s.askForWatchers(ctx, conn)
	}
	return result, err
}

// admit holds the order of a session: initialize first, nothing after shutdown.
func (s *server) admit(req *jsonrpc2.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case req.Method == "exit":
		if s.phases["exit"] {
			return refusal(jsonrpc2.CodeInvalidRequest, "the session is over")
		}
	case s.phases["shutdown"]:
		return refusal(jsonrpc2.CodeInvalidRequest, "the server has been shut down")
	case req.Method == "initialize" && s.phases["initialize"]:
		return refusal(jsonrpc2.CodeInvalidRequest, "the session has begun already")
	case req.Method != "initialize" && !s.phases["initialize"]:
		return refusal(codeNotInitialized, "the session begins with initialize")
	}
	s.phases[req.Method] = req.Method == "initialize" || req.Method == "shutdown" || req.Method == "exit"
	return nil
}

func (s *server) said(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phases[what]
}

// askForWatchers has the client tell of files that change on disk. Its answer
// comes through the loop that this is called from, so it is not waited for.
func (s *server) askForWatchers(ctx context.Context, conn *jsonrpc2.Conn) {
	// A client that refuses tells of saved files alone; nothing is lost.
	_, _ = conn.DispatchCall(ctx, "client/registerCapability", json.RawMessage(watchers), jsonrpc2.PickID(jsonrpc2.ID{Str: "watchers", IsString: true}))
}

func (s *server) initialize(raw json.RawMessage) (any, error) {
	p, err := params[initializeParams](raw)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if offered := p.Capabilities.General.PositionEncodings; slices.Contains(offered, string(utf8Units)) {
		s.units = utf8Units
	} else if slices.Contains(offered, string(utf32Units)) && !slices.Contains(offered, string(utf16Units)) {
		s.units = utf32Units
	}
	s.register = p.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration
	out := initializeResult{Capabilities: json.RawMessage(fmt.Sprintf(capabilities, s.units))}
	out.ServerInfo.Name, out.ServerInfo.Version = "wf", s.version
	return out, nil
}

// params reads a request's parameters.
func params[T any](raw json.RawMessage) (T, error) {
	var p T
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, refusal(jsonrpc2.CodeInvalidParams, "the parameters cannot be read: "+err.Error())
	}
	return p, nil
}

func (s *server) document(uri string) (*document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[uri]; d != nil {
		return d, nil
	}
	return nil, refusal(jsonrpc2.CodeInvalidParams, errClosed.Error()+": "+uri)
}

// of answers questions about a document.
func of(s *server, answer func(*server, *document) any) method {
	return func(raw json.RawMessage) (any, error) {
		p, err := params[documentParams](raw)
		if err != nil {
			return nil, err
		}
		d, err := s.document(p.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		return answer(s, d), nil
	}
}

// at answers questions about a place in a document, given in bytes.
func at(s *server, answer func(s *server, d *document, offset int) any) method {
	return func(raw json.RawMessage) (any, error) {
		p, err := params[positionParams](raw)
		if err != nil {
			return nil, err
		}
		d, err := s.document(p.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		return answer(s, d, d.offset(p.Position)), nil
	}
}
