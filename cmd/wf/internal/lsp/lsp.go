// Package lsp defines the language server: what an editor asks about the file
// a person is writing, answered from wf's own reading of it.
//
// Enter with Serve, which speaks LSP 3.17 over two streams until the client
// leaves. Requests are answered in the order in which they come. Diagnostics
// are found beside them, always for the newest text: while one reading runs,
// further edits wait together for the next one, so that no timer is needed.
package lsp

import (
	"context"
	"errors"
	"io"
	"log"

	"github.com/sourcegraph/jsonrpc2"
)

// Serve answers a client until it says exit or its stream ends. The result is
// true where the client said goodbye first, as the protocol wants it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string) (orderly bool) {
	ctx, cancel := context.WithCancel(ctx)
	s := newServer(version)
	quiet := jsonrpc2.SetLogger(log.New(io.Discard, "", 0)) // what a client does wrong is answered, not logged
	conn := jsonrpc2.NewConn(ctx, newStream(in, out), jsonrpc2.HandlerWithError(s.handle).SuppressErrClosed(), quiet)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.watch(ctx, conn)
	}()
	select {
	case <-conn.DisconnectNotify():
	case <-s.left:
	}
	cancel()
	<-done
	_ = conn.Close() // closed already where the stream has ended
	return s.said("shutdown")
}

// Errors of LSP beside those of JSON-RPC.
const codeNotInitialized = -32002

func refusal(code int64, text string) error { return &jsonrpc2.Error{Code: code, Message: text} }

var errClosed = errors.New("the document is not open")
