package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// TestStreamPassesOverGarbage: what is no frame and no JSON costs an answer at
// most; the next message is read all the same.
func TestStreamPassesOverGarbage(t *testing.T) {
	good := frame(`{"a":1}`)
	for name, c := range map[string]struct {
		in      string
		refused int
	}{
		"nothing before it":         {good, 0},
		"other headers":             {"Content-Type: x\r\nContent-Length: 7\r\n\r\n{\"a\":1}", 0},
		"small letters, bare lines": {"content-length:7\n\n{\"a\":1}", 0},
		"noise":                     {"hello\r\n\r\n" + strings.Repeat("x", 3*maxHeader) + "\r\n\r\n" + good, 0},
		"a header without length":   {"Content-Type: x\r\n\r\n" + good, 0},
		"no number":                 {"Content-Length: many\r\n\r\n" + good, 0},
		"a negative length":         {"Content-Length: -7\r\n\r\n" + good, 0},
		"no JSON":                   {frame("{nonsense") + good, 1},
		"another JSON":              {frame("[1,2]") + good, 1},
		"nothing in it":             {frame("") + good, 1},
		"too large":                 {fmt.Sprintf("Content-Length: %d\r\n\r\n", maxMessage+1) + strings.Repeat("x", maxMessage+1) + good, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := newStream(strings.NewReader(c.in), &out)
			var v struct{ A int }
			require.NoError(t, s.ReadObject(&v))
			require.Equal(t, 1, v.A)
			require.Equal(t, c.refused, strings.Count(out.String(), `"error"`))
			require.ErrorIs(t, s.ReadObject(&v), io.EOF)
		})
	}
}

// TestStreamTakesNoMemoryForALength: a length that is only announced is not kept.
func TestStreamTakesNoMemoryForALength(t *testing.T) {
	s := newStream(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\nab", maxMessage)), io.Discard)
	grown := testing.AllocsPerRun(1, func() {
		var v json.RawMessage
		require.Error(t, s.ReadObject(&v))
	})
	require.Less(t, grown, 100.0)
}

// TestSessionOrder holds the beginning and the end of a session.
func TestSessionOrder(t *testing.T) {
	initialize := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)
	shutdown := frame(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	exit := frame(`{"jsonrpc":"2.0","method":"exit"}`)
	hover := frame(`{"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":{}}`)
	for name, c := range map[string]struct {
		in      string
		orderly bool
		says    string
	}{
		"as it should be":             {initialize + shutdown + exit, true, `"id":2`},
		"exit without shutdown":       {initialize + exit, false, `"positionEncoding":"utf-16"`},
		"the client is gone":          {initialize, false, ""},
		"gone after shutdown":         {initialize + shutdown, true, ""},
		"nothing at all":              {"", false, ""},
		"a request too early":         {hover + exit, false, "-32002"},
		"a request too late":          {initialize + shutdown + hover + exit, true, "-32600"},
		"initialize twice":            {initialize + strings.Replace(initialize, `"id":1`, `"id":5`, 1) + shutdown + exit, true, "begun already"},
		"an unknown method":           {initialize + frame(`{"jsonrpc":"2.0","id":9,"method":"textDocument/fly"}`) + shutdown + exit, true, "-32601"},
		"an unknown notification":     {initialize + frame(`{"jsonrpc":"2.0","method":"$/fly"}`) + shutdown + exit, true, ""},
		"parameters of another shape": {initialize + frame(`{"jsonrpc":"2.0","id":9,"method":"textDocument/hover","params":[1]}`) + shutdown + exit, true, "-32602"},
		"no such document":            {initialize + strings.Replace(hover, "{}", `{}`, 1) + shutdown + exit, true, "not open"},
		"a cancelled request":         {initialize + frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}`) + shutdown + exit, true, `"id":2`},
		"an answer to nothing":        {initialize + frame(`{"jsonrpc":"2.0","id":77,"result":null}`) + shutdown + exit, true, `"id":2`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.Equal(t, c.orderly, Serve(context.Background(), strings.NewReader(c.in), &out, "test"))
			require.Contains(t, out.String(), c.says)
		})
	}
}

// FuzzServe: no bytes make the server fail; it ends when they end.
func FuzzServe(f *testing.F) {
	open := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`) +
		frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:a.wf.yaml","version":1,"text":"wf: 1\nname: a\n"}}}`)
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"untitled:a.wf.yaml","version":2},"contentChanges":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"text":"😀"}]}}`,
		`{"jsonrpc":"2.0","id":3,"method":"textDocument/completion","params":{"textDocument":{"uri":"untitled:a.wf.yaml"},"position":{"line":1,"character":3}}}`,
		`{"jsonrpc":"2.0","id":"x","method":"textDocument/codeAction","params":{"textDocument":{"uri":"untitled:a.wf.yaml"},"range":{"start":{"line":-1,"character":0},"end":{"line":9,"character":-9}},"context":{}}}`,
	} {
		f.Add([]byte(open + frame(body)))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) < 1<<16 {
			Serve(context.Background(), bytes.NewReader(in), io.Discard, "test")
		}
	})
}

// FuzzAnswers: on any text, at any place, every question has an answer.
func FuzzAnswers(f *testing.F) {
	for i := 0; i < len(shop); i += 37 {
		f.Add(shop, i)
	}
	f.Add("a: &x {b: *x}\n<<: *x\n", 9)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if len(text) > 1<<14 {
			return
		}
		s := newServer("test")
		d := newDocument("untitled:a.wf.yaml", "", "a.wf.yaml", 1, text, utf16Units)
		s.docs[d.uri] = d
		at = d.offset(d.position(at))
		complete(s, d, at)
		hover(s, d, at)
		define(s, d, at)
		symbols(s, d)
		formatting(s, d)
		s.readAgain(d.uri)
	})
}
